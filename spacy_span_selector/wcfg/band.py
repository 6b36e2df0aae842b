"""The laminar grammar over narrow spans: exact for any length of sentence, in time and memory that grow with it.

Spans of more than `most` words are forbidden. What is inside a narrow span, and what is outside it within a narrow one,
are then sums of charts of narrow spans. A span that lies in no other one of its derivation is a link of a chain along
the sentence (`chain`); see docs/grammar.md. Scores are given by first token and width, not by first and last token. All
values of the sweeps but those of the chain are logarithms to base 2; those outside are relative to the sum over all
sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad, softplus

from .band_charts import BandCharts, band_to_chart, chart_to_band, greatest_around
from .chain import Chain, run_back, run_chain
from .grammar import FORBIDDEN, IDENTITY, Grammar
from .laminar import ROUNDING, LaminarSets, level, log_sum
from .triangle import to_end, to_start
from .validation import validate_band


class LaminarBandGrammar(Grammar):
    """Each set of non-crossing narrow spans is a derivation.

    Its functions are those of the other grammars, but `scores[b, i, w]` is the score of the span of w + 1 tokens that
    starts at token i, of shape (batch, n, most); and so are their results.
    """

    is_precise = False  # a chart for each span that is almost certain would take the square of a long sentence

    def first_and_last(self, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        validate_band(scores, lengths)
        _, tokens, most = scores.shape
        first = torch.arange(tokens, device=scores.device)[:, None]
        return first, first + torch.arange(most, device=scores.device)

    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        _, tokens, most = scores.shape
        scores = scores.masked_fill(~chord, FORBIDDEN).clamp(min=FORBIDDEN)
        log_partition, log_allowed = _LaminarBands.apply(scores[:, :, :tokens], lengths)
        return log_partition, pad(log_allowed, (0, max(0, most - tokens)))


class _LaminarBands(LaminarSets):
    """Sum over all sets of non-crossing narrow spans, as `laminar` does over all. Shapes: (batch, n, most), (batch,)"""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        selected = band_to_chart(scores, FORBIDDEN)
        either = softplus(selected, threshold=IDENTITY)
        most = scores.shape[2]
        chords = (most * lengths - most * (most - 1) // 2 - lengths).clamp(min=1)
        constant = level(scores, either, lengths, chords)
        word = torch.arange(scores.shape[1], device=scores.device)[:, None] < lengths
        selected = to_end(selected)
        weights = torch.stack([selected, either, selected]).div_(math.log(2))
        sums = sweep(weights, torch.where(word, -constant, 0.0) / math.log(2))
        log_allowed = chart_to_band(log_free(sums).mul_(math.log(2)).clamp_(max=0))
        inside, below, outside, above, chain = sums
        ctx.save_for_backward(scores, log_allowed, weights, inside.values, below, outside.values, above.values, *chain)
        ctx.set_materialize_grads(False)
        ctx.propagate = _propagate
        return chain.total.to(scores.dtype) + constant * lengths, log_allowed


def _propagate(swept: Sequence[Tensor], grad_partition: Tensor, grad_allowed: Tensor) -> Iterator[Tensor]:
    weights, inside, below, outside, above, *chain = swept
    sums = BandSums(
        *(BandCharts(inside, end_first=True), below, BandCharts(outside)),
        *(BandCharts(above, end_first=True), Chain(*chain)),
    )
    # There is no gradient where there is no chord: log_allowed is masked there.
    gradient = sweep_back(weights, sums, grad_partition, band_to_chart(grad_allowed, 0.0))
    return map(chart_to_band, (to_start(gradient.by_end), gradient.by_start))


class BandSums(NamedTuple):
    """The log sums of both sweeps: those of `laminar.sweep`, a right child being one that may be a link of the chain;
    and over what is before, and behind, each boundary."""

    inside: BandCharts
    below: Tensor
    outside: BandCharts
    above: BandCharts
    chain: Chain


def sweep(weights: Tensor, words: Tensor) -> BandSums:
    """Sum over what is inside each span, along the sentence, and over what is outside.

    weights (Tensor): Log weights: charts of selected spans by end, of either by start, and of selected ones by end.
    words (Tensor): Log weight of each word. Shape: (n, batch)
    """
    inward, outward = BandCharts(weights[:2], end_first=True), BandCharts(weights[1:])
    batch = words.shape[1]
    chart = inward.by_start
    most = len(chart) - 1
    inside = BandCharts.full(chart, 0.0, end_first=True)
    below = torch.zeros_like(chart).flatten(1)
    inside.spans(1)[:] = words.flatten()
    for width in range(2, most + 1):
        for first, after in inside.blocks(width, width - 1):
            sums = below[width, first * batch : after * batch]
            right, left = inside.block_parts(width, first, after).unbind(1)
            log_sum(left, right, out=sums)
            torch.add(sums, inward.block(width, first, after), out=inside.block(width, first, after))

    chain = run_chain(inside.by_end, to_start(inside.by_end))
    outside = BandCharts.full(chart, FORBIDDEN)
    above = BandCharts.full(chart, FORBIDDEN, end_first=True)
    for width in range(most, 1, -1):
        for first, after in above.blocks(width, 2 * (most - width)):
            sums = outside.block(width, first, after)
            if width < most:
                # Where a span has no parent of some width, `above` is forbidden.
                log_sum(above.block_parents(width, first, after), inside.block_siblings(width, first, after), out=sums)
            torch.logaddexp2(sums[1], around(chain, width, first, after).to(sums.dtype), out=sums[1])
            as_left, as_right = (sums + outward.block(width, first, after)).unbind()
            above.block(width, first, after).copy_(torch.logaddexp2(as_left, as_right))
    outside.spans(1)[:] = -FORBIDDEN  # the outside of words is constant: the share of each term in it is 0
    return BandSums(inside, below, outside, above, chain)


def around(chain: Chain, width: int, first: int, after: int) -> Tensor:
    """The log sum over what is before and behind links of one width, to base 2. Shape: ((after - first) * batch,)"""
    sums = chain.before[first:after] + chain.behind[first + width : after + width] - chain.total
    return sums.flatten() / math.log(2)


def log_free(sums: BandSums) -> Tensor:
    """The log probability that no selected span crosses a span, and 0 where it is rounding error.

    As in `laminar`; here the error is that of the sums within narrow spans, and that of the chain, which is far
    less in float32. A chart by start. Shape: (most + 1, m, batch)
    """
    inside = sums.inside.by_start
    result = torch.logaddexp2(sums.outside.by_start, to_start(sums.outside.by_end)).add_(inside)
    error = greatest_around(inside.abs()).add_(1.0).mul_(torch.finfo(result.dtype).eps).add_(sums.chain.rounding)
    return result.masked_fill_(error.mul_(ROUNDING).add_(result) > 0, 0.0)


def sweep_back(weights: Tensor, sums: BandSums, grad_total: Tensor, grad_free: Tensor) -> BandCharts:
    """Propagate the gradients of the log sum over all sets and of `log_free` back through both sweeps.

    Each sweep runs in reverse, and recomputes the share of each term in its sum.

    grad_total, grad_free (Tensor): As for `laminar.sweep_back`. Shapes: (batch,) and (most + 1, m, batch)
    RETURNS (BandCharts): The gradients with respect to the weights of left children by start, then of right ones by
        end.
    """
    inside, below, outside, above, chain = sums
    rows, corners, batch = grad_free.shape
    left, right = outside.by_start, to_start(outside.by_end)
    either = torch.logaddexp2(left, right)
    grad_left, grad_right = ((part - either).exp2_().mul_(grad_free) for part in (left, right))
    grad_outside = BandCharts(torch.stack([grad_left, to_end(grad_right)]))
    shares = BandCharts(outside.values + weights[1:])
    shares.by_start.sub_(above.by_start).exp2_()
    shares.by_end.sub_(above.by_end).exp2_()
    grad_weights = BandCharts.full(grad_free, 0.0)
    grad_inside = BandCharts.full(grad_free, 0.0, end_first=True)
    grad_chain = Chain(*(torch.zeros_like(column) for column in chain))

    for width in range(2, rows):
        for first, after in inside.blocks(width, 2 * (width - 1)):
            flow = inside.block_parts(width, first, after) + above.block(width, first, after)[1]
            own = grad_outside.block_parts(width, first, after)
            flow.sub_(outside.block_parts(width, first, after)).exp2_().mul_(own)
            grad_inside.block_parts(width, first, after).add_(flow)
            grad_above = shares.block(width, first, after) * flow.sum((0, 1))
            grad_weights.block(width, first, after).copy_(grad_above)
            grad_outside.block(width, first, after).add_(grad_above)
        last = corners - width
        share = around(chain, width, 0, last).sub_(outside.spans(width)[1]).exp2_()
        links = share.mul_(grad_outside.spans(width)[1]).view(last, batch)
        grad_chain.before[:last] += links
        grad_chain.behind[width:] += links

    grad_chain.before[-1] += grad_total - grad_chain.before.sum(0)
    by_end, by_start = run_back(inside.by_end, to_start(inside.by_end), chain, grad_chain)
    grad_inside.by_start.add_(grad_free)
    grad_inside.by_end[:-1] += by_end
    links_by_start = torch.zeros_like(grad_free)
    links_by_start[1:] = by_start
    grad_inside.by_end.add_(to_end(links_by_start))
    for width in range(rows - 1, 1, -1):
        for first, after in inside.blocks(width, width - 1):
            right, left = inside.block_parts(width, first, after).unbind(1)
            flow = (left + right).sub_(below[width, first * batch : after * batch]).exp2_()
            flow.mul_(grad_inside.block(width, first, after).sum(0))
            grad_inside.block_parts(width, first, after).add_(flow[:, None])
    grad_weights.by_start.add_(grad_inside.by_start)
    grad_weights.by_end.add_(grad_inside.by_end)
    return grad_weights
