"""From token vectors to selected spans and their vectors: the part of the network that both components share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..spans.layout import SpanLayout, Spans
from ..spans.scorer import SpanScorer
from .candidates import BY_SENTENCE, CandidateStrategy
from .selectors import Marginals, SpanSelector


class Selection(NamedTuple):
    """The spans of a batch that were selected, and the scores that they were selected by.

    scores (Tensor): Score of every span, flat; of the selected ones alone, if they were selected block by block.
        Shape: (layout.size,) or (candidates,)
    marginals (Marginals): Probability of every span, or of every selected one, likewise.
    candidates (Tensor): Where each selected span is in these, in the order of the text. Shape: (candidates,)
    spans (Spans): Their tokens.
    """

    scores: Tensor
    marginals: Marginals
    candidates: Tensor
    spans: Spans

    def confidence(self, selector: SpanSelector) -> Tensor:
        """What the selector reports as the score of each selected span, from 0 to 1. Shape: (candidates,)"""
        return selector.confidence(self.scores[self.candidates], self.marginals.selected[self.candidates])


class Candidates(NamedTuple):
    """What the rest of the network gets of a selection.

    selection (Selection): The selected spans.
    vectors (Tensor): Their vectors. Shape: (candidates, vector_width)
    scores (Tensor): Score of every span in links or roles, with the indices of the selection. Shape: (layout.size,) or
        (candidates,)
    second_task (Tensor): Scores of the second task, likewise. Shape: (classes, layout.size or candidates)
    """

    selection: Selection
    vectors: Tensor
    scores: Tensor
    second_task: Tensor


def make_span_scorer(
    selector: SpanSelector,
    *,
    width: int,
    hidden_width: int,
    feature_width: int,
    dropout: float,
    classes: int = 0,
    bfloat16: bool = False,
) -> SpanScorer:
    """Make the scorer of spans that `select_spans` needs.

    A selector with probabilities has a score of its own, s_p, beside the score s_m that counts in links or roles; a
    greedy one ranks spans by s_m itself (Lee et al. 2017).

    selector (SpanSelector): How spans are selected.
    classes (int): Classes of a second task.
    The other arguments are those of `SpanScorer`.
    """
    scores = (2 if selector.has_probabilities else 1) + classes
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
    selector: SpanSelector,
    tokens: Tensor,
    layout: SpanLayout,
    choose: CandidateStrategy,
    *,
    max_span_width: int | None,
    classes: int = 0,
) -> Candidates:
    """Score the spans of a batch, choose candidates, and represent these.

    At prediction the sentences of a long document are done in blocks if no sentence matters to another, so that the
    scores of all of its spans are never in memory at once.

    scorer (SpanScorer): From `make_span_scorer`.
    selector (SpanSelector): How spans are selected.
    tokens (Tensor): Token vectors. Shape: (tokens, width)
    layout (SpanLayout): The sentences of the batch.
    choose (CandidateStrategy): Which spans to keep.
    max_span_width (int | None): Longest span that can be selected, in tokens. No limit if None.
    classes (int): Classes of a second task.
    """
    arguments = (choose, max_span_width, classes)
    if torch.is_grad_enabled() or not layout.is_large or not isinstance(choose, BY_SENTENCE):
        return _select(scorer, selector, tokens, layout, *arguments)
    return _join(
        [_without_others(_select(scorer, selector, tokens, block, *arguments)) for block in layout.blocks()],
        len(tokens),
    )


def _select(
    scorer: SpanScorer,
    selector: SpanSelector,
    tokens: Tensor,
    layout: SpanLayout,
    choose: CandidateStrategy,
    max_span_width: int | None,
    classes: int,
) -> Candidates:
    """Select spans with the scores of all of a layout at once."""
    scores = scorer(tokens, layout, max_span_width)
    # Even if both are the same row they must be two tensors, each with a gradient of its own.
    selection, decision = scores[0], scores[-1 - classes]
    if max_span_width is not None:
        selection = selection.masked_fill(layout.widths() > max_span_width, -torch.inf)
    marginals = selector.marginals(selection, layout)
    with torch.no_grad():
        candidates = choose(selection, marginals.selected, layout)
        spans = Spans(*layout.locate(candidates))
    if max_span_width is not None and (wide := spans.ends - spans.starts >= max_span_width).any():
        # Given ones: no others are wider, and training has none.
        given = spans.take(wide)
        decision = decision.index_put(
            (candidates[wide],), scorer.score_some(tokens, given.starts, given.ends)[-1 - classes]
        )
    return Candidates(
        selection=Selection(selection, marginals, candidates, spans),
        vectors=scorer.represent(tokens, spans.starts, spans.ends),
        scores=decision,
        second_task=scores[len(scores) - classes :],
    )


def _without_others(found: Candidates) -> Candidates:
    """The same candidates without what is known of other spans."""
    selection = found.selection
    which = selection.candidates
    return Candidates(
        Selection(
            selection.scores[which],
            Marginals(*(column[which] for column in selection.marginals)),
            torch.arange(len(which), device=which.device),
            selection.spans,
        ),
        found.vectors,
        found.scores[which],
        found.second_task[:, which],
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
            torch.arange(len(order), device=order.device),
            Spans(starts[order], ends[order]),
        ),
        torch.cat([part.vectors for part in parts])[order],
        torch.cat([part.scores for part in parts])[order],
        torch.cat([part.second_task for part in parts], dim=1)[:, order],
    )
