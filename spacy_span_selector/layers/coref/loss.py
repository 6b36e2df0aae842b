"""The output of the coreference network, and its training objective (the paper, section 4.1), as a loss to minimise.

    L1 = - sum over gold spans s      log [ p(s) * sum over gold antecedents m of p(m | s) ]
    L2 = - sum over other spans s     log [ p(s) * p(no antecedent | s) + 1 - p(s) ]

The gold antecedents of a mention are the earlier mentions of its cluster, or "no antecedent" if there
are none. L2 leaves open whether a span outside the annotation is a mention, as long as it is not
linked. This suits *partial* annotation, in which mentions that corefer with nothing are not marked.
If every mention is marked, annotation is *complete*, and every other span is not a mention:

    L2' = - sum over other spans s    log [ 1 - p(s) ]

Where mentions have types, and the annotation of a document is of some of them, a span of another type may be a mention,
though none that is linked to a gold one: with the types D that are declared,

    L2'' = - sum over other spans s    log [ 1 - p(s, type in D) ] + p(s, type not in D) log [ 1 - p(gold mention | s) ]

whose last p(s) is held constant: if it learnt from links, spans of other types would be selected less and less, as what
is not selected has no wrong link. A gold mention has one of the types T that its annotation allows, so that p(s) in L1
is p(s, type in T).

"Other spans" are the candidates that are not gold. So that p does not saturate, log(1 - p) is also added for a
random sample of all spans that are not gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..selection.sampling import Annotation, Negatives
from ..selection.selectors import ANY_TYPES, GoldTypes, Selection
from ..selection.teaching import cross_entropy, selection_loss, weights_of_choices
from ..spans.layout import SpanLayout
from .linker import Links


@dataclass(frozen=True)
class GoldMentions:
    """Gold mentions, each with its cluster. No span occurs twice.

    starts, ends (Tensor): First and last token of each mention, as rows of the token matrix. Shape: (mentions,)
    clusters (Tensor): Number of the cluster, from 0, different across documents. Shape: (mentions,)
    annotated (Tensor): Which documents are annotated; the others are ignored in training. Shape: (documents,)
    types (GoldTypes): What is known of their types.
    """

    starts: Tensor
    ends: Tensor
    clusters: Tensor
    annotated: Tensor
    types: GoldTypes = ANY_TYPES

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each mention. Shape: (mentions,)"""
        return layout.flat_index(self.starts, self.ends)

    def cluster_of_span(self, layout: SpanLayout) -> Tensor:
        """The cluster of each span, below 0 if there is none. Shape: (layout.size,)"""
        none = torch.full((layout.size,), -1, device=self.clusters.device)
        return none.index_copy(0, self.flat_index(layout), self.clusters)


class CorefOutput(NamedTuple):
    """Network output for a batch: the spans that were linked, and the antecedents of each in its document."""

    selection: Selection
    links: Links

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from; none is computed from another."""
        return [*self.selection.tensors(), self.links.scores]

    def loss(self, gold: GoldMentions, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The negative log-likelihood of the gold clusters of a batch, per candidate of an annotated document."""
        selection, types = self.selection, gold.types
        gold_flat = gold.flat_index(layout)
        cluster_of_span = gold.cluster_of_span(layout)
        clusters = cluster_of_span[self.selection.candidates]
        learnt = gold.annotated[layout.document[self.selection.spans.starts]]
        # Drawn from all spans, so also from those that the selector leaves out of the candidates.
        sampled = negatives.draw(cluster_of_span >= 0, gold_flat, gold.annotated, layout)
        is_gold = clusters >= 0
        is_other = ~is_gold & learnt
        antecedent, none, apart = self.link_log_likelihood(clusters)
        others = self.selection.candidates[is_other]
        declared = types.declared_of(others, layout)
        other = selection.log_unless(others, declared)
        if annotation == "partial":
            other = torch.logaddexp(other, selection.log_selected(others, declared) + none[is_other])
        if declared is not None:
            other = other + selection.log_selected(others, ~declared).exp().detach() * apart[is_other]
        sampled = selection.log_unless(sampled, types.declared_of(sampled, layout))
        terms = [selection.log_selected(gold_flat, types.of_spans), antecedent[is_gold], other, sampled]
        return -torch.cat(terms).sum() / learnt.sum().clamp(min=1)

    def taught_loss(self, told: CorefOutput, layout: SpanLayout, labels: Sequence[int]) -> Tensor:
        """The loss by what a teacher says of the same candidates, per candidate; see `selection/teaching.py`."""
        candidates = len(self.selection.candidates)
        by_candidate = torch.zeros(candidates, 1 + candidates, device=self.links.scores.device)
        log_told = told.links.log_probabilities()
        columns = torch.where(told.links.possible, 1 + told.links.antecedents, 0)
        by_candidate.scatter_add_(1, columns, torch.where(told.links.possible, log_told[:, 1:].exp(), 0.0))
        by_candidate[:, 0] = log_told[:, 0].exp()
        columns = torch.where(self.links.possible, 1 + self.links.antecedents, 0)
        links = torch.where(self.links.possible, by_candidate.gather(1, columns), 0.0)
        links = (
            torch.cat([by_candidate[:, :1], links], dim=1) * weights_of_choices(self.selection, told.selection)[:, None]
        )
        loss = selection_loss(self.selection, told.selection, layout, labels)
        return (loss + cross_entropy(links, self.links.log_probabilities())) / max(1, candidates)

    def link_log_likelihood(self, clusters: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """log p(gold antecedents | s), log p(no antecedent | s) and log p(no gold antecedent | s) of each candidate.

        Shapes: (candidates,). The last is of the gold mentions of any cluster.

        A mention whose gold antecedents were all pruned by the coarse scorer is ignored: its first value is 0.

        clusters (Tensor): The gold cluster of each candidate, below 0 if there is none. Shape: (candidates,)
        """
        log_links = self.links.log_probabilities()
        right = self.gold_antecedents(clusters)
        kept = right.any(dim=1)
        # Without a gold antecedent among those that were kept, "no antecedent" is right: column 0.
        right = torch.cat([~kept[:, None], right], dim=1)
        log_likelihood = log_links.masked_fill(~right, -torch.inf).logsumexp(dim=1)
        lost = ~kept & ~_is_first_of_cluster(clusters)
        is_gold = self.links.possible & (clusters >= 0)[self.links.antecedents]
        apart = log_links[:, 1:].masked_fill(is_gold, -torch.inf)
        apart = torch.cat([log_links[:, :1], apart], dim=1).logsumexp(dim=1)
        return log_likelihood.masked_fill(lost, 0.0), log_links[:, 0], apart

    def gold_antecedents(self, clusters: Tensor) -> Tensor:
        """Mark the possible antecedents that are in the cluster of their candidate. Shape: (candidates, antecedents)"""
        antecedents, possible, _ = self.links
        return possible & (clusters[antecedents] == clusters[:, None]) & (clusters >= 0)[:, None]


def _is_first_of_cluster(clusters: Tensor) -> Tensor:
    """Mark the first candidate of each cluster, in the order of the text. Shape: (candidates,)"""
    order = torch.arange(len(clusters), device=clusters.device)
    marked = clusters + 1  # 0 for spans outside every cluster
    first = torch.full((int(marked.max()) + 1 if len(marked) else 1,), len(clusters), device=clusters.device)
    return order == first.scatter_reduce(0, marked, order, "amin")[marked]
