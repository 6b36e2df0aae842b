import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import CLUSTER_PREFIX, Argument, Frame, Quotation
from spacy_span_selector.scoring.spancat import LABELLED_SPANS
from spacy_span_selector.scoring.srl import SEMANTIC_ROLES
from spacy_span_selector.tools.checking import problems
from spacy_span_selector.tools.checking.problems import CROSSING, Finding, check_quotations, check_spans
from spacy_span_selector.tools.checking.trainings import Training, default_training
from spacy_span_selector.tools.formats.nesting import find_crossing

PIPES = default_training("en").pipes
SPANS = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)).map(lambda span: (span[0], sum(span))), max_size=6)


@given(SPANS)
def test_a_span_that_crosses_an_earlier_one_is_found(spans: list[tuple[int, int]]) -> None:
    different = {*spans}
    crossing = {b for a in different for b in different if a[0] < b[0] < a[1] < b[1]}
    assert {span for span, _ in find_crossing(spans)} == crossing
    assert all(other[0] < span[0] < other[1] < span[1] for span, other in find_crossing(spans))


FRAMES: dict[str, tuple[list[Frame], list[Finding]]] = {
    "overlapping arguments of a predicate": (
        [Frame(1, 2, [Argument(2, 4, "ARG2"), Argument(3, 6, "ARG1")])],
        [(problems.OVERLAPPING, (3, 6), "ARG1 'brother a key' of 'gave', which has ARG2 at tokens 2:4")],
    ),
    "a unique role twice": (
        [Frame(1, 2, [Argument(2, 4, "ARG1"), Argument(4, 6, "ARG1"), Argument(0, 1, "ARGM-ADV")])],
        [(problems.SAME_ROLE, (4, 6), "ARG1 'a key' of 'gave'")],
    ),
    "another role twice": ([Frame(1, 2, [Argument(2, 4, "ARGM-ADV"), Argument(4, 6, "ARGM-ADV")])], []),
    "two frames of a predicate": ([Frame(1, 2, []), Frame(1, 2, [])], [(problems.SAME_PREDICATE, (1, 2), "'gave'")]),
    "crossing arguments of two predicates": (
        [Frame(1, 2, [Argument(2, 4, "ARG2")]), Frame(0, 1, [Argument(3, 6, "ARG1")])],
        [(problems.CROSSING_ARGUMENTS, (3, 6), "'brother a key' and 'her brother', tokens 2:4")],
    ),
}


def make_doc() -> Doc:
    return Doc(Vocab(), words=["Ann", "gave", "her", "brother", "a", "key", "."])


@pytest.mark.parametrize(("frames", "expected"), FRAMES.values(), ids=FRAMES)
def test_frames(frames: list[Frame], expected: list[Finding]) -> None:
    doc = make_doc()
    annotation.set_frames(doc, frames)
    assert [*check_spans(doc, SEMANTIC_ROLES, PIPES["structured_srl"])] == expected


def test_labelled_spans_that_cross() -> None:
    doc = make_doc()
    annotation.set_labelled_spans(doc, [(0, 4, "A"), (2, 4, "A"), (2, 4, "B"), (3, 6, "A"), (6, 7, "B")])
    assert [*check_spans(doc, LABELLED_SPANS, PIPES["structured_spancat"])] == [
        (CROSSING["labelled span"], (3, 6), "'brother a key' and 'Ann gave her brother', tokens 0:4")
    ]
    nlp = spacy.blank("en")
    selector = {"@misc": "spacy_span_selector.SigmoidSelector.v1"}  # lets spans cross
    nlp.add_pipe("structured_spancat", config={"model": {"selector": selector}})
    assert not [*check_spans(doc, LABELLED_SPANS, Training(nlp).pipes["structured_spancat"])]


QUOTATIONS: dict[str, tuple[list[Quotation], list[Finding]]] = {
    "may nest and have no speaker": ([Quotation(0, 7, speaker=(9, 10)), Quotation(3, 6)], []),
    "cross": (
        [Quotation(0, 5), Quotation(3, 13)],
        [(problems.CROSSING_QUOTATIONS, (3, 13), "'‘ now ’ ” , said'... and '“ Come up ‘ now', tokens 0:5")],
    ),
    "come twice": ([Quotation(3, 6), Quotation(3, 6)], [(problems.SAME_QUOTATION, (3, 6), "'‘ now ’'")]),
    "are of people in no cluster": (
        [Quotation(3, 6, speaker=(11, 12), addressee=(8, 10))],
        [
            (problems.NO_MENTION, (11, 12), "'Tom', the speaker of '‘ now ’' at tokens 3:6"),
            (problems.NO_MENTION, (8, 10), "'said Ann', the addressee of '‘ now ’' at tokens 3:6"),
        ],
    ),
}


@pytest.mark.parametrize(("quotations", "expected"), QUOTATIONS.values(), ids=QUOTATIONS)
def test_quotations(quotations: list[Quotation], expected: list[Finding]) -> None:
    """Ann is a mention, and Tom is none."""
    doc = Doc(Vocab(), words=["“", "Come", "up", "‘", "now", "’", "”", ",", "said", "Ann", "to", "Tom", "."])
    annotation.set_quotations(doc, quotations)
    without_clusters = [found for found in expected if found[0] != problems.NO_MENTION]  # anyone may speak there
    assert [*check_quotations(doc, CLUSTER_PREFIX)] == without_clusters
    annotation.set_clusters(doc, [[(9, 10)]])
    assert [*check_quotations(doc, CLUSTER_PREFIX)] == expected
