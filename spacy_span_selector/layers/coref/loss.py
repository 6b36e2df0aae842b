"""The training objective of coreference (the paper, section 4.1), as a loss to minimise.

    L1 = - sum over gold spans s      log [ p(s) * sum over gold antecedents m of p(m | s) ]
    L2 = - sum over other spans s     log [ p(s) * p(no antecedent | s) + 1 - p(s) ]

The gold antecedents of a mention are the earlier mentions of its cluster, or "no antecedent" if there
are none. L2 leaves open whether a span outside the annotation is a mention, as long as it is not
linked. This suits *partial* annotation, in which mentions that corefer with nothing are not marked.
If every mention is marked, annotation is *complete*, and every other span is not a mention:

    L2' = - sum over other spans s    log [ 1 - p(s) ]

Then the linker learns nothing about the spans that are no mentions, although those that are selected by mistake are
linked, too. With a weight w, each is taught to have no antecedent as far as it is selected, p^ being p without a
gradient:

    L2'' = - w * sum over other spans s    p^(s) log p(no antecedent | s)

"Other spans" are the candidates that are not gold. So that p does not saturate, log(1 - p) is also added for a
random sample of all spans that are not gold.

A selector without probabilities, the greedy baseline, learns only from the links of its candidates (Lee et al. 2017):

    L3 = - sum over candidates s      log [ sum over gold antecedents m of p(m | s) ]

"no antecedent" being correct if no gold antecedent was kept. If annotation is complete, mentions that corefer with
nothing are known, but links do not tell them from other spans. So the score that ranks spans is also trained as the
logit of being a mention, for the candidates and the gold mentions (Xu and Choi 2020, their mention loss).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..selection.sampling import Annotation, Negatives
from ..selection.selectors import Selector
from ..spans.layout import SpanLayout
from .network import CorefOutput


@dataclass(frozen=True)
class GoldMentions:
    """Gold mentions, each with its cluster. No span occurs twice.

    starts, ends (Tensor): First and last token of each mention, as rows of the token matrix. Shape: (mentions,)
    clusters (Tensor): Number of the cluster, from 0, different across documents. Shape: (mentions,)
    annotated (Tensor): Which documents are annotated; the others are ignored in training. Shape: (documents,)
    """

    starts: Tensor
    ends: Tensor
    clusters: Tensor
    annotated: Tensor

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each mention. Shape: (mentions,)"""
        return layout.flat_index(self.starts, self.ends)


def coref_loss(
    output: CorefOutput,
    gold: GoldMentions,
    layout: SpanLayout,
    *,
    selector: Selector,
    annotation: Annotation,
    negatives: Negatives,
    link_non_mentions: float = 0.0,
) -> Tensor:
    """The negative log-likelihood of the gold clusters of a batch, per candidate of an annotated document.

    output (CorefOutput): The output of the network.
    gold (GoldMentions): The annotation.
    layout (SpanLayout): The sentences of the batch.
    selector (Selector): How mentions are selected.
    annotation (Literal["complete", "partial"]): Whether a span that is not annotated may be a mention.
    negatives (Negatives): Which other spans to sample; not used without probabilities.
    link_non_mentions (float): The weight w; not used without probabilities, nor with partial annotation.
    RETURNS (Tensor): A scalar.
    """
    gold_flat = gold.flat_index(layout)
    cluster_of_span = torch.full((layout.size,), -1, device=gold_flat.device).index_copy(0, gold_flat, gold.clusters)
    clusters = cluster_of_span[output.selection.candidates]
    learnt = gold.annotated[layout.document[output.selection.spans.starts]]
    if selector.has_probabilities:
        sampled = negatives.draw(cluster_of_span >= 0, gold_flat, gold.annotated, layout)
        terms = _selection_terms(output, clusters, learnt, gold_flat, annotation, link_non_mentions)
        terms.append(output.selection.marginals.unselected[sampled])
    else:
        terms = _greedy_terms(output, clusters, learnt, gold_flat, annotation)
    return -torch.cat(terms).sum() / learnt.sum().clamp(min=1)


def _selection_terms(
    output: CorefOutput,
    clusters: Tensor,
    learnt: Tensor,
    gold_flat: Tensor,
    annotation: Annotation,
    link_non_mentions: float,
) -> list[Tensor]:
    """The log-likelihoods that L1, and L2 or L2' and L2'', add up.

    clusters (Tensor): The gold cluster of each candidate, below 0 if there is none. Shape: (candidates,)
    learnt (Tensor): Which candidates are in annotated documents. Shape: (candidates,)
    gold_flat (Tensor): Flat index of each gold mention. Shape: (mentions,)
    """
    log_p, log_not_p = output.selection.marginals
    is_gold = clusters >= 0
    is_other = ~is_gold & learnt
    antecedent, none = _link_log_likelihood(output, clusters)
    others = output.selection.candidates[is_other]
    if annotation == "complete":
        other = log_not_p[others]
        if link_non_mentions:
            other = other + link_non_mentions * log_p[others].detach().exp() * none[is_other]
    else:
        other = torch.logaddexp(log_p[others] + none[is_other], log_not_p[others])
    return [log_p[gold_flat], antecedent[is_gold], other]


def _greedy_terms(
    output: CorefOutput, clusters: Tensor, learnt: Tensor, gold_flat: Tensor, annotation: Annotation
) -> list[Tensor]:
    """The log-likelihoods that L3 adds up; the arguments are those of `_selection_terms`."""
    antecedent, none = _link_log_likelihood(output, clusters)
    right = torch.where(_gold_antecedents(output, clusters).any(dim=1), antecedent, none)
    terms = [right[learnt]]
    if annotation == "complete":
        log_p, log_not_p = output.selection.marginals
        terms += [log_p[gold_flat], log_not_p[output.selection.candidates[learnt & (clusters < 0)]]]
    return terms


def _link_log_likelihood(output: CorefOutput, clusters: Tensor) -> tuple[Tensor, Tensor]:
    """log p(gold antecedents | s) and log p(no antecedent | s) of each candidate. Shapes: (candidates,)

    A mention whose gold antecedents were all pruned by the coarse scorer is ignored: its first value is 0.
    """
    scores = output.links.scores
    log_links = torch.cat([scores.new_zeros(len(scores), 1), scores], dim=1).log_softmax(dim=1)
    right = _gold_antecedents(output, clusters)
    kept = right.any(dim=1)
    right = torch.cat([~kept[:, None], right], dim=1)
    log_likelihood = log_links.masked_fill(~right, -torch.inf).logsumexp(dim=1)
    lost = ~kept & ~_is_first_of_cluster(clusters)
    return log_likelihood.masked_fill(lost, 0.0), log_links[:, 0]


def _gold_antecedents(output: CorefOutput, clusters: Tensor) -> Tensor:
    """Mark the possible antecedents that are in the cluster of their candidate. Shape: (candidates, antecedents)"""
    antecedents, possible, _ = output.links
    return possible & (clusters[antecedents] == clusters[:, None]) & (clusters >= 0)[:, None]


def _is_first_of_cluster(clusters: Tensor) -> Tensor:
    """Mark the first candidate of each cluster, in the order of the text. Shape: (candidates,)"""
    order = torch.arange(len(clusters), device=clusters.device)
    marked = clusters + 1  # 0 for spans outside every cluster
    first = torch.full((int(marked.max()) + 1 if len(marked) else 1,), len(clusters), device=clusters.device)
    return order == first.scatter_reduce(0, marked, order, "amin")[marked]
