"""Labelled spans of a document: written in order, read back, and refused if they can't be right."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import (
    LabelledSpan,
    find_labelled_key,
    get_labelled_spans,
    has_labelled_spans_annotated,
    set_labelled_spans,
)


@pytest.fixture
def doc() -> Doc:
    doc: Doc = spacy.blank("en")("Ann met her brother in the old mill of Hull .")
    return doc


def test_spans_are_sorted_with_their_scores(doc: Doc):
    set_labelled_spans(doc, [(5, 10, "FAC"), (0, 1, "PER"), (9, 10, "GPE")], [0.5, 0.25, 0.75])
    sorted_spans = [LabelledSpan(0, 1, "PER"), LabelledSpan(5, 10, "FAC"), LabelledSpan(9, 10, "GPE")]
    assert get_labelled_spans(doc) == sorted_spans
    assert doc.spans["sc"].attrs["scores"] == [0.25, 0.5, 0.75]


def test_a_span_may_have_several_labels_and_a_document_none(doc: Doc):
    assert not has_labelled_spans_annotated(doc)
    set_labelled_spans(doc, [])
    assert has_labelled_spans_annotated(doc)
    set_labelled_spans(doc, [(0, 1, "PER"), (0, 1, "HERO")])
    assert [span.label for span in get_labelled_spans(doc)] == ["HERO", "PER"]


def test_another_key_is_found(doc: Doc):
    assert find_labelled_key(doc) == "sc"
    set_labelled_spans(doc, [(0, 1, "PER")], key="people")
    assert find_labelled_key(doc.copy()) == "people"
    set_labelled_spans(doc, [])
    assert find_labelled_key(doc) == "sc"


@pytest.mark.parametrize(
    ("spans", "scores", "message"),
    [
        ([(0, 1, "PER"), (0, 1, "PER")], None, "spans\\[1\\]"),
        ([(3, 3, "PER")], None, "has no tokens"),
        ([(0, 99, "PER")], None, "spans\\[0\\]"),
        ([(0, 1, 7)], None, "the label"),
        ([(0, 1, "PER")], [0.5, 0.5], "the length of scores"),
        ([(0, 1, "PER")], [float("nan")], "scores\\[0\\]"),
    ],
)
def test_what_is_wrong_leaves_the_document_as_it_was(doc: Doc, spans, scores, message: str):
    set_labelled_spans(doc, [(1, 2, "X")])
    with pytest.raises(ValueError, match=message):
        set_labelled_spans(doc, spans, scores)
    assert get_labelled_spans(doc) == [(1, 2, "X")]
