"""The training objective of coreference (the paper, section 4.1), as a loss to minimise.

    L1 = - sum over gold spans s      log [ p(s) * sum over gold antecedents m of p(m | s) ]
    L2 = - sum over other spans s     log [ p(s) * p(no antecedent | s) + 1 - p(s) ]

The gold antecedents of a mention are the earlier mentions of its cluster, or "no antecedent" if there
are none. L2 leaves open whether a span outside the annotation is a mention, as long as it is not
linked: right where annotation is *partial* because mentions that corefer with nothing are not marked.
Where every mention is marked, annotation is *complete*, and another span is simply not selected:

    L2' = - sum over other spans s    log [ 1 - p(s) ]

"Other spans" are the candidates that are not gold. So that p does not saturate, log(1 - p) is also added for a
random sample of all spans that are not gold.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .coref import CorefOutput
from .gold import GoldMentions
from .layout import SpanLayout
from .sampling import Annotation, sample_spans


def coref_loss(
    output: CorefOutput, gold: GoldMentions, layout: SpanLayout, *, annotation: Annotation, negatives: float
) -> Tensor:
    """The negative log-likelihood of the gold clusters of a batch, per candidate of an annotated document.

    output (CorefOutput): What the network says.
    gold (GoldMentions): The annotation.
    layout (SpanLayout): The sentences of the batch.
    annotation (Literal["complete", "partial"]): Whether a span that is not annotated may be a mention.
    negatives (float): How many other spans to sample, per token.
    RETURNS (Tensor): A scalar.
    """
    log_p, log_not_p = output.marginals
    gold_flat = gold.flat_index(layout)
    cluster_of_span = torch.full((layout.size,), -1, device=log_p.device).index_copy(0, gold_flat, gold.clusters)
    clusters = cluster_of_span[output.candidates]
    is_gold = clusters >= 0

    antecedent, none = _link_log_likelihood(output, clusters)
    is_other = ~is_gold & gold.annotated[layout.document[output.starts]]
    others = output.candidates[is_other]
    if annotation == "complete":
        other = log_not_p[others]
    else:
        other = torch.logaddexp(log_p[others] + none[is_other], log_not_p[others])
    sampled = sample_spans(cluster_of_span < 0, gold.annotated, layout, negatives)
    terms = [log_p[gold_flat], antecedent[is_gold], other, log_not_p[sampled]]
    return -torch.cat(terms).sum() / (is_gold | is_other).sum().clamp(min=1)


def _link_log_likelihood(output: CorefOutput, clusters: Tensor) -> tuple[Tensor, Tensor]:
    """log p(gold antecedents | s) and log p(no antecedent | s) of each candidate. *Shapes:* `(candidates,)`

    A mention all of whose gold antecedents fell to the coarse scorer says nothing: its first value is 0.
    """
    antecedents, possible, scores = output.links
    log_links = torch.cat([scores.new_zeros(len(scores), 1), scores], dim=1).log_softmax(dim=1)
    right = possible & (clusters[antecedents] == clusters[:, None]) & (clusters >= 0)[:, None]
    kept = right.any(dim=1)
    right = torch.cat([~kept[:, None], right], dim=1)
    log_likelihood = log_links.masked_fill(~right, -torch.inf).logsumexp(dim=1)
    lost = ~kept & ~_is_first_of_cluster(clusters)
    return log_likelihood.masked_fill(lost, 0.0), log_links[:, 0]


def _is_first_of_cluster(clusters: Tensor) -> Tensor:
    """Which candidates are the first of their cluster, in the order of the text. *Shape:* `(candidates,)`"""
    order = torch.arange(len(clusters), device=clusters.device)
    marked = clusters + 1  # 0 for spans outside every cluster
    first = torch.full((int(marked.max()) + 1 if len(marked) else 1,), len(clusters), device=clusters.device)
    return order == first.scatter_reduce(0, marked, order, "amin")[marked]
