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
from spacy_span_selector.tools.formats.nesting import nesting_depths

drawn_spans = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda span: span[0] < span[1]), max_size=12
)


def depth_by_enumeration(span: Span, spans: set[Span]) -> int:
    around = [other for other in spans if other != span and other[0] <= span[0] and span[1] <= other[1]]
    return 1 + max((depth_by_enumeration(other, spans) for other in around), default=0)


@given(drawn_spans)
def test_depths_equal_enumeration(spans: list[Span]) -> None:
    assert nesting_depths(spans) == {span: depth_by_enumeration(span, set(spans)) for span in spans}


def test_classes_of_depth_and_width() -> None:
    assert [depth_class(depth) for depth in (1, 2, 3, 4)] == ["1", "2", "3+", "3+"]
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


@pytest.mark.parametrize(
    ("scores", "is_true", "n_true", "expected"),
    [
        ([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0], 2, (1 + 2 / 3) / 2),
        ([0.6, 0.9, 0.7, 0.8], [0, 1, 1, 0], 2, (1 + 2 / 3) / 2),  # order does not matter
        ([0.5, 0.5, 0.5, 0.1], [1, 0, 0, 1], 2, (1 / 3 + 2 / 4) / 2),  # equal scores are found together
        ([0.9, 0.8], [1, 0], 2, 0.5),  # what has no score is never found
        ([], [], 3, 0.0),
        ([0.5], [0], 0, None),
    ],
)
def test_mean_precision_at_each_true_item(
    scores: list[float], is_true: list[int], n_true: int, expected: float | None
) -> None:
    found = average_precision(np.array(scores), np.array(is_true, dtype=bool), n_true)
    assert found == (None if expected is None else pytest.approx(expected))


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
    assert calibration([0.25] * 4, [True, False, False, False]).error() == pytest.approx(0)
    lowest = calibration([0.01] * 98 + [0.8, 0.8], [False] * 98 + [True, True])
    assert lowest.error(first_bin=1) == pytest.approx(0.2)
    assert Calibration().error() is calibration([0.01], [False]).error(first_bin=1) is None


def test_documents_are_added_up() -> None:
    counts = calibration([0.5, 0.5], [True, False])
    counts.add(np.array([0.5]), np.array([True]))
    assert counts.counts.sum() == 3 and counts.observed.sum() == 2
