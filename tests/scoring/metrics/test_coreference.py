"""Clusters are written as strings, one letter per mention: `["ab", "c"]` is {a, b} and the singleton {c}."""

import random
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector.scoring.metrics.coreference import (
    Clusters,
    CorefScores,
    b_cubed,
    ceaf_phi4,
    drop_repeated,
    drop_singletons,
    find_overlap,
    lea,
    mentions,
    muc,
)
from spacy_span_selector.scoring.metrics.counts import Counts

Metric = Callable[[Clusters, Clusters], Counts]
Expected = tuple[float, float] | None
ALL_METRICS = [muc, b_cubed, ceaf_phi4, lea, mentions]

PRADHAN_GOLD = ["abc", "defg"]
PRADHAN_PREDICTED = ["ab", "cd", "fghi"]
LUO_GOLD = ["12345", "67", "89ABC"]
OFFICIAL = ["a", "bc", "def"]
SPURIOUS, BOTH, OVERLAPPING = ["a", "bcx", "defy", "z"], ["a", "bcx", "dy", "z"], ["a", "bcxB", "dy", "z"]
BOTH_EXPECTED = (1 / 3, 1 / 3), (5 / 9, 17 / 42), (0.73333, 0.55)

partitions = st.dictionaries(st.integers(0, 9), st.integers(0, 4)).map(
    lambda cluster_of: [[m for m in cluster_of if cluster_of[m] == c] for c in sorted(set(cluster_of.values()))]
)


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


# The worked example of Pradhan et al. (2014).
@pytest.mark.parametrize(
    "metric, recall, precision",
    [(muc, 2 / 5, 2 / 5), (b_cubed, 35 / 84, 4 / 8), (ceaf_phi4, 1.3 / 2, 1.3 / 3), (mentions, 6 / 7, 6 / 8)],
)
def test_worked_example_of_pradhan_et_al(metric: Metric, recall: float, precision: float) -> None:
    counts = metric(PRADHAN_GOLD, PRADHAN_PREDICTED)
    assert (counts.recall, counts.precision) == pytest.approx((recall, precision))


# Moosavi and Strube (2016) continue the same example.
def test_worked_example_of_moosavi_and_strube() -> None:
    counts = lea(PRADHAN_GOLD, PRADHAN_PREDICTED)
    assert counts.recall == pytest.approx((3 * 1 / 3 + 4 * 1 / 6) / 7)
    assert counts.precision == pytest.approx((2 * 1 + 2 * 0 + 4 * 1 / 6) / 8)


# The comparison of four systems in Luo (2005), F1 rounded to three places.
@pytest.mark.parametrize(
    "predicted, muc_f1, b_cubed_f1, ceaf_phi4_f1",
    [
        (["12345", "6789ABC"], 0.947, 0.865, 0.733),
        (["1234589ABC", "67"], 0.947, 0.737, 0.667),
        (["123456789ABC"], 0.900, 0.545, 0.294),
        (list("123456789ABC"), 0.000, 0.400, 0.178),
    ],
)
def test_table_of_luo(predicted: Clusters, muc_f1: float, b_cubed_f1: float, ceaf_phi4_f1: float) -> None:
    scores = [metric(LUO_GOLD, predicted).f1 for metric in (muc, b_cubed, ceaf_phi4)]
    assert scores == pytest.approx([muc_f1, b_cubed_f1, ceaf_phi4_f1], abs=5e-4)


# The official scorer's own test cases by their names there; expected recall and precision of each metric, None
# where it states no figure.
@pytest.mark.parametrize(
    "gold, predicted, expected_muc, expected_b_cubed, expected_ceaf",
    [
        pytest.param(OFFICIAL, OFFICIAL, (1, 1), (1, 1), (1, 1), id="A1 identical"),
        pytest.param(OFFICIAL, ["a", "de"], (1 / 3, 1), (7 / 18, 1), (0.6, 0.9), id="A2 missing"),
        pytest.param(OFFICIAL, SPURIOUS, (1, 3 / 5), (1, 55 / 108), (0.88571, 0.66429), id="A3 spurious"),
        pytest.param(OFFICIAL, BOTH, *BOTH_EXPECTED, id="A4 missing and spurious"),
        pytest.param(OFFICIAL, OVERLAPPING, (1 / 3, 1 / 4), (5 / 9, 5 / 16), (0.68889, 0.51667), id="A5 overlapping"),
        pytest.param(OFFICIAL, ["a", "bcxb", "dy", "z"], *BOTH_EXPECTED, id="A7 mention twice in a cluster"),
        pytest.param(OFFICIAL, ["a", "bcx", "dy", "bbbbbbbbbbz"], *BOTH_EXPECTED, id="A9 again in another cluster"),
        pytest.param(OFFICIAL, list("abcdef"), (0, 0), (3 / 6, 1), None, id="A10 all singletons"),
        pytest.param(OFFICIAL, ["abcdef"], (1, 3 / 5), (1, 7 / 18), None, id="A11 one cluster"),
        pytest.param(OFFICIAL, list("axycdez"), (0, 0), (13 / 36, 4 / 7), None, id="A12 others, all singletons"),
        pytest.param(OFFICIAL, ["axycdez"], (1 / 3, 1 / 6), (17 / 36, 6 / 49), None, id="A13 others, one cluster"),
        pytest.param(LUO_GOLD, ["12345", "6789ABC"], (1, 9 / 10), (1, 16 / 21), None, id="D1 small cluster merged"),
        pytest.param(LUO_GOLD, ["1234589ABC", "67"], (1, 9 / 10), (1, 7 / 12), None, id="E1 big clusters merged"),
        pytest.param(["abcd"], ["ab", "cd"], (2 / 3, 1), None, None, id="F1 split"),
        pytest.param(["bcdeghj"], ["abc", "def", "ghi"], (3 / 6, 3 / 6), None, None, id="K1 split and spurious"),
        pytest.param(["abc", "defg"], ["ab", "cd", "fgh"], (2 / 5, 2 / 4), None, None, id="L1 two clusters"),
        pytest.param(list("abcdef"), list("abcdef"), (0, 0), (1, 1), (1, 1), id="N1 only singletons"),
    ],
)
def test_cases_of_the_official_scorer(
    gold: Clusters, predicted: Clusters, expected_muc: Expected, expected_b_cubed: Expected, expected_ceaf: Expected
) -> None:
    expected = {muc: expected_muc, b_cubed: expected_b_cubed, ceaf_phi4: expected_ceaf}
    for metric, recall_and_precision in expected.items():
        if recall_and_precision is not None:
            counts = metric(gold, predicted)
            assert (counts.recall, counts.precision) == pytest.approx(recall_and_precision, abs=1e-5)


@pytest.mark.parametrize(
    "gold, predicted, recall, precision",
    [
        pytest.param(["a"], ["a"], 1, 1, id="same singleton"),
        pytest.param(["a"], ["ab"], 0, 0, id="singleton in a larger cluster"),
        pytest.param(["ab"], ["a", "b"], 0, 0, id="cluster split into singletons"),
        pytest.param(["a", "bc"], ["a", "bd"], 1 / 3, 1 / 3, id="singleton found, link missed"),
    ],
)
def test_lea_gives_a_singleton_one_link_to_itself(
    gold: Clusters, predicted: Clusters, recall: float, precision: float
) -> None:
    counts = lea(gold, predicted)
    assert (counts.recall, counts.precision) == pytest.approx((recall, precision))


def test_muc_ignores_singletons() -> None:
    assert muc(["ab", "c"], ["ab", "d", "e"]) == Counts(1, 1, 1, 1)


@pytest.mark.parametrize("metric", ALL_METRICS)
def test_without_clusters_on_one_side_only_the_other_has_a_denominator(metric: Metric) -> None:
    missed, invented = metric(["ab", "cd"], []), metric([], ["ab", "cd"])
    assert missed.recall_denominator > 0 and invented.precision_denominator > 0
    assert missed == Counts(recall_denominator=missed.recall_denominator)
    assert invented == Counts(precision_denominator=invented.precision_denominator)
    assert metric([], []) == Counts()


@pytest.mark.parametrize("metric", ALL_METRICS)
@given(gold=partitions, predicted=partitions)
@settings(max_examples=40, deadline=None)
def test_exchanging_gold_and_prediction_exchanges_recall_and_precision(
    metric: Metric, gold: Clusters, predicted: Clusters
) -> None:
    counts, exchanged = metric(gold, predicted), metric(predicted, gold)
    assert (counts.recall, counts.precision) == pytest.approx((exchanged.precision, exchanged.recall))


@given(gold=partitions, predicted=partitions)
@settings(max_examples=60, deadline=None)
def test_ceaf_alignment_equals_the_best_of_all_alignments(gold: Clusters, predicted: Clusters) -> None:
    n = max(len(gold), len(predicted))
    rows, columns = [*gold, *[[]] * (n - len(gold))], [*predicted, *[[]] * (n - len(predicted))]
    similarity = [[2 * len({*row} & {*column}) / max(len(row) + len(column), 1) for column in columns] for row in rows]
    best = max(sum(similarity[i][j] for i, j in enumerate(order)) for order in permutations(range(n)))
    assert ceaf_phi4(gold, predicted).recall_numerator == pytest.approx(best)


def test_conll_scores_are_means_over_muc_b_cubed_and_ceaf_phi4() -> None:
    scores, others = CorefScores(), CorefScores()
    scores.add_document(PRADHAN_GOLD, PRADHAN_PREDICTED)
    assert others.muc == Counts(), "no state is shared"
    assert scores.conll_recall == pytest.approx((2 / 5 + 35 / 84 + 1.3 / 2) / 3)
    assert scores.conll_precision == pytest.approx((2 / 5 + 4 / 8 + 1.3 / 3) / 3)
    assert scores.conll_f1 == pytest.approx((2 / 5 + f1(4 / 8, 35 / 84) + f1(1.3 / 3, 1.3 / 2)) / 3)


def test_singletons_of_both_sides_can_be_left_out() -> None:
    with_singletons, without = CorefScores(), CorefScores(keep_singletons=False)
    for scores in (with_singletons, without):
        scores.add_document(["ab", "c"], ["ab", "d"])
    assert with_singletons.mentions == Counts(2, 3, 2, 3)
    assert without.mentions == without.b_cubed == without.lea == Counts(2, 2, 2, 2)
    assert without.ceaf_phi4 == Counts(1, 1, 1, 1)


def test_document_with_three_thousand_clusters_scores_like_its_repeated_pattern() -> None:
    n_copies = 1000
    numbers = list(range(n_copies))
    random.Random(0).shuffle(numbers)
    gold = [[(i, m) for m in cluster] for i in range(n_copies) for cluster in OFFICIAL]
    predicted = [[(i, m) for m in cluster] for i in numbers for cluster in BOTH]
    for metric in ALL_METRICS:
        once, many = metric(OFFICIAL, BOTH), metric(gold, predicted)
        assert many.recall_numerator == pytest.approx(n_copies * once.recall_numerator)
        assert many.precision_numerator == pytest.approx(n_copies * once.precision_numerator)


def test_overlap_has_one_entry_per_overlapping_pair_of_clusters() -> None:
    overlap = find_overlap(["abc", "de"], ["ab", "cd", "x"])
    pairs = zip(overlap.gold_index.tolist(), overlap.predicted_index.tolist(), overlap.shared.tolist(), strict=True)
    assert sorted(pairs) == [(0, 0, 2), (0, 1, 1), (1, 1, 1)]
    assert overlap.gold_sizes.tolist() == [3, 2]
    assert overlap.predicted_sizes.tolist() == [2, 2, 1]
    nothing = find_overlap([], [])
    assert (len(nothing.gold_sizes), len(nothing.predicted_sizes), len(nothing.shared)) == (0, 0, 0)


def test_a_repeated_mention_stays_where_it_was_first_and_singletons_are_dropped_afterwards() -> None:
    assert drop_repeated(["aba"]) == drop_repeated(["ab", "", "ba"]) == [["a", "b"]]
    assert drop_repeated(["ab", "bc"]) == [["a", "b"], ["c"]]
    assert drop_singletons(["ab", "bc", "d"]) == [["a", "b"]]
