from __future__ import annotations

import pytest
from scipy.stats import ttest_rel

from lab.experiments.statistics import (
    Mean,
    PairedTest,
    Wins,
    class_recall,
    count_wins,
    mean,
    mean_curve,
    paired_test,
    recall_at,
    score,
    span_score,
    spans_per_token,
)

from .conftest import make_record


def scored(variant: str, values: dict[int, float]):
    return [make_record(variant, seed, scores={"test": {"coref_f": value}}) for seed, value in values.items()]


def test_mean_and_deviation_of_a_sample():
    assert mean(scored("a", {0: 0.5, 1: 0.7}), score("coref_f")) == Mean(0.6, pytest.approx(0.1414, abs=1e-4), 2)


def test_one_run_has_no_deviation():
    assert mean(scored("a", {0: 0.5}), score("coref_f")) == Mean(0.5, None, 1)


def test_no_mean_of_missing_values():
    assert mean(scored("a", {0: 0.5}), score("srl_f")) is None


def test_pairs_share_seed_and_fold():
    first = scored("a", {0: 0.5, 1: 0.7, 2: 0.65, 9: 0.1})
    second = scored("b", {2: 0.6, 1: 0.62, 0: 0.49})
    test = paired_test(first, second, score("coref_f"))
    t, p = ttest_rel([0.5, 0.7, 0.65], [0.49, 0.62, 0.6])
    assert test == PairedTest(3, pytest.approx(0.14 / 3), pytest.approx(t), pytest.approx(p))


def test_one_pair_is_not_tested():
    test = paired_test(scored("a", {0: 0.5}), scored("b", {0: 0.4}), score("coref_f"))
    assert test == PairedTest(1, pytest.approx(0.1), None, None)


def test_no_pair_has_no_difference():
    test = paired_test(scored("a", {0: 0.5}), scored("b", {1: 0.4}), score("coref_f"))
    assert test == PairedTest(0, None, None, None)


def test_equal_differences_are_not_tested():
    test = paired_test(scored("a", {0: 0.5, 1: 0.6}), scored("b", {0: 0.4, 1: 0.5}), score("coref_f"))
    assert (test.pairs, test.p) == (2, None)


def test_wins_are_counted_over_pairs():
    first, second = scored("a", {0: 0.5, 1: 0.7, 2: 0.6, 9: 0.9}), scored("b", {2: 0.6, 1: 0.8, 0: 0.4})
    assert count_wins(first, second, score("coref_f")) == Wins(3, 1)
    assert count_wins(first, [], score("coref_f")) == Wins(0, 0)


def test_precision_recall_and_f1_of_spans():
    values = [span_score("kept", part)(make_record()) for part in "prf"]
    assert values == [pytest.approx(83 / 120), pytest.approx(0.83), pytest.approx(2 * 83 / 220)]


def test_spans_per_token():
    assert spans_per_token(make_record()) == 120 / 800


def test_recall_by_class():
    assert class_recall("kept", "depth", "2")(make_record()) == pytest.approx(12 / 18)


def test_a_class_without_gold_spans_has_no_recall():
    empty = {"depth": {"3+": {"found": 0, "gold": 0}}}
    assert class_recall("kept", "depth", "3+")(make_record(kept=empty)) is None


def test_curve_is_averaged_by_setting():
    curve = [{"setting": "ratio", "value": 0.1, "found": 50, "gold": 100, "spans": 80}]
    records = [make_record(curve=curve), make_record(curve=[{**curve[0], "found": 70, "spans": 88}])]
    assert mean_curve(records) == [(pytest.approx(0.105), pytest.approx(0.6))]


def test_recall_between_points_of_a_curve():
    curve = [(0.1, 0.6), (0.2, 0.9)]
    assert recall_at(curve, 0.15) == pytest.approx(0.75)
    assert recall_at(curve, 0.3) is None
    assert recall_at([], 0.1) is None


def test_a_run_without_gold_spans_has_no_curve():
    points = [{"setting": "threshold", "value": 0.2, "found": 0, "gold": 0, "spans": 9}]
    assert mean_curve([make_record(curve=points)]) == []
