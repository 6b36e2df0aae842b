"""From token vectors to selected spans and their vectors: the part of the network that both components share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..spans.layout import SpanLayout, Spans
from ..spans.scorer import SpanScorer
from .candidates import BY_SENTENCE, CandidateStrategy
from .selectors import Marginals, Selection, Selector


class Candidates(NamedTuple):
    """The selected spans as the rest of the network sees them.

    selection (Selection): The selected spans.
    vectors (Tensor): Their vectors. Shape: (candidates, vector_width)
    scores (Tensor): Score of every span in links or roles, with the indices of the selection. Shape: (layout.size,) or
        (candidates,)
    """

    selection: Selection
    vectors: Tensor
    scores: Tensor


def make_span_scorer(
    selector: Selector,
    *,
    width: int,
    hidden_width: int,
    feature_width: int,
    dropout: float,
    bfloat16: bool = False,
) -> SpanScorer:
    """Make the scorer of spans that `select_spans` needs.

    selector (Selector): How spans are selected.
    The other arguments are those of `SpanScorer`.
    """
    return SpanScorer(
        width=width,
        hidden_width=hidden_width,
        feature_width=feature_width,
        scores=selector.scores + selector.auxiliary_scores,
        dropout=dropout,
        bfloat16=bfloat16,
    )


def select_spans(
    scorer: SpanScorer,
    selector: Selector,
    tokens: Tensor,
    layout: SpanLayout,
    choose: CandidateStrategy,
    *,
    max_span_width: int | None,
) -> Candidates:
    """Score the spans of a batch, choose candidates, and represent these.

    At prediction the sentences of a long document are done in blocks if no sentence matters to another, so that the
    scores of all of its spans are never in memory at once.

    scorer (SpanScorer): From `make_span_scorer`.
    selector (Selector): How spans are selected.
    tokens (Tensor): Token vectors. Shape: (tokens, width)
    layout (SpanLayout): The sentences of the batch.
    choose (CandidateStrategy): Which spans to keep.
    max_span_width (int | None): Longest span that can be selected, in tokens. No limit if None.
    """
    if torch.is_grad_enabled() or not layout.is_large or not isinstance(choose, BY_SENTENCE):
        selection, scores = _select(scorer, selector, tokens, layout, choose, max_span_width)
    else:
        blocks = (_select(scorer, selector, tokens, block, choose, max_span_width) for block in layout.blocks())
        selection, scores = _join([_without_others(*block) for block in blocks], len(tokens))
    # Last, as vectors are what takes most memory.
    vectors = scorer.represent(tokens, selection.spans.starts, selection.spans.ends)
    return Candidates(selection, vectors, scores)


def _select(
    scorer: SpanScorer,
    selector: Selector,
    tokens: Tensor,
    layout: SpanLayout,
    choose: CandidateStrategy,
    max_span_width: int | None,
) -> tuple[Selection, Tensor]:
    """Select spans with the scores of all of a layout at once; what `Candidates` has but vectors."""
    scores = scorer(tokens, layout, max_span_width)
    last = selector.scores - 1
    # Even if both are the same row they must be two tensors, each with a gradient of its own.
    selection, decision, auxiliary = scores[0], scores[last], scores[last + 1 :]
    if max_span_width is not None:
        selection = selection.masked_fill(layout.widths() > max_span_width, -torch.inf)
    marginals = selector.marginals(selection, layout)
    with torch.no_grad():
        candidates = choose(selection, marginals.selected, layout)
        spans = Spans(*layout.locate(candidates))
    if max_span_width is not None and (wide := spans.ends - spans.starts >= max_span_width).any():
        # Given ones: no others are wider, and training has none.
        given = spans.take(wide)
        own = scorer.score_some(tokens, given.starts, given.ends)[last]
        decision = decision.index_put((candidates[wide],), own)
    return Selection(selection, marginals, auxiliary, candidates, spans), decision


def _without_others(selection: Selection, scores: Tensor) -> tuple[Selection, Tensor]:
    """The same candidates without what is known of other spans."""
    which = selection.candidates
    own = Selection(
        selection.scores[which],
        Marginals(*(column[which] for column in selection.marginals)),
        selection.auxiliary[:, which],
        torch.arange(len(which), device=which.device),
        selection.spans,
    )
    return own, scores[which]


def _join(parts: Sequence[tuple[Selection, Tensor]], tokens: int) -> tuple[Selection, Tensor]:
    """The candidates of all blocks in the order of the text."""
    selections, scores = zip(*parts, strict=True)
    starts = torch.cat([part.spans.starts for part in selections])
    ends = torch.cat([part.spans.ends for part in selections])
    order = torch.argsort(starts * tokens + ends)
    marginals = zip(*(part.marginals for part in selections), strict=True)
    joined = Selection(
        torch.cat([part.scores for part in selections])[order],
        Marginals(*(torch.cat(column)[order] for column in marginals)),
        torch.cat([part.auxiliary for part in selections], dim=1)[:, order],
        torch.arange(len(order), device=order.device),
        Spans(starts[order], ends[order]),
    )
    return joined, torch.cat(scores)[order]
