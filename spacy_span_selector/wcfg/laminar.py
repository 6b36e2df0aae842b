"""The laminar grammar: every set of non-crossing spans has exactly one derivation.

The probability of a set is proportional to the exponential of the sum of its scores, and nothing else. A span that no
other can cross is selected with probability sigmoid(score), in a sentence of any length; see docs/grammar.md.

A node of a derivation is a left child or a right child; the sentence is a left child. A left child is selected or not,
a right child is a word or selected, so that each set of spans has one derivation. The sweeps over the charts take one
step per width, which processes all spans of that width. All their values are logarithms to base 2; where the charts
have no span they are finite, and never reach a result. `triton_laminar` has the same two functions, each as one kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import softplus

from .grammar import FORBIDDEN, IDENTITY, Grammar
from .implementations import sweeps_for
from .triangle import Charts, chart_to_spans, spans_to_chart, to_end, to_start
from .validation import check_differentiated_once

ROUNDING = 4.0  # rounding error of a sum, in units of the precision of its terms
BLOCK = 64  # the nodes that contain spans of a width fill half a square, which is cut into blocks of so many spans

# The log sum over all sets, of shape (batch,); `log_free`, of shape (m, m, batch); and what `sweep_back` in the same
# module needs.
Swept = tuple[Tensor, ...]


class LaminarGrammar(Grammar):
    """Each set of non-crossing spans is a derivation. A span is allowed if no selected span crosses it."""

    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        # No span reaches beyond a sentence that is shorter than the chart, so what is there is one derivation.
        return LaminarSets.apply(scores.masked_fill(~chord, FORBIDDEN).clamp(min=FORBIDDEN), lengths)


class LaminarSets(torch.autograd.Function):
    """Sum over all sets of non-crossing spans, with a sweep inward and one outward, and their reverses.

    A kind that has other charts has another `forward`, which gives `ctx.propagate` another function.

    scores (Tensor): Score of each span; forbidden for words and where there is no span. Shape: (batch, n, n)
    RETURNS (tuple[Tensor, Tensor]): log Z, and the log probability that no selected span crosses a span, which has no
        meaning where there is none. Shapes: (batch,) and (batch, n, n)
    """

    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        # The charts are in base 2, because exp2 is much faster than exp on CPUs.
        selected = spans_to_chart(scores, FORBIDDEN)
        either = softplus(selected, threshold=IDENTITY)
        chords = (lengths * (lengths - 1) // 2 - 1).clamp(min=1)
        constant = level(scores, either, lengths, chords)
        word = torch.arange(scores.shape[1], device=scores.device)[:, None] < lengths
        words = torch.where(word, -constant, 0.0)
        sweeps = sweeps_for(selected)
        total, log_free, *swept = sweeps.sweep(*(weight.div_(math.log(2)) for weight in (selected, either, words)))
        ctx.propagate = partial(_propagate, sweeps)
        log_allowed = chart_to_spans(log_free).mul_(math.log(2)).clamp_(max=0)
        ctx.save_for_backward(scores, log_allowed, *swept)
        ctx.set_materialize_grads(False)
        return total * math.log(2) + constant * lengths, log_allowed

    @staticmethod
    def backward(
        ctx: Any, grad_partition: Tensor | None, grad_allowed: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        scores, log_allowed, *swept = ctx.saved_tensors
        if grad_allowed is None:  # log_allowed is an output, so this expression can be differentiated again
            if grad_partition is None:
                return None, None
            return grad_partition[:, None, None] * (log_allowed.exp() * scores.sigmoid()), None
        check_differentiated_once()
        if grad_partition is None:
            grad_partition = grad_allowed.new_zeros(len(grad_allowed))
        selected, either = ctx.propagate(swept, grad_partition, grad_allowed)
        return either.mul_(scores.sigmoid()).add_(selected), None


def _propagate(
    sweeps: ModuleType, swept: Sequence[Tensor], grad_partition: Tensor, grad_allowed: Tensor
) -> Iterator[Tensor]:
    grad_free = spans_to_chart(grad_allowed.triu(1), 0.0)
    return map(chart_to_spans, sweeps.sweep_back(tuple(swept), grad_partition, grad_free))


def level(scores: Tensor, either: Tensor, lengths: Tensor, chords: Tensor) -> Tensor:
    """The constant to subtract for every word, so that log Z is close to 0.

    Each derivation has all words, so any level is exact, but sums close to 0 are more precise. If all spans had the
    mean weight x, the weight of all sets would grow by the factor (sqrt(x) + sqrt(1 + x))^2 with each word. If few
    spans have any weight, a better estimate is the weight of all sets, crossing or not.

    scores (Tensor): Score of each span; forbidden for words and where there is no span. Shape: (batch, n, widths)
    either (Tensor): Log weight of each span that is selected or not; 0 for words and where there is no span; a chart
        by start. Shape: (widths + 1, n + 1, batch)
    lengths, chords (Tensor): Number of tokens, and of spans, at least 1, of each sentence. Shape: (batch,)
    RETURNS (Tensor): The level of each sentence. Shape: (batch,)
    """
    largest = scores.amax((1, 2), keepdim=True)
    # exp is slow far below 0, where it is 0 anyway.
    mean = (scores - largest).clamp_(min=-80).exp_().sum((1, 2)).div_(chords).log_() + largest.flatten()
    growth = 2 * torch.logaddexp(mean / 2, softplus(mean, threshold=IDENTITY) / 2)
    return torch.minimum(growth, either.sum((0, 1)) / lengths.clamp(min=1))


def sweep(selected: Tensor, either: Tensor, words: Tensor) -> Swept:
    """Sum over what is inside each span, narrowest spans first, and over what is outside, widest spans first.

    The log sums are, in these names:

    - inside: over what is inside a span, with the span itself, as a right child by end, then as a left child by start;
    - below: over what is inside a span, without the span itself, by start;
    - outside: over what is outside a span of two words or more, of a left child by start, then of a right one by end;
    - above: over what is outside a span and the span itself, by end, then by start.

    selected, either (Tensor): Log weights of spans of two words or more: selected, and selected or not; charts by
        start. Shape: (m, m, batch)
    words (Tensor): Log weight of each word. Shape: (n, batch)
    RETURNS (tuple[Tensor, ...]): The log sum over all sets, `log_free`, and what `sweep_back` needs.
        Shapes: (batch,) and (m, m, batch)
    """
    # By width: of a right child, which is selected, of a left one, and of a right one again.
    weights = torch.stack([selected, either, selected], dim=1).flatten(2).unbind()
    tokens, batch = words.shape
    inside = Charts.full(selected, 0.0, end_first=True)
    below = torch.zeros_like(selected).flatten(1)
    inside.spans(1)[:] = words.flatten()
    for width in range(2, tokens + 1):
        columns = (tokens + 1 - width) * batch
        sums = below[width, :columns]
        right, left = inside.parts(width).unbind(1)
        log_sum(left, right, out=sums)
        torch.add(sums, weights[width][:2, :columns], out=inside.spans(width))

    outside, above = Charts.full(selected, FORBIDDEN), Charts.full(selected, FORBIDDEN, end_first=True)
    outside.by_start[tokens, 0] = 0.0
    for width in range(tokens, 1, -1):
        wider = tokens - width
        for first in range(0, wider, BLOCK):
            after = min(first + BLOCK, wider)
            # Where a span has no parent of some width, `above` is forbidden.
            parents, siblings = above.parents(width, first, after), inside.siblings(width, first, after)
            log_sum(parents, siblings, out=outside.some_spans(width, first, after, wider - after - first + 1))
        as_left, as_right = (outside.spans(width) + weights[width][1:, : (wider + 1) * batch]).unbind()
        above.spans(width).copy_(torch.logaddexp2(as_left, as_right))
    outside.spans(1)[:] = -FORBIDDEN  # the outside of words is constant: the share of each term in it is 0
    free = log_free(inside.by_start, outside.by_start, to_start(outside.by_end))
    return inside.by_start[-1, 0], free, selected, either, inside.values, below, outside.values, above.values


def log_free(inside: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """The log probability that no selected span crosses a span, and 0 where it is rounding error.

    A span that no other can cross has probability 1. The error of its logarithm, a sum of large numbers, would be
    all there is of log(1 - p).

    inside (Tensor): Log sums over what is inside a span, with the span itself, as a left child.
    left, right (Tensor): Log sums over what is outside a left and a right child.
    RETURNS (Tensor): A chart by start, like all of these. Shape: (m, m, batch)
    """
    total = inside[-1, 0]
    result = torch.logaddexp2(left, right).add_(inside).sub_(total)
    error = inside.abs().add_(total.abs()).add_(1.0).mul_(ROUNDING * torch.finfo(result.dtype).eps)
    return result.masked_fill_(error.add_(result) > 0, 0.0)


def sweep_back(swept: Swept, grad_total: Tensor, grad_free: Tensor) -> tuple[Tensor, Tensor]:
    """Propagate the gradients of the log sum over all sets and of `log_free` back through both sweeps.

    Each sweep runs in reverse, and recomputes the share of each term in its sum: storing them would take O(n^3) memory.

    grad_total, grad_free (Tensor): The gradients; of the latter a chart by start, 0 for words and where there is no
        span. Shapes: (batch,) and (m, m, batch)
    RETURNS (tuple[Tensor, Tensor]): The gradients with respect to the log weights of spans that are selected, and
        selected or not; charts by start. Shape: (m, m, batch) each
    """
    selected, either, inside_values, below, outside_values, above_values = swept
    inside, above = (Charts(both, end_first=True) for both in (inside_values, above_values))
    outside = Charts(outside_values)
    corners, _, batch = grad_free.shape
    left, right = outside.by_start, to_start(outside.by_end)
    around = torch.logaddexp2(left, right)
    grad_left, grad_right = ((part - around).exp2_().mul_(grad_free) for part in (left, right))
    grad_outside = Charts(torch.stack([grad_left, to_end(grad_right)]))
    shares = Charts(outside.values + torch.stack([either, to_end(selected)]))
    shares.by_start.sub_(above.by_start).exp2_()
    shares.by_end.sub_(above.by_end).exp2_()
    grad_weights = Charts.full(grad_free, 0.0)
    grad_inside = Charts.full(grad_free, 0.0, end_first=True)

    for width in range(2, corners):
        flow = inside.parts(width) + above.spans(width)[1]
        flow.sub_(outside.parts(width)).exp2_().mul_(grad_outside.parts(width))
        grad_inside.parts(width).add_(flow)
        grad_above = torch.mul(shares.spans(width), flow.sum((0, 1)), out=grad_weights.spans(width))
        grad_outside.spans(width).add_(grad_above)

    grad_inside.by_start.add_(grad_free)
    grad_inside.by_start[-1, 0] += grad_total - grad_free.sum((0, 1))
    for width in range(corners - 1, 1, -1):
        right, left = inside.parts(width).unbind(1)
        flow = (left + right).sub_(below[width, : (corners - width) * batch]).exp2_()
        flow.mul_(grad_inside.spans(width).sum(0))
        grad_inside.parts(width).add_(flow[:, None])
    grad_weights.by_start.add_(grad_inside.by_start)
    grad_weights.by_end.add_(grad_inside.by_end)
    return to_start(grad_weights.by_end), grad_weights.by_start


def log_sum(one: Tensor, other: Tensor, out: Tensor) -> None:
    """Sum the products of two charts over the first dimension, all in log space."""
    terms = one + other
    largest = terms.amax(0)
    torch.add(terms.sub_(largest).exp2_().sum(0).log2_(), largest, out=out)
