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

    A selector with probabilities has a score of its own, s_p, beside the score s_m that counts in links or roles; a
    greedy one ranks spans by s_m itself (Lee et al. 2017).

    selector (Selector): How spans are selected.
    The other arguments are those of `SpanScorer`.
    """
    scores = (2 if selector.has_probabilities else 1) + selector.auxiliary_scores
    return SpanScorer(
        width=width,
        hidden_width=hidden_width,
        feature_width=feature_width,
        scores=scores,
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
        return _select(scorer, selector, tokens, layout, choose, max_span_width)
    return _join(
        [
            _without_others(_select(scorer, selector, tokens, block, choose, max_span_width))
            for block in layout.blocks()
        ],
        len(tokens),
    )


def _select(
    scorer: SpanScorer,
    selector: Selector,
    tokens: Tensor,
    layout: SpanLayout,
    choose: CandidateStrategy,
    max_span_width: int | None,
) -> Candidates:
    """Select spans with the scores of all of a layout at once."""
    scores = scorer(tokens, layout, max_span_width)
    last = len(scores) - 1 - selector.auxiliary_scores
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
    return Candidates(
        selection=Selection(selection, marginals, auxiliary, candidates, spans),
        vectors=scorer.represent(tokens, spans.starts, spans.ends),
        scores=decision,
    )


def _without_others(found: Candidates) -> Candidates:
    """The same candidates without what is known of other spans."""
    selection = found.selection
    which = selection.candidates
    return Candidates(
        Selection(
            selection.scores[which],
            Marginals(*(column[which] for column in selection.marginals)),
            selection.auxiliary[:, which],
            torch.arange(len(which), device=which.device),
            selection.spans,
        ),
        found.vectors,
        found.scores[which],
    )


def _join(parts: Sequence[Candidates], tokens: int) -> Candidates:
    """The candidates of all blocks in the order of the text."""
    starts = torch.cat([part.selection.spans.starts for part in parts])
    ends = torch.cat([part.selection.spans.ends for part in parts])
    order = torch.argsort(starts * tokens + ends)
    marginals = zip(*(part.selection.marginals for part in parts), strict=True)
    return Candidates(
        Selection(
            torch.cat([part.selection.scores for part in parts])[order],
            Marginals(*(torch.cat(column)[order] for column in marginals)),
            torch.cat([part.selection.auxiliary for part in parts], dim=1)[:, order],
            torch.arange(len(order), device=order.device),
            Spans(starts[order], ends[order]),
        ),
        torch.cat([part.vectors for part in parts])[order],
        torch.cat([part.scores for part in parts])[order],
    )
