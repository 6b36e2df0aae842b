"""Strategies that turn scores into the set of spans that the linker or the role classifier sees.

At prediction a selector with a grammar keeps the best non-crossing set of spans; one without keeps the best spans one
by one. In training the most probable spans are kept, whether they cross or not, so that the linker and the role
classifier see competing spans even before the selector is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor

from ...wcfg import heaviest_set
from ..spans.layout import SpanLayout

Decoding = Literal["marginal", "map"]


class CandidateStrategy(Protocol):
    """Choose spans by their scores and log probabilities. Shape: (layout.size,)

    RETURNS (Tensor): Flat indices, in the order of the text: by start, then by end. Shape: (candidates,)
    """

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor: ...


@dataclass(frozen=True)
class Decode:
    """The best non-crossing set of spans of each sentence.

    decoding (Literal["marginal", "map"]): "map" keeps the highest-scoring tree (the paper, eq. 7); "marginal"
        the set with the greatest expected number of right spans, each costing `threshold` (Goodman 1996).
    threshold (float): A span is worth keeping, crossing spans aside, if its probability is above this.
        Not used by "map".
    """

    decoding: Decoding
    threshold: float

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        weights = self.weights(scores, log_marginals)
        flat = torch.nonzero(layout.valid() & (weights > 0)).squeeze(1)
        starts, ends = (column.cpu().numpy() for column in layout.locate(flat))
        keep = heaviest_set(starts, ends + 1, weights[flat].double().cpu().numpy())
        return in_text_order(flat[torch.from_numpy(keep).to(flat.device)], layout)

    def weights(self, scores: Tensor, log_marginals: Tensor) -> Tensor:
        """What each span adds to a set. Shape: (layout.size,)"""
        return scores if self.decoding == "map" else log_marginals.exp() - self.threshold


@dataclass(frozen=True)
class Undecoded:
    """Every span that `Decode` may keep, whether they cross or not.

    decode (Decode): Decides later, when more is known of these spans.
    most (float): How many spans of a sentence are kept at most, per token: see `AboveThreshold`. By the marginals of a
        grammar, fewer than 2 / t are above a threshold t.
    """

    decode: Decode
    most: float

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        weights = self.decode.weights(scores, log_marginals)
        return _at_most(self.most, layout.valid() & (weights > 0), weights, layout)


@dataclass(frozen=True)
class AboveThreshold:
    """Every span whose probability is above a threshold, whether they cross or not.

    most (float | None): How many spans of a sentence are kept at most, per token, rounded up: its most probable ones.
        No limit if None; then a network that is not trained yet, to which any span is probable, may keep so many that
        the rest of the network runs out of memory.
    """

    threshold: float
    most: float | None = None

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        above = layout.valid() & (log_marginals.exp() > self.threshold)
        return _at_most(self.most, above, log_marginals, layout)


def _at_most(most: float | None, chosen: Tensor, weights: Tensor, layout: SpanLayout) -> Tensor:
    """The flat indices of chosen spans; of a sentence that has more than `most` per token, of the heaviest."""
    if most is not None:
        counts = ((bucket.chart(chosen).flatten(1).sum(1), bucket.lengths) for bucket in layout.buckets)
        if any((count > torch.ceil(most * lengths)).any() for count, lengths in counts):
            weights = weights.masked_fill(~chosen, -torch.inf)
            return TopPerSentence(most)(weights, weights, layout)
    return in_text_order(torch.nonzero(chosen).squeeze(1), layout)


@dataclass(frozen=True)
class TopPerSentence:
    """The highest-scoring spans of each sentence, so many per token, rounded up, whether they cross or not."""

    ratio: float

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        scores = scores.masked_fill(~layout.valid(), -torch.inf)
        chosen = []
        # Sentences of a bucket want different numbers of spans: take the greatest number, then leave some out by rank.
        for bucket in layout.buckets:
            wanted = torch.ceil(self.ratio * bucket.lengths).long()
            charts = bucket.chart(scores).flatten(1)
            best = charts.topk(min(int(wanted.max()), charts.shape[1]), dim=1)
            rank = torch.arange(best.indices.shape[1], device=scores.device)
            first = bucket.offset + charts.shape[1] * torch.arange(len(charts), device=scores.device)
            kept = (rank < wanted[:, None]) & (best.values > -torch.inf)
            chosen.append((first[:, None] + best.indices)[kept])
        return in_text_order(torch.cat(chosen), layout) if chosen else layout.row[:0]


@dataclass(frozen=True)
class Given:
    """The given spans of documents that have some, and of other documents those that a strategy chooses.

    spans (Tensor): Flat index of each given span; none occurs twice. Shape: (spans,)
    closed (Tensor): Which documents have given spans, or an empty list of them. Shape: (documents,)
    """

    spans: Tensor
    closed: Tensor
    choose: CandidateStrategy

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        chosen = self.choose(scores, log_marginals, layout)
        starts, _ = layout.locate(chosen)
        return in_text_order(torch.cat([chosen[~self.closed[layout.document[starts]]], self.spans]), layout)


@dataclass(frozen=True)
class MostProbable:
    """The spans of a batch with the greatest marginals, so many per token."""

    ratio: float

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        # One top-k over the batch, not one a sentence: where few spans are likely, few are worth learning from.
        wanted = min(int(self.ratio * len(layout.document)), layout.size)
        likely = log_marginals.masked_fill(~layout.valid(), -torch.inf).topk(wanted)
        return in_text_order(likely.indices[likely.values > -torch.inf], layout)


BY_SENTENCE = (Decode, Undecoded, AboveThreshold, TopPerSentence)
"""Strategies that choose the spans of each sentence independently of the others."""


def in_text_order(flat: Tensor, layout: SpanLayout) -> Tensor:
    """Sort flat indices by start, then by end."""
    starts, ends = layout.locate(flat)
    return flat[torch.argsort(starts * len(layout.document) + ends)]
