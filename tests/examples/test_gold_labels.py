from typing import Any

import pytest
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import LABELLED_KEY, set_labelled_spans, set_title
from spacy_span_selector.examples.alignment import CROSSES_SENTENCES, MISALIGNED, TOO_WIDE
from spacy_span_selector.examples.gold_labels import NO_LABEL, OTHER_LABEL, UNKNOWN_LABEL, gold_labels
from spacy_span_selector.examples.lost import LostSpans
from spacy_span_selector.examples.sentences import sentence_lengths

VOCAB = Vocab()
WORDS = ["Ann", "saw", "her", "brother", ".", "He", "left", "."]
SENT_STARTS: list[bool | int | None] = [i in (0, 5) for i in range(8)]
LABELS = {"PER": 0, "LOC": 1, "KIN": 2}

Labelled = list[tuple[int, int, str]]


def make_example(
    spans: Labelled | None, words: list[str] = WORDS, spaces: list[bool] | None = None, key: str = LABELLED_KEY
) -> Example:
    reference = Doc(VOCAB, words=words, spaces=spaces)
    set_title(reference, "the station")
    if spans is not None:
        set_labelled_spans(reference, spans, key=key)
    return Example(Doc(VOCAB, words=WORDS, sent_starts=SENT_STARTS), reference)


def find_gold(
    *examples: Example, key: str = LABELLED_KEY, max_width: int | None = None, exclusive: bool = False
) -> tuple[dict[tuple[int, int], list[int]], list[bool], LostSpans]:
    """The first and last token of each gold span with its labels, which documents are annotated, and what was lost."""
    gold, lost = gold_labels(
        examples,
        sentence_lengths([example.predicted for example in examples], "spancat"),
        spans_key=key,
        labels=LABELS,
        max_width=max_width,
        device=torch.device("cpu"),
        exclusive=exclusive,
    )
    spans = zip(gold.spans.starts.tolist(), gold.spans.ends.tolist(), strict=True)
    found = dict(zip(spans, gold.labels.int().tolist(), strict=True))
    assert len(found) == len(gold.labels), "no span occurs twice"
    return found, gold.annotated.tolist(), lost


def test_spans_of_a_batch_have_their_labels() -> None:
    first = make_example([(0, 1, "PER"), (2, 3, "PER"), (2, 4, "KIN"), (2, 4, "PER")])
    second = make_example([(5, 6, "PER"), (6, 7, "LOC")])
    found, annotated, lost = find_gold(first, second)
    assert found == {(0, 0): [1, 0, 0], (2, 2): [1, 0, 0], (2, 3): [1, 0, 1], (13, 13): [1, 0, 0], (14, 14): [0, 1, 0]}
    assert annotated == [True, True]
    assert not lost.counts


def test_an_empty_group_is_annotation_and_none_is_not() -> None:
    entities = make_example([(0, 1, "PER")], key="entities")
    assert find_gold(make_example([]), make_example(None), entities)[:2] == ({}, [True, False, False])
    assert find_gold(entities, key="entities")[:2] == ({(0, 0): [1, 0, 0]}, [True])


def test_labels_of_no_span_have_a_shape() -> None:
    settings: dict[str, Any] = {"spans_key": LABELLED_KEY, "labels": LABELS, "max_width": None, "device": None}
    example = make_example([])
    gold, _ = gold_labels([example], sentence_lengths([example.predicted], "spancat"), **settings)
    assert gold.labels.shape == (0, 3) and gold.spans.starts.shape == gold.spans.ends.shape == (0,)


@pytest.mark.parametrize(
    ("span", "why", "place"),
    [
        ((3, 6, "PER"), CROSSES_SENTENCES, "PER 'brother. He' in document 'the station'"),
        ((2, 4, "KIN"), TOO_WIDE, "KIN 'her brother' in document 'the station'"),
        ((0, 1, "CITY"), UNKNOWN_LABEL, "CITY 'Ann' in document 'the station'"),
        ((0, 1, ""), NO_LABEL, "'Ann' in document 'the station'"),
    ],
)
def test_what_cannot_be_learnt_is_counted_and_the_rest_is_kept(
    span: tuple[int, int, str], why: str, place: str
) -> None:
    spaces = [True, True, True, False, True, True, False, False]
    found, _, lost = find_gold(make_example([span, (5, 6, "PER")], spaces=spaces), max_width=1)
    assert found == {(5, 5): [1, 0, 0]}
    assert lost.counts == {why: 1}
    assert lost.first[why] == place


def test_one_label_of_a_span_may_be_unknown() -> None:
    found, _, lost = find_gold(make_example([(0, 1, "PER"), (0, 1, "CITY")]))
    assert found == {(0, 0): [1, 0, 0]}
    assert lost.counts == {UNKNOWN_LABEL: 1}


def test_of_labels_that_exclude_each_other_a_span_has_the_first() -> None:
    example = make_example([(0, 1, "LOC"), (0, 1, "PER"), (2, 3, "KIN"), (5, 6, "LOC|PER")])
    assert find_gold(example)[0][0, 0] == [1, 1, 0]
    found, _, lost = find_gold(example, exclusive=True)
    assert found == {(0, 0): [0, 1, 0], (2, 2): [0, 0, 1], (5, 5): [1, 1, 0]}
    assert lost.first == {OTHER_LABEL: "PER 'Ann' in document 'the station'"}


def test_spans_are_aligned_with_other_tokens() -> None:
    words = ["An", "n", "saw", "her brother", ".", "He", "left", "."]
    found, _, lost = find_gold(make_example([(0, 2, "PER"), (3, 4, "KIN"), (0, 1, "PER")], words))
    assert found == {(0, 0): [1, 0, 0], (2, 3): [0, 0, 1]}
    assert lost.counts == {MISALIGNED: 1}
