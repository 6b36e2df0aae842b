"""The coreference metrics: MUC, B3, CEAF-phi4, LEA, mentions, and the CoNLL average.

Each takes the gold and the predicted clusters of one document and returns `Counts`, which are summed over
documents before they are divided. Mentions match only if they are equal. A mention that only one side has stays in its
cluster and costs precision or recall, as Pradhan et al. (2014) argue. `docs/scores.md` has the formulas.

MUC, B3, CEAF-phi4 and mentions equal those of the official scorer, version 8.01, with one exception: mentions that one
side lists more than once. Here only the first occurrence counts, on either side. The official scorer does the same for
predicted mentions that are in the gold annotation; others it counts in every cluster that lists them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .counts import Counts

Clusters = Sequence[Sequence[Hashable]]
"""The clusters of one document; a mention is any hashable value, such as a pair of offsets."""


@dataclass(frozen=True)
class Overlap:
    """The mentions that gold and predicted clusters share, as a sparse matrix with one entry per overlapping pair.

    gold_sizes, predicted_sizes: The number of mentions in each cluster. Shapes: (n_gold,) and (n_predicted,)
    gold_index, predicted_index: The clusters of each pair. Shape: (n_pairs,)
    shared: The number of mentions in both clusters of each pair, at least 1. Shape: (n_pairs,)
    """

    gold_sizes: NDArray[np.int64]
    predicted_sizes: NDArray[np.int64]
    gold_index: NDArray[np.int64]
    predicted_index: NDArray[np.int64]
    shared: NDArray[np.int64]


def find_overlap(gold: Clusters, predicted: Clusters) -> Overlap:
    """Count the mentions that each gold cluster shares with each predicted one, after `drop_repeated`; linear."""
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
    """Keep only the first occurrence of each mention, and leave out clusters that become empty: every metric here
    compares partitions, in which a mention has one cluster."""
    seen: set[Hashable] = set()
    partition = []
    for cluster in clusters:
        first = [mention for mention in dict.fromkeys(cluster) if mention not in seen]
        seen.update(first)
        if first:
            partition.append(first)
    return partition


def drop_singletons(clusters: Clusters) -> list[list[Hashable]]:
    """Leave out clusters of one mention, counted after `drop_repeated`, as corpora without singletons do."""
    return [cluster for cluster in drop_repeated(clusters) if len(cluster) > 1]


def muc(gold: Clusters, predicted: Clusters) -> Counts:
    """Count links: a cluster of n mentions has n - 1 of them. Singletons have none and do not count.

    Vilain et al., "A Model-Theoretic Coreference Scoring Scheme", MUC-6, 1995.
    """
    overlap = find_overlap(gold, predicted)
    common_links = float((overlap.shared - 1).sum())
    gold_links, predicted_links = (float((sizes - 1).sum()) for sizes in (overlap.gold_sizes, overlap.predicted_sizes))
    return Counts(common_links, gold_links, common_links, predicted_links)


def b_cubed(gold: Clusters, predicted: Clusters) -> Counts:
    """Count, for each mention, the fraction of its cluster that is in its cluster on the other side, too.

    Bagga and Baldwin, "Algorithms for Scoring Coreference Chains", LREC workshop, 1998; for mentions that only
    one side has, Pradhan et al. (2014).
    """
    overlap = find_overlap(gold, predicted)
    squared = overlap.shared**2
    return Counts(
        float((squared / overlap.gold_sizes[overlap.gold_index]).sum()),
        float(overlap.gold_sizes.sum()),
        float((squared / overlap.predicted_sizes[overlap.predicted_index]).sum()),
        float(overlap.predicted_sizes.sum()),
    )


def ceaf_phi4(gold: Clusters, predicted: Clusters) -> Counts:
    """Count aligned clusters under the best one-to-one alignment, weighted by the Dice coefficient of their mentions.

    Luo, "On Coreference Resolution Performance Metrics", EMNLP 2005, with similarity phi4;
    also called CEAF-e, entity-based.
    """
    overlap = find_overlap(gold, predicted)
    sizes = overlap.gold_sizes[overlap.gold_index] + overlap.predicted_sizes[overlap.predicted_index]
    similarity = _best_alignment(overlap, 2 * overlap.shared / sizes)
    return Counts(similarity, float(len(overlap.gold_sizes)), similarity, float(len(overlap.predicted_sizes)))


def lea(gold: Clusters, predicted: Clusters) -> Counts:
    """Count, for each cluster, its mentions times the fraction of its links that the other side has.

    A cluster of n mentions has n (n - 1) / 2 links. A singleton has one link, to itself, which is found only if the
    other side has the same singleton.

    Moosavi and Strube, "Which Coreference Evaluation Metric Do You Trust?", ACL 2016.
    """
    overlap = find_overlap(gold, predicted)
    gold_sizes = overlap.gold_sizes[overlap.gold_index]
    predicted_sizes = overlap.predicted_sizes[overlap.predicted_index]
    common_links = _links(overlap.shared) + ((gold_sizes == 1) & (predicted_sizes == 1))
    return Counts(
        float((gold_sizes * common_links / np.maximum(_links(gold_sizes), 1)).sum()),
        float(overlap.gold_sizes.sum()),
        float((predicted_sizes * common_links / np.maximum(_links(predicted_sizes), 1)).sum()),
        float(overlap.predicted_sizes.sum()),
    )


def mentions(gold: Clusters, predicted: Clusters) -> Counts:
    """Count mentions, whatever their cluster."""
    overlap = find_overlap(gold, predicted)
    common = float(overlap.shared.sum())
    return Counts(common, float(overlap.gold_sizes.sum()), common, float(overlap.predicted_sizes.sum()))


@dataclass
class CorefScores:
    """Coreference scores of a corpus, added up document by document.

    keep_singletons (bool): Whether clusters of one mention count. If not, they are removed from both sides, also
        for the mention scores, as for corpora that do not annotate them.
    """

    keep_singletons: bool = True
    muc: Counts = field(default_factory=Counts)
    b_cubed: Counts = field(default_factory=Counts)
    ceaf_phi4: Counts = field(default_factory=Counts)
    lea: Counts = field(default_factory=Counts)
    mentions: Counts = field(default_factory=Counts)

    def add_document(self, gold: Clusters, predicted: Clusters) -> None:
        """Add the counts of one document."""
        if not self.keep_singletons:
            gold, predicted = drop_singletons(gold), drop_singletons(predicted)
        self.muc += muc(gold, predicted)
        self.b_cubed += b_cubed(gold, predicted)
        self.ceaf_phi4 += ceaf_phi4(gold, predicted)
        self.lea += lea(gold, predicted)
        self.mentions += mentions(gold, predicted)

    @property
    def conll_precision(self) -> float:
        """The mean precision of MUC, B3 and CEAF-phi4."""
        return (self.muc.precision + self.b_cubed.precision + self.ceaf_phi4.precision) / 3

    @property
    def conll_recall(self) -> float:
        """The mean recall of MUC, B3 and CEAF-phi4."""
        return (self.muc.recall + self.b_cubed.recall + self.ceaf_phi4.recall) / 3

    @property
    def conll_f1(self) -> float:
        """The mean F1 of MUC, B3 and CEAF-phi4: the score of the CoNLL 2011 and 2012 shared tasks."""
        return (self.muc.f1 + self.b_cubed.f1 + self.ceaf_phi4.f1) / 3


def _links(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return sizes * (sizes - 1) // 2


def _best_alignment(overlap: Overlap, similarity: NDArray[np.float64]) -> float:
    """The greatest total similarity of pairs that share no cluster.

    Pairs in different connected components of the overlap graph never compete, so each component is aligned
    separately: one matrix of all gold by all predicted clusters would not fit in memory for a long book.
    """
    if not len(similarity):
        return 0.0
    n_gold, n_predicted = len(overlap.gold_sizes), len(overlap.predicted_sizes)
    n_clusters = n_gold + n_predicted
    edges = (similarity, (overlap.gold_index, n_gold + overlap.predicted_index))
    _, component_of = connected_components(coo_array(edges, shape=(n_clusters, n_clusters)), directed=False)
    component = component_of[overlap.gold_index]
    by_component = np.argsort(component, kind="stable")
    boundaries = np.flatnonzero(np.diff(component[by_component])) + 1
    total = 0.0
    for pairs in np.split(by_component, boundaries):
        rows, row = np.unique(overlap.gold_index[pairs], return_inverse=True)
        columns, column = np.unique(overlap.predicted_index[pairs], return_inverse=True)
        weights = np.zeros((len(rows), len(columns)))
        weights[row, column] = similarity[pairs]
        total += float(weights[linear_sum_assignment(weights, maximize=True)].sum())
    return total
