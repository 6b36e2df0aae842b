from __future__ import annotations

import numpy as np
import pytest

from lab.metrics.ranking import average_precision


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
