from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.pipeline.spancat import spancat_score
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import LABELLED_KEY, set_annotates, set_labelled_spans
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.scoring.spancat import LABELLED_SPANS, count_labelled_spans, score_labelled_spans

VOCAB = Vocab()
WORDS = ["Ann", "Lee", "saw", "the", "old", "house"]
SETTINGS = SimpleNamespace(spans_key=LABELLED_KEY)

Labelled = list[tuple[int, int, str]]
LABELLED = st.tuples(st.integers(0, 4), st.integers(5, 6), st.sampled_from(["PER", "LOC"]))
SPANS = st.sets(LABELLED, max_size=6).map(sorted)


def make_doc(spans: Labelled | None, words: list[str] = WORDS, key: str = LABELLED_KEY) -> Doc:
    doc = Doc(VOCAB, words=words)
    if spans is not None:
        set_labelled_spans(doc, spans, key=key)
    return doc


def make_example(gold: Labelled | None, predicted: Labelled | None, **settings: Any) -> Example:
    return Example(make_doc(predicted, **settings), make_doc(gold, **settings))


@given(gold=SPANS, predicted=SPANS)
def test_counts_give_the_scores_of_spacys_scorer(gold: Labelled, predicted: Labelled) -> None:
    example = make_example(gold, predicted)
    (counts,) = count_labelled_spans(example) or ()
    scores = spancat_score([example], spans_key=LABELLED_KEY)
    expected = tuple(scores[f"spans_sc_{part}"] or 0 for part in "prf")  # None if there are no spans at all
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx(expected)


def test_span_and_label_must_match() -> None:
    gold = [(0, 2, "PER"), (3, 6, "LOC"), (3, 6, "FAC")]
    found = count_labelled_spans(make_example(gold, [(0, 2, "PER"), (3, 6, "PER"), (4, 6, "LOC")]))
    assert found == (Counts(1, 3, 1, 3),)


def test_documents_of_another_tokenization_are_compared_by_characters() -> None:
    reference = Doc(VOCAB, words=["An", "n", "left"], spaces=[False, True, False])
    predicted = Doc(VOCAB, words=["Ann", "left"], spaces=[True, False])
    set_labelled_spans(reference, [(0, 2, "PER")])
    set_labelled_spans(predicted, [(0, 1, "PER")])
    assert count_labelled_spans(Example(predicted, reference)) == (Counts(1, 1, 1, 1),)


def test_a_reference_with_an_empty_group_counts_and_one_without_does_not() -> None:
    assert count_labelled_spans(make_example([], [(0, 1, "PER")])) == (Counts(0, 0, 0, 1),)
    assert count_labelled_spans(make_example([], [])) == (Counts(0, 0, 0, 0),)
    assert count_labelled_spans(make_example(None, [(0, 1, "PER")])) is None
    entities = make_example([(0, 1, "PER")], [(0, 1, "PER")], key="entities")
    assert count_labelled_spans(entities) is None
    assert count_labelled_spans(entities, spans_key="entities") == (Counts(1, 1, 1, 1),)


def test_different_texts_are_an_error() -> None:
    example = Example(make_doc([], ["Ann", "left"]), make_doc([(0, 1, "PER")]))
    with pytest.raises(ValueError, match=r"Cannot score .* at character 4"):
        count_labelled_spans(example)


def test_the_task_reads_the_group_of_the_component() -> None:
    doc, empty, other = make_doc([(0, 2, "PER"), (3, 6, "LOC")]), make_doc([]), make_doc(None)
    assert [span.text for span in LABELLED_SPANS.gold_spans(doc, SETTINGS) or ()] == ["Ann Lee", "the old house"]
    assert LABELLED_SPANS.gold_spans(empty, SETTINGS) == []
    assert LABELLED_SPANS.gold_spans(other, SETTINGS) is None
    assert [len(LABELLED_SPANS.groups(each, SETTINGS)) for each in (doc, empty, other)] == [1, 1, 0]
    assert [LABELLED_SPANS.can_learn(each, SETTINGS) for each in (doc, empty, other)] == [True, False, False]


def declaring(gold: Labelled, predicted: Labelled, annotates: list[str] | None) -> Example:
    example = make_example(gold, predicted)
    if annotates is not None:
        set_annotates(example.reference, annotates)
    return example


@pytest.mark.parametrize(
    ("gold", "predicted", "annotates", "counts"),
    [
        ([(0, 2, "PER")], [(0, 2, "PER"), (3, 6, "OBJECT")], ["PER"], Counts(1, 1, 1, 1)),
        ([(0, 2, "PER"), (3, 6, "OBJECT")], [(0, 2, "PER")], ["PER"], Counts(1, 1, 1, 1)),
        ([(3, 6, "LOC|FAC|GPE")], [(3, 6, "FAC")], ["PER", "LOC|FAC|GPE"], Counts(1, 1, 1, 1)),
        ([(3, 6, "LOC|FAC|GPE")], [(3, 6, "PER")], ["PER", "LOC|FAC|GPE"], Counts(0, 1, 0, 1)),
        ([(3, 6, "LOC|FAC|GPE")], [(3, 6, "FAC")], ["FAC", "LOC|FAC|GPE"], Counts(0, 1, 0, 1)),
        ([(0, 2, "PER")], [(0, 2, "PER")], [], Counts(0, 0, 0, 0)),
        ([(0, 2, "A|B"), (3, 6, "A|B")], [(0, 2, "B"), (3, 6, "C"), (4, 6, "A")], None, Counts(1, 2, 1, 3)),
        ([(0, 2, "A|B"), (0, 2, "C")], [(0, 2, "B"), (0, 2, "C")], None, Counts(2, 2, 2, 2)),
    ],
    ids=[
        "other type",
        "other type in gold",
        "one of three",
        "none of three",
        "told apart",
        "nothing declared",
        "all declared",
        "a second label",
    ],
)
def test_scores_are_of_what_a_reference_is_annotated_for(
    gold: Labelled, predicted: Labelled, annotates: list[str] | None, counts: Counts
) -> None:
    example = declaring(gold, predicted, annotates)
    assert count_labelled_spans(example) == (counts,)
    scores = score_labelled_spans([example])
    expected = (counts.precision, counts.recall, counts.f1)
    assert tuple(scores[f"spans_sc_{part}"] or 0 for part in "prf") == pytest.approx(expected)


def test_a_place_is_listed_with_the_label_of_the_annotation() -> None:
    scores = score_labelled_spans([declaring([(3, 6, "LOC|FAC")], [(3, 6, "FAC"), (0, 1, "ORG")], ["LOC|FAC"])])
    assert {label: row["f"] for label, row in scores["spans_sc_per_type"].items()} == {"LOC|FAC": 1.0}


@given(gold=SPANS, predicted=SPANS)
def test_without_a_declaration_scores_are_those_of_spacys_scorer(gold: Labelled, predicted: Labelled) -> None:
    example = make_example(gold, predicted)
    assert score_labelled_spans([example]) == spancat_score([example], spans_key=LABELLED_KEY)
