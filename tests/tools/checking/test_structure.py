from __future__ import annotations

import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, set_frames, set_labelled_spans
from spacy_span_selector.tools.checking.structure import (
    CROSSING_LABELLED,
    check_frames,
    check_labelled_spans,
    find_crossing,
)
from spacy_span_selector.tools.checking.trainings import Training, default_training

PIPES = default_training("en").pipes
SRL, SPANCAT = PIPES["structured_srl"], PIPES["structured_spancat"]

SPANS = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)).map(lambda span: (span[0], sum(span))), max_size=6)


def make_doc(*frames: Frame) -> Doc:
    doc = Doc(Vocab(), words=["Ann", "gave", "her", "brother", "a", "key", "."])
    set_frames(doc, frames)
    return doc


def problems(*frames: Frame) -> list[tuple[str, str]]:
    """The place of each problem and what was found."""
    return [(p.place, p.found) for p in check_frames(make_doc(*frames), "train.spacy", SRL)]


@given(SPANS)
def test_a_span_that_crosses_an_earlier_one_is_found(spans: list[tuple[int, int]]) -> None:
    different = {*spans}
    crossing = {b for a in different for b in different if a[0] < b[0] < a[1] < b[1]}
    assert {span for span, _ in find_crossing(spans)} == crossing
    assert all(other[0] < span[0] < other[1] < span[1] for span, other in find_crossing(spans))


def test_overlapping_arguments_of_a_predicate() -> None:
    frame = Frame(1, 2, [Argument(2, 4, "ARG2"), Argument(3, 6, "ARG1")])
    assert problems(frame) == [("tokens 3:6", "ARG1 'brother a key' of 'gave', which has ARG2 at tokens 2:4")]


def test_a_unique_role_twice() -> None:
    frame = Frame(1, 2, [Argument(2, 4, "ARG1"), Argument(4, 6, "ARG1"), Argument(0, 1, "ARGM-ADV")])
    assert problems(frame) == [("tokens 4:6", "ARG1 'a key' of 'gave'")]


def test_another_role_may_come_twice() -> None:
    assert problems(Frame(1, 2, [Argument(2, 4, "ARGM-ADV"), Argument(4, 6, "ARGM-ADV")])) == []


def test_two_frames_of_a_predicate() -> None:
    assert problems(Frame(1, 2, []), Frame(1, 2, [])) == [("tokens 1:2", "'gave'")]


def test_arguments_of_two_predicates_that_cross() -> None:
    found = problems(Frame(1, 2, [Argument(2, 4, "ARG2")]), Frame(0, 1, [Argument(3, 6, "ARG1")]))
    assert [place for place, _ in found] == ["tokens 3:6"]


def test_labelled_spans_that_cross() -> None:
    doc = make_doc()
    set_labelled_spans(doc, [(0, 4, "A"), (2, 4, "A"), (2, 4, "B"), (3, 6, "A"), (6, 7, "B")])
    found = [*check_labelled_spans(doc, "train.spacy", SPANCAT)]
    assert {problem.kind for problem in found} == {CROSSING_LABELLED}
    assert {problem.place for problem in found} == {"tokens 3:6"}
    assert {"'brother a key' and 'Ann gave her brother', tokens 0:4"} <= {problem.found for problem in found}


def test_labelled_spans_may_cross_where_the_selector_lets_them() -> None:
    doc = make_doc()
    set_labelled_spans(doc, [(0, 4, "A"), (3, 6, "A")])
    nlp = spacy.blank("en")
    selector = {"@misc": "spacy_span_selector.SigmoidSelector.v1"}
    nlp.add_pipe("structured_spancat", config={"model": {"selector": selector}})
    assert not [*check_labelled_spans(doc, "train.spacy", Training(nlp).pipes["structured_spancat"])]
