from __future__ import annotations

import numpy as np
import pytest

from lab.metrics.calibration import BINS, Calibration


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
