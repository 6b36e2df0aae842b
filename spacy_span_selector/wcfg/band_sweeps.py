"""The sweeps of the laminar grammar over narrow spans only: those of `laminar_sweeps`, with a chain over the sentence.

What is inside a narrow span, and what is outside it within a narrow one, are the sums of the whole chart. A span that
lies in no other one of its derivation is a link of the `chain`. All values but those of the chain are logarithms to
base 2, and those outside are relative to the sum over all sets.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from .band_charts import BandCharts, greatest_around
from .chain import Chain, run_back, run_chain
from .grammar import FORBIDDEN
from .laminar_sweeps import ROUNDING, log_sum
from .triangle import to_end, to_start


class BandWeights(NamedTuple):
    """Log weights of spans, as `laminar_sweeps.Weights`."""

    inward: BandCharts
    outward: BandCharts


class BandSums(NamedTuple):
    """The log sums of both sweeps.

    inside (BandCharts): Over what is inside a span, with the span itself: as a right child by end, then as a left child
        by start.
    below (Tensor): Over what is inside a span, without the span itself; a chart by start. Shape: (most + 1, m * batch)
    outside (BandCharts): Over what is outside a span of two words or more: of a left child by start, then of a right
        child, which may be a link of the chain, by end.
    above (BandCharts): Over what is outside a span and the span itself: by end, then by start.
    chain (Chain): Over what is before, and behind, each boundary.
    """

    inside: BandCharts
    below: Tensor
    outside: BandCharts
    above: BandCharts
    chain: Chain


def sweep(weights: BandWeights, words: Tensor) -> BandSums:
    """Sum over what is inside each span, along the sentence, and over what is outside.

    weights (BandWeights): The weights of spans of two words or more.
    words (Tensor): Log weight of each word. Shape: (n, batch)
    RETURNS (BandSums): The log sums.
    """
    batch = words.shape[1]
    chart = weights.inward.by_start
    most = len(chart) - 1
    inside = BandCharts.full(chart, 0.0, end_first=True)
    below = torch.zeros_like(chart).flatten(1)
    inside.spans(1)[:] = words.flatten()
    for width in range(2, most + 1):
        for first, after in inside.blocks(width, width - 1):
            sums = below[width, first * batch : after * batch]
            right, left = inside.block_parts(width, first, after).unbind(1)
            log_sum(left, right, out=sums)
            torch.add(sums, weights.inward.block(width, first, after), out=inside.block(width, first, after))

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
            as_left, as_right = (sums + weights.outward.block(width, first, after)).unbind()
            above.block(width, first, after).copy_(torch.logaddexp2(as_left, as_right))
    outside.spans(1)[:] = -FORBIDDEN  # the outside of words is constant: the share of each term in it is 0
    return BandSums(inside, below, outside, above, chain)


def around(chain: Chain, width: int, first: int, after: int) -> Tensor:
    """The log sum over what is before and behind links of one width, to base 2. Shape: ((after - first) * batch,)"""
    sums = chain.before[first:after] + chain.behind[first + width : after + width] - chain.total
    return sums.flatten() / math.log(2)


def log_free(sums: BandSums) -> Tensor:
    """The log probability that no selected span crosses a span, and 0 where it is rounding error.

    As in `laminar_sweeps`; here the error is that of the sums within narrow spans, and that of the chain, which is far
    less in float32.

    sums (BandSums): The output of `sweep`.
    RETURNS (Tensor): A chart by start. Shape: (most + 1, m, batch)
    """
    inside = sums.inside.by_start
    result = torch.logaddexp2(sums.outside.by_start, to_start(sums.outside.by_end)).add_(inside)
    error = greatest_around(inside.abs()).add_(1.0).mul_(torch.finfo(result.dtype).eps).add_(sums.chain.rounding)
    return result.masked_fill_(error.mul_(ROUNDING).add_(result) > 0, 0.0)


def sweep_back(weights: BandWeights, sums: BandSums, grad_total: Tensor, grad_free: Tensor) -> BandCharts:
    """Propagate the gradients of the log sum over all sets and of `log_free` back through both sweeps.

    Each sweep runs in reverse, and recomputes the share of each term in its sum.

    weights (BandWeights): As for `sweep`.
    sums (BandSums): The output of `sweep`.
    grad_total (Tensor): The gradient with respect to the log sum over all sets. Shape: (batch,)
    grad_free (Tensor): The gradient with respect to `log_free`; a chart by start, 0 for words and where there is no
        span. Shape: (most + 1, m, batch)
    RETURNS (BandCharts): The gradients with respect to the weights of left children by start, then of right ones by
        end.
    """
    inside, below, outside, above, chain = sums
    rows, corners, batch = grad_free.shape
    left, right = outside.by_start, to_start(outside.by_end)
    either = torch.logaddexp2(left, right)
    grad_left, grad_right = ((part - either).exp2_().mul_(grad_free) for part in (left, right))
    grad_outside = BandCharts(torch.stack([grad_left, to_end(grad_right)]))
    shares = BandCharts(outside.values + weights.outward.values)
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
