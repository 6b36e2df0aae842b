import warnings

import pytest

from spacy_span_selector.examples.lost import LostSpans


def lost(*reasons: tuple[str, str]) -> LostSpans:
    spans = LostSpans()
    for reason, place in reasons:
        spans.add(reason, place)
    return spans


def test_spans_are_counted_and_the_first_of_each_kind_remembered() -> None:
    spans = lost(("is odd", "here"), ("is even", "there"), ("is odd", "elsewhere"))
    assert spans.counts == {"is odd": 2, "is even": 1}
    assert spans.first == {"is odd": "here", "is even": "there"}


def test_each_span_of_a_batch_is_kept_with_its_place() -> None:
    spans = LostSpans()
    spans.add("is odd", "here", (1, 2))
    spans.add("is odd", "there")
    assert spans.spans == [("is odd", "here", (1, 2)), ("is odd", "there", None)]
    total = LostSpans()
    with pytest.warns(UserWarning, match="2 so far"):
        total.take_over(spans, "who", "leaves out a gold mention")
    assert total.spans == []  # a training would keep the same spans again in each epoch


def test_a_new_reason_is_said_once() -> None:
    total = LostSpans()
    with pytest.warns(
        UserWarning, match="'who' leaves out a gold mention that is odd: here.*'who'.*lost.counts"
    ) as caught:
        total.take_over(lost(("is odd", "here"), ("is odd", "there")), "who", "leaves out a gold mention")
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        total.take_over(lost(("is odd", "elsewhere")), "who", "leaves out a gold mention")
        total.take_over(LostSpans(), "who", "leaves out a gold mention")
    assert total.counts == {"is odd": 3}
    assert total.first == {"is odd": "here"}
    with pytest.warns(UserWarning, match="is even: there"):
        total.take_over(lost(("is odd", "here"), ("is even", "there")), "who", "leaves out a gold mention")
    assert total.counts == {"is odd": 4, "is even": 1}
