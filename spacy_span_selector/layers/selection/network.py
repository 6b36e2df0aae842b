"""The part that all networks share: from token vectors to selected spans and their vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import torch
from pydantic import Field
from pydantic.dataclasses import dataclass
from torch import Tensor, nn

from ...signatures import CHECKED
from ..spans.computing import rows_at_once
from ..spans.layout import SpanLayout, Spans
from ..spans.scorer import SpanScorer
from .candidates import BY_SENTENCE, CandidateStrategy
from .selectors import LOG_ZERO, LaminarSelector, Marginals, Selection, Selector

Size = Annotated[int, Field(ge=1)]
Dropout = Annotated[float, Field(ge=0, lt=1)]

NEW = -1
"""Marks the row of a new label, among the numbers of rows that are kept."""

NEW_BIAS, NEW_TYPE_BIAS = -5.0, -12.0
"""The score of a label before anything has been learnt of it: so low that annotation stays as it was. One of a type
counts for each of the many spans that cross one."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class NetworkSettings:
    """Sizes of a network that selects spans.

    selector (Selector): How spans are selected.
    hidden_width (int): Hidden layer of the span scorer.
    feature_width (int): Width of the embedding of span widths.
    dropout (float): Dropout in the network and on the token vectors that it reads.
    max_span_width (int | None): Longest span that can be selected, in words. No limit if None; then long sentences
        cost the cube of their length, and are cut.
    bfloat16 (bool): Whether spans are projected, and pairs of them scored, in bfloat16 at prediction, where the device
        has instructions for it.
    """

    selector: Selector = LaminarSelector()
    hidden_width: Size = 512
    feature_width: Size = 20
    dropout: Dropout = 0.3
    max_span_width: Size | None = 256
    bfloat16: bool = True

    @property
    def band_width(self) -> int | None:
        """The greatest number of tokens of a span in a sentence of any length; None if long ones have to be cut."""
        return self.max_span_width if self.selector.takes_bands else None


class Candidates(NamedTuple):
    """The selected spans as the rest of the network sees them.

    vectors (Tensor): Shape: (candidates, vector_width)
    scores (Tensor): Their scores in links or roles. Shape: (candidates,)
    """

    selection: Selection
    vectors: Tensor
    scores: Tensor


def make_span_scorer(settings: NetworkSettings, width: int, types: int = 0) -> SpanScorer:
    """Make the scorer that a `SelectingHead` needs, of token vectors of some width, and so many types of spans."""
    weights = max(1, types)
    scorer = SpanScorer(
        width=width,
        hidden_width=settings.hidden_width,
        feature_width=settings.feature_width,
        scores=weights - 1 + settings.selector.scores + settings.selector.auxiliary_scores,
        dropout=settings.dropout,
        bfloat16=settings.bfloat16,
    )
    with torch.no_grad():  # so that at first spans weigh about 1, however many types they have
        scorer.output.bias[:weights] -= math.log(weights)
    return scorer


class SelectingHead(nn.Module):
    """A network, or a part of one, that scores the spans of a batch, chooses some, and represents these.

    Where spans have types, a span weighs the sum of what it weighs as each of them. So a grammar over sets of spans
    needs not know of types, and p(span, type) = p(span) p(type | span), with the share of the type in the sum.

    types (int): The number of types; 0 if spans have none.
    """

    settings: NetworkSettings
    span_scorer: SpanScorer
    types: int = 0

    def grow_types(self, types: int) -> None:
        """Take so many types, new ones last; the weights of the others stay.

        Where spans had no types, each gets an equal share of what they weigh.
        """
        known, output = self.types, self.span_scorer.output
        own = [*range(known), *[NEW] * (types - known)] if known else [0] * types
        self.span_scorer.output = grow_output(output, [*own, *range(max(1, known), output.out_features)], NEW_TYPE_BIAS)
        if not known:
            self.span_scorer.output.bias.data[:types] -= math.log(types)
        self.types = types

    def select(
        self, tokens: Tensor, layout: SpanLayout, choose: CandidateStrategy, types: Sequence[int] | None = None
    ) -> Candidates:
        """Score the spans of a batch, choose candidates, and represent these.

        At prediction the sentences of a long document are done in blocks if no sentence matters to another, so that the
        scores of all of its spans are never in memory at once.

        tokens (Tensor): Token vectors. Shape: (tokens, width)
        types (Sequence[int] | None): The numbers of the types of which spans are selected; None for all.
        """
        if torch.is_grad_enabled() or not layout.is_large or not isinstance(choose, BY_SENTENCE):
            selection, scores = self._select(tokens, layout, choose, types)
        else:
            blocks = [self._select(tokens, block, choose, types) for block in layout.blocks()]
            selection, scores = _join(blocks, len(tokens))
        # Last, as vectors are what takes most memory.
        vectors = self.span_scorer.represent(tokens, selection.spans.starts, selection.spans.ends)
        return Candidates(selection, vectors, scores)

    def _select(
        self, tokens: Tensor, layout: SpanLayout, choose: CandidateStrategy, types: Sequence[int] | None
    ) -> tuple[Selection, Tensor]:
        """Select spans with the scores of a whole layout at hand, and the score of each of them in links or roles.

        At prediction nothing is kept of the others, unless the strategy is one that may need them.
        """
        selector, most = self.settings.selector, self.settings.max_span_width
        scores = self.span_scorer(tokens, layout, most)
        weights = max(1, self.types)
        last = weights + selector.scores - 2
        # Even if both are the same row they must be two tensors, each with a gradient of its own.
        decision, auxiliary = scores[last], scores[last + 1 :]
        of_types = scores[:weights].split(rows_at_once(weights, scores.device), dim=1)  # blocks fit into the cache
        selection = torch.cat([some.logsumexp(0) for some in of_types]) if weights > 1 else scores[0]
        is_alone = not torch.is_grad_enabled() and isinstance(choose, BY_SENTENCE)
        shares = scores[:weights] if self.types else None  # as they are where only those of candidates are wanted
        if shares is not None and not (is_alone and types is None):
            shares = shares.log_softmax(0)
        if most is not None and any(bucket.shape[1] > most for bucket in layout.buckets):
            selection = selection.masked_fill(layout.widths() > most, -torch.inf)
        marginals = selector.marginals(selection, layout)
        if shares is not None and types is not None:
            selection, marginals, shares = _only_types(selection, marginals, shares, types)
        with torch.no_grad():
            candidates = choose(selection, marginals.selected, layout)
            spans = Spans(*layout.locate(candidates))
        decision = decision[candidates]
        if most is not None and (wide := spans.ends - spans.starts >= most).any():
            # Given ones: no others are wider, and training has none.
            given = spans.take(wide)
            decision[wide] = self.span_scorer.score_some(tokens, given.starts, given.ends)[last]
        found = Selection(selection, marginals, auxiliary, candidates, spans, shares)
        return _without_others(found) if is_alone else found, decision


def _without_others(selection: Selection) -> Selection:
    """The same candidates without what is known of other spans; `types` may be scores, or log probabilities."""
    which = selection.candidates
    return Selection(
        selection.scores[which],
        Marginals(*(column[which] if len(column) else column for column in selection.marginals)),
        selection.auxiliary[:, which],
        torch.arange(len(which), device=which.device),
        selection.spans,
        None if selection.types is None else selection.types[:, which].log_softmax(0),
    )


def _only_types(
    scores: Tensor, marginals: Marginals, shares: Tensor, types: Sequence[int]
) -> tuple[Tensor, Marginals, Tensor]:
    """The same as if spans had no other types than these. Spans of the others still cross them."""
    other = torch.ones(len(shares), dtype=torch.bool, device=shares.device)
    other[list(types)] = False
    kept = shares.masked_fill(other[:, None], LOG_ZERO)
    log_kept, log_other = kept.logsumexp(0), shares.masked_fill(~other[:, None], LOG_ZERO).logsumexp(0)
    selected, unselected = marginals
    others = torch.logaddexp(unselected, selected + log_other) if len(unselected) else unselected
    own = Marginals(selected + log_kept, others)
    return scores + log_kept, own, kept - log_kept


def _join(parts: Sequence[tuple[Selection, Tensor]], tokens: int) -> tuple[Selection, Tensor]:
    """The candidates of all blocks in the order of the text."""
    selections, scores = zip(*parts, strict=True)
    spans = Spans(*(torch.cat([getattr(part.spans, side) for part in selections]) for side in ("starts", "ends")))
    order = torch.argsort(spans.starts * tokens + spans.ends)
    types = [part.types for part in selections if part.types is not None]
    joined = Selection(
        torch.cat([part.scores for part in selections]),
        Marginals(*map(torch.cat, zip(*(part.marginals for part in selections), strict=True))),
        torch.cat([part.auxiliary for part in selections], dim=1),
        order,
        spans.take(order),
        torch.cat(types, dim=1) if len(types) == len(selections) else None,
    )
    return _without_others(joined), torch.cat(scores)[order]


def take_rows(weight: Tensor, rows: Sequence[int], new: Tensor | float) -> nn.Parameter:
    """Make weights whose rows are those of others, by number, or `new` where that is NEW: more labels for a network
    that has been trained. Shape: (rows, ...)"""
    old = weight.detach()
    padded = torch.cat([old, torch.zeros_like(old[:1]) + new])  # NEW, which is -1, is the last row
    return nn.Parameter(padded[torch.tensor(rows, device=old.device)])


def grow_output(output: nn.Linear, rows: Sequence[int], bias: float = NEW_BIAS) -> nn.Linear:
    """Make a layer of scores for other labels, by the number of the row of each in the old one; NEW ones have the bias
    for all that is scored."""
    grown = nn.Linear(output.in_features, len(rows), device=output.weight.device)
    grown.weight, grown.bias = take_rows(output.weight, rows, 0.0), take_rows(output.bias, rows, bias)
    return grown


def new_rows(weight: Tensor) -> Tensor:
    """Mark the rows of NEW labels of which nothing has been learnt. Shape: (rows,) or (rows, 1)"""
    if weight.dim() < 2:
        return (weight == NEW_BIAS) | (weight == NEW_TYPE_BIAS)
    return (weight == 0).all(dim=-1, keepdim=True)
