import random
from typing import Any

import pytest
from scipy.stats import ttest_rel

from lab.experiments.records import Record
from lab.experiments.statistics import (
    Bootstrap,
    Mean,
    PairedTest,
    Wins,
    class_recall,
    count_wins,
    mean,
    mean_curve,
    paired_bootstrap,
    paired_test,
    recall_at,
    score,
    span_score,
    spans_per_token,
)
from spacy_span_selector.scoring.metrics.counts import Counts

from .conftest import make_record


def scored(variant: str, values: dict[int, float]):
    return [make_record(variant, seed, scores={"test": {"coref_f": value}}) for seed, value in values.items()]


def test_mean_and_deviation_of_a_sample():
    assert mean(scored("a", {0: 0.5, 1: 0.7}), score("coref_f")) == Mean(0.6, pytest.approx(0.1414, abs=1e-4), 2)
    assert mean(scored("a", {0: 0.5}), score("coref_f")) == Mean(0.5, None, 1)
    assert mean(scored("a", {0: 0.5}), score("srl_f")) is None


def test_pairs_share_seed_and_fold():
    first = scored("a", {0: 0.5, 1: 0.7, 2: 0.65, 9: 0.1})
    second = scored("b", {2: 0.6, 1: 0.62, 0: 0.49})
    test = paired_test(first, second, score("coref_f"))
    t, p = ttest_rel([0.5, 0.7, 0.65], [0.49, 0.62, 0.6])
    assert test == PairedTest(3, pytest.approx(0.14 / 3), pytest.approx(t), pytest.approx(p))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({0: 0.5}, {0: 0.4}, PairedTest(1, pytest.approx(0.1), None, None)),
        ({0: 0.5}, {1: 0.4}, PairedTest(0, None, None, None)),
        ({0: 0.5, 1: 0.6}, {0: 0.4, 1: 0.5}, PairedTest(2, pytest.approx(0.1), None, None)),  # no variance
    ],
)
def test_too_little_is_not_tested(first: dict[int, float], second: dict[int, float], expected: PairedTest):
    assert paired_test(scored("a", first), scored("b", second), score("coref_f")) == expected


def test_wins_are_counted_over_pairs():
    first, second = scored("a", {0: 0.5, 1: 0.7, 2: 0.6, 9: 0.9}), scored("b", {2: 0.6, 1: 0.8, 0: 0.4})
    assert count_wins(first, second, score("coref_f")) == Wins(3, 1)
    assert count_wins(first, [], score("coref_f")) == Wins(0, 0)


def test_precision_recall_and_f1_of_spans():
    values = [span_score("kept", part)(make_record()) for part in "prf"]
    assert values == [pytest.approx(83 / 120), pytest.approx(0.83), pytest.approx(2 * 83 / 220)]


def test_spans_per_token_and_recall_by_class():
    assert spans_per_token(make_record()) == 120 / 800
    assert class_recall("kept", "depth", "2")(make_record()) == pytest.approx(12 / 18)
    empty = {"depth": {"3+": {"found": 0, "gold": 0}}}
    assert class_recall("kept", "depth", "3+")(make_record(kept=empty)) is None


def test_curve_is_averaged_by_setting():
    curve = [{"setting": "ratio", "value": 0.1, "found": 50, "gold": 100, "spans": 80}]
    records = [make_record(curve=curve), make_record(curve=[{**curve[0], "found": 70, "spans": 88}])]
    assert mean_curve(records) == [(pytest.approx(0.105), pytest.approx(0.6))]
    assert mean_curve([make_record(curve=[{**curve[0], "found": 0, "gold": 0}])]) == []


def test_recall_between_points_of_a_curve():
    curve = [(0.1, 0.6), (0.2, 0.9)]
    assert recall_at(curve, 0.15) == pytest.approx(0.75)
    assert recall_at(curve, 0.3) is None
    assert recall_at([], 0.1) is None


CHANCE = random.Random(0)


def run(variant: str, found: list[int]) -> Record:
    """A run with a document of 20 gold and 20 predicted items for each number of right ones, by two equal metrics."""
    documents = [[[n, 20, n, 20]] * 2 for n in found]
    return make_record(variant, documents={"test": documents})


def test_equals_a_plain_bootstrap():
    sides = [[CHANCE.randint(5, 15) for _ in range(12)] for _ in range(2)]
    documents = [[Counts(n, 20, n, 20) for n in side] for side in sides]

    def difference(chosen: list[int]) -> float:
        ours, theirs = (sum((side[i] for i in chosen), Counts()).f1 for side in documents)
        return ours - theirs

    drawn = sorted(difference(CHANCE.choices(range(12), k=12)) for _ in range(4000))
    test = paired_bootstrap([run("a", sides[0])], [run("b", sides[1])], "test")
    assert test.documents == 12
    assert test.difference == pytest.approx(difference(list(range(12))))
    assert test.low == pytest.approx(drawn[100], abs=0.02)
    assert test.high == pytest.approx(drawn[-100], abs=0.02)
    other_sign = sum(value <= 0 for value in drawn) / 4000
    assert test.p == pytest.approx(2 * min(other_sign, 1 - other_sign), abs=0.05)


@pytest.mark.parametrize(
    ("changes", "documents"),
    [
        ([{"seed": 0}, {"seed": 1}], 2),
        ([{"condition": "5"}, {"condition": "80"}], 2),
        ([{"fold": "0"}, {"fold": "1"}], 4),
    ],
)
def test_a_document_of_a_fold_counts_once(changes: list[dict[str, Any]], documents: int):
    runs = [{**run(name, [9, 8]), **change} for change in changes for name in ("a", "b")]
    assert paired_bootstrap(runs[::2], runs[1::2], "test").documents == documents


def test_a_document_that_one_side_lacks_does_not_count():
    assert paired_bootstrap([run("a", [9, 8, 7])], [run("b", [5, 5])], "test").documents == 2
    assert paired_bootstrap([make_record("a")], [make_record("b")], "test") == Bootstrap(0, None, None, None, None)


def test_a_document_without_annotation_and_without_predictions_is_no_error():
    records = [make_record(name, documents={"test": [[[0, 0, 0, 0]]]}) for name in ("a", "b")]
    assert paired_bootstrap(records[:1], records[1:], "test").difference == 0
