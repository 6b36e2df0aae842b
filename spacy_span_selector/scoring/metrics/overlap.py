"""The overlap of two clusterings of the mentions of one document: the input of every coreference metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Clusters = Sequence[Sequence[Hashable]]
"""The clusters of one document; a mention is any hashable value, such as a pair of offsets."""


@dataclass(frozen=True)
class Overlap:
    """The mentions that gold and predicted clusters share, as a sparse matrix with one entry per overlapping pair.

    gold_sizes (NDArray[np.int64]): The number of mentions in each gold cluster. Shape: (n_gold,)
    predicted_sizes (NDArray[np.int64]): The number of mentions in each predicted cluster. Shape: (n_predicted,)
    gold_index (NDArray[np.int64]): The gold cluster of each pair. Shape: (n_pairs,)
    predicted_index (NDArray[np.int64]): The predicted cluster of each pair. Shape: (n_pairs,)
    shared (NDArray[np.int64]): The number of mentions in both clusters of each pair, at least 1. Shape: (n_pairs,)
    """

    gold_sizes: NDArray[np.int64]
    predicted_sizes: NDArray[np.int64]
    gold_index: NDArray[np.int64]
    predicted_index: NDArray[np.int64]
    shared: NDArray[np.int64]


def find_overlap(gold: Clusters, predicted: Clusters) -> Overlap:
    """Count the mentions that each gold cluster shares with each predicted one, in linear time.

    gold (Clusters): The gold clusters of a document.
    predicted (Clusters): The predicted clusters of the same document.
    RETURNS (Overlap): The overlap of both, after `drop_repeated` on each.
    """
    gold, predicted = drop_repeated(gold), drop_repeated(predicted)
    cluster_of = {mention: i for i, cluster in enumerate(gold) for mention in cluster}
    pairs = Counter(
        (cluster_of[mention], j) for j, cluster in enumerate(predicted) for mention in cluster if mention in cluster_of
    )
    index = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    return Overlap(
        gold_sizes=np.array([len(cluster) for cluster in gold], dtype=np.int64),
        predicted_sizes=np.array([len(cluster) for cluster in predicted], dtype=np.int64),
        gold_index=index[:, 0],
        predicted_index=index[:, 1],
        shared=np.array(list(pairs.values()), dtype=np.int64),
    )


def drop_repeated(clusters: Clusters) -> list[list[Hashable]]:
    """Keep only the first occurrence of each mention, and leave out clusters that become empty.

    Every metric here compares partitions, in which a mention has one cluster. The official scorer drops repeated
    mentions of the prediction in the same way, if the gold annotation has them; here this holds for every mention
    on either side.

    clusters (Clusters): The clusters of a document.
    RETURNS (list[list[Hashable]]): Disjoint, non-empty clusters in the same order.
    """
    seen: set[Hashable] = set()
    partition = []
    for cluster in clusters:
        first = [mention for mention in dict.fromkeys(cluster) if mention not in seen]
        seen.update(first)
        if first:
            partition.append(first)
    return partition


def drop_singletons(clusters: Clusters) -> list[list[Hashable]]:
    """Leave out clusters of one mention, as corpora without singletons do.

    clusters (Clusters): The clusters of a document.
    RETURNS (list[list[Hashable]]): Those that still have two mentions or more after `drop_repeated`.
    """
    return [cluster for cluster in drop_repeated(clusters) if len(cluster) > 1]
