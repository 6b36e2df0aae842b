from __future__ import annotations

from spacy_span_selector.scoring.metrics.overlap import drop_repeated, drop_singletons, find_overlap


def test_overlap_has_one_entry_per_overlapping_pair_of_clusters() -> None:
    overlap = find_overlap(["abc", "de"], ["ab", "cd", "x"])
    pairs = zip(overlap.gold_index.tolist(), overlap.predicted_index.tolist(), overlap.shared.tolist(), strict=True)
    assert sorted(pairs) == [(0, 0, 2), (0, 1, 1), (1, 1, 1)]
    assert overlap.gold_sizes.tolist() == [3, 2]
    assert overlap.predicted_sizes.tolist() == [2, 2, 1]


def test_overlap_of_nothing_is_empty() -> None:
    overlap = find_overlap([], [])
    assert (len(overlap.gold_sizes), len(overlap.predicted_sizes), len(overlap.shared)) == (0, 0, 0)


def test_mention_repeated_in_its_cluster_counts_once() -> None:
    assert drop_repeated(["aba"]) == [["a", "b"]]


def test_mention_of_two_clusters_stays_in_the_first() -> None:
    assert drop_repeated(["ab", "bc"]) == [["a", "b"], ["c"]]


def test_cluster_without_mentions_is_left_out() -> None:
    assert drop_repeated(["ab", "", "ba"]) == [["a", "b"]]


def test_singletons_are_dropped_after_repeated_mentions() -> None:
    assert drop_singletons(["ab", "bc", "d"]) == [["a", "b"]]
