from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from lab.metrics.nesting import Span, crossing_spans, depth_class, nesting_depths, recall_by_class, width_class
from spacy_span_selector.scoring.metrics.counts import Counts

drawn_spans = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda span: span[0] < span[1]), max_size=12
)


def depth_by_enumeration(span: Span, spans: set[Span]) -> int:
    around = [other for other in spans if other != span and other[0] <= span[0] and span[1] <= other[1]]
    return 1 + max((depth_by_enumeration(other, spans) for other in around), default=0)


@given(drawn_spans)
def test_depths_equal_enumeration(spans: list[Span]) -> None:
    assert nesting_depths(spans) == {span: depth_by_enumeration(span, set(spans)) for span in spans}


def test_depth_counts_from_outside() -> None:
    # the mayor of the town with [its] river
    assert nesting_depths([(0, 8), (3, 8), (6, 7), (9, 10)]) == {(0, 8): 1, (3, 8): 2, (6, 7): 3, (9, 10): 1}


def test_crossing_spans_are_not_inside_each_other() -> None:
    assert set(nesting_depths([(0, 3), (2, 5)]).values()) == {1}


def test_classes_of_depth() -> None:
    assert [depth_class(depth) for depth in (1, 2, 3, 4)] == ["1", "2", "3+", "3+"]


def test_classes_of_width() -> None:
    assert [width_class(width) for width in (1, 4, 5, 12, 13, 40)] == ["1-4", "1-4", "5-12", "5-12", "13+", "13+"]


def test_recall_is_counted_by_class() -> None:
    classes = {(0, 8): "1", (3, 8): "2", (9, 10): "1"}
    counts = recall_by_class(classes, {(9, 10), (3, 8), (5, 6)}, ("1", "2", "3+"))
    assert counts == {"1": Counts(1, 2), "2": Counts(1, 1), "3+": Counts()}


@given(drawn_spans)
def test_crossing_spans_equal_an_enumeration(spans: list[Span]):
    def cross(first: Span, second: Span) -> bool:
        return first[0] < second[0] < first[1] < second[1]

    expected = {span for span in spans if any(cross(span, other) or cross(other, span) for other in spans)}
    assert crossing_spans(spans) == expected
