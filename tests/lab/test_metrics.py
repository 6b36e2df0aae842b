from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from lab.metrics import (
    BINS,
    Calibration,
    Span,
    average_precision,
    crossing_spans,
    depth_class,
    recall_by_class,
    width_class,
)
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.tools.checking.counts import nesting_depths

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


def of(scores: list[float], is_true: list[int], n_true: int | None = None) -> float | None:
    return average_precision(
        np.array(scores), np.array(is_true, dtype=bool), sum(is_true) if n_true is None else n_true
    )


def test_mean_precision_at_each_true_item():
    assert of([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0]) == pytest.approx((1 + 2 / 3) / 2)


def test_order_does_not_matter():
    assert of([0.6, 0.9, 0.7, 0.8], [0, 1, 1, 0]) == pytest.approx((1 + 2 / 3) / 2)


def test_equal_scores_are_found_together():
    assert of([0.5, 0.5, 0.5, 0.1], [1, 0, 0, 1]) == pytest.approx((1 / 3 + 2 / 4) / 2)


def test_true_items_without_a_score_are_never_found():
    assert of([0.9, 0.8], [1, 0], n_true=2) == pytest.approx(0.5)


def test_no_item_has_a_score():
    assert of([], [], n_true=3) == 0


def test_without_true_items():
    assert of([0.5], [0]) is None


def calibration(probabilities: list[float], is_true: list[bool]) -> Calibration:
    counts = Calibration()
    counts.add(np.array(probabilities), np.array(is_true))
    return counts


def test_bins_are_of_equal_width() -> None:
    counts = calibration([0.0, 0.049, 0.05, 0.999, 1.0], [False, True, False, True, True])
    assert counts.counts.tolist() == [2, 1] + [0] * (BINS - 3) + [2]
    assert counts.observed.tolist() == [1, 0] + [0] * (BINS - 3) + [2]
    assert counts.expected[0] == pytest.approx(0.049)


def test_error_weights_bins_by_their_count() -> None:
    # Four at 0.5, of which all came true, and one at 0.9, which did not.
    counts = calibration([0.5] * 4 + [0.91], [True] * 4 + [False])
    assert counts.error() == pytest.approx((4 * 0.5 + 0.91) / 5)


def test_calibrated_probabilities_have_no_error() -> None:
    assert calibration([0.25] * 4, [True, False, False, False]).error() == pytest.approx(0)


def test_lowest_bin_can_be_left_out() -> None:
    counts = calibration([0.01] * 98 + [0.8, 0.8], [False] * 98 + [True, True])
    assert counts.error(first_bin=1) == pytest.approx(0.2)


def test_no_error_without_counts() -> None:
    assert Calibration().error() is None
    assert calibration([0.01], [False]).error(first_bin=1) is None


def test_documents_are_added_up() -> None:
    counts = calibration([0.5, 0.5], [True, False])
    counts.add(np.array([0.5]), np.array([True]))
    assert counts.counts.sum() == 3 and counts.observed.sum() == 2
