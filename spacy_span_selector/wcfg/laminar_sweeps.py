"""The sweeps over the charts of the laminar grammar, with one step per width that processes all spans of that width.

A node of a derivation is a left child or a right child; the sentence is a left child. A left child is selected or not,
a right child is a word or selected, so that each set of spans has one derivation. All values are logarithms to base 2.
The charts are those of `triangle`; what they hold where there is no span is finite and is never read into a result.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .triangle import ends_of, parts, starts_of, to_end, to_start

FORBIDDEN = -1e30  # log weight of what is in no derivation; finite, so that no difference of two is NaN
ROUNDING = 4.0  # rounding errors of a sum, in units of the precision of its largest term
BLOCK = 24  # sums over the nodes above a span have as many terms as fit into the sentence: rounded up to this


class Inside(NamedTuple):
    """Log sums over everything inside a span.

    left (Tensor): With the span as a left child; a chart by start. Shape: (m, m, batch)
    right (Tensor): With the span as a right child; a chart by end. Shape: (m, m, batch)
    below (Tensor): Without the span itself; a chart by start. Shape: (m, m, batch)
    """

    left: Tensor
    right: Tensor
    below: Tensor


class Outside(NamedTuple):
    """Log sums over everything outside a span of two words or more.

    left (Tensor): With the span as a left child; a chart by start. Shape: (m, m, batch)
    right (Tensor): With the span as a right child; a chart by end. Shape: (m, m, batch)
    above (Tensor): With the span as either, and with its own weight; a chart by start. Shape: (m, m, batch)
    """

    left: Tensor
    right: Tensor
    above: Tensor


def sweep_inside(selected: Tensor, either: Tensor, words: Tensor) -> Inside:
    """Sum over what lies inside each span, narrowest spans first.

    selected, either (Tensor): Log weight of each span that is selected, and of one that is selected or not; charts by
        start. Shape: (m, m, batch)
    words (Tensor): Log weight of each word. Shape: (n, batch)
    RETURNS (Inside): The log sums.
    """
    left, right, below = (torch.zeros_like(selected) for _ in range(3))
    tokens = len(selected) - 1
    left[1, :tokens] = words
    right[tokens - 1, 1:] = words
    for width in range(2, tokens + 1):
        spans = slice(tokens + 1 - width)
        log_sum(*parts(left, right, width), out=below[width, spans])
        torch.add(below[width, spans], either[width, spans], out=left[width, spans])
        torch.add(below[width, spans], selected[width, spans], out=right[tokens - width, width:])
    return Inside(left, right, below)


def sweep_outside(selected: Tensor, either: Tensor, inside: Inside) -> Outside:
    """Sum over what lies outside each span, widest spans first.

    selected, either (Tensor): As for `sweep_inside`. Shape: (m, m, batch)
    inside (Inside): The output of `sweep_inside`.
    RETURNS (Outside): The log sums.
    """
    left, right, above, above_by_end = (torch.full_like(selected, FORBIDDEN) for _ in range(4))
    tokens = len(selected) - 1
    left[tokens, 0] = 0.0
    # A left child and its parent start together, a right child and its parent end together. Where there is no parent
    # of some width, `above` has a forbidden value.
    left_siblings, right_siblings = ends_of(inside.left), starts_of(inside.right)
    parents_by_start, parents_by_end = starts_of(above_by_end), ends_of(above)
    for width in range(tokens, 1, -1):
        wider = tokens - width
        for first in range(0, wider, BLOCK):
            after = min(first + BLOCK, wider)
            log_sum(
                parents_by_start[first:wider, first:after],
                right_siblings[width + first : tokens, width + first : width + after],
                out=left[width, first:after],
            )
            log_sum(
                parents_by_end[width + 1 : width + after + 1, width + first + 1 : width + after + 1],
                left_siblings[1 : after + 1, first + 1 : after + 1],
                out=right[wider, width + first + 1 : width + after + 1],
            )
        spans = slice(wider + 1)
        torch.logaddexp2(
            left[width, spans] + either[width, spans],
            right[wider, width:] + selected[width, spans],
            out=above[width, spans],
        )
        above_by_end[wider, width:] = above[width, spans]
    return Outside(left, right, above)


def log_free(either: Tensor, inside: Inside, outside: Outside) -> Tensor:
    """The log probability that no selected span crosses a span; below 0 by no more than rounding error it is 0.

    A span that no other can cross has probability 1. The error of its logarithm, a sum of large numbers, would be
    all there is of log(1 - p).

    either (Tensor): As for `sweep_inside`. Shape: (m, m, batch)
    inside, outside (Inside, Outside): The outputs of the sweeps.
    RETURNS (Tensor): A chart by start. Shape: (m, m, batch)
    """
    total = inside.left[-1, 0]
    around = torch.logaddexp2(outside.left, to_start(outside.right))
    result = around + either + inside.below - total
    magnitude = around.abs_().add_(either).add_(inside.below.abs()).add_(total.abs()).add_(1.0)
    return result.masked_fill_(result >= magnitude.mul_(-ROUNDING * torch.finfo(either.dtype).eps), 0.0)


def sweep_back(
    selected: Tensor, either: Tensor, inside: Inside, outside: Outside, grad_total: Tensor, grad_free: Tensor
) -> tuple[Tensor, Tensor]:
    """Propagate the gradients of the log sum over all sets and of `log_free` back through both sweeps.

    Each sweep runs in reverse, and recomputes the share of each term in its sum: storing them would take O(n^3) memory.

    selected, either (Tensor): As for `sweep_inside`. Shape: (m, m, batch)
    inside, outside (Inside, Outside): The outputs of the sweeps.
    grad_total (Tensor): The gradient with respect to the log sum over all sets. Shape: (batch,)
    grad_free (Tensor): The gradient with respect to `log_free`; a chart by start, 0 for words and where there is no
        span. Shape: (m, m, batch)
    RETURNS (tuple[Tensor, Tensor]): The gradients with respect to `selected` and `either`; charts by start.
        Shape: (m, m, batch) each
    """
    corners = len(selected)
    tokens = corners - 1
    inside_left, inside_right = torch.zeros_like(selected), torch.zeros_like(selected)
    outside_right = to_start(outside.right)
    around = torch.logaddexp2(outside.left, outside_right)
    outside_left = (outside.left - around).exp2_().mul_(grad_free)
    grad_selected = (outside_right - around).exp2_().mul_(grad_free)  # of the span as a right child, until below
    outside_right = to_end(grad_selected)
    as_left = (outside.left + either).sub_(outside.above).exp2_()
    as_right = to_start(outside.right).add_(selected).sub_(outside.above).exp2_()
    grad_either, grad_selected = torch.zeros_like(selected), torch.zeros_like(selected)

    for width in range(2, corners):
        spans, above = slice(corners - width), outside.above[width, : corners - width]
        grad_above = torch.zeros_like(above)
        if width > 2:  # the outside of words is constant
            left, right = parts(outside.left, inside.right, width)
            grad_child, grad_sibling = parts(outside_left, inside_right, width)
            flow = (above + right[1:]).sub_(left[1:]).exp2_().mul_(grad_child[1:])
            grad_sibling[1:] += flow
            grad_above += flow.sum(0)
            left, right = parts(inside.left, outside.right, width)
            grad_sibling, grad_child = parts(inside_left, outside_right, width)
            flow = (above + left[:-1]).sub_(right[:-1]).exp2_().mul_(grad_child[:-1])
            grad_sibling[:-1] += flow
            grad_above += flow.sum(0)
        grad_either[width, spans] = grad_above * as_left[width, spans]
        grad_selected[width, spans] = grad_above * as_right[width, spans]
        outside_left[width, spans] += grad_either[width, spans]
        outside_right[tokens - width, width:] += grad_selected[width, spans]

    inside_left[tokens, 0] += grad_total - grad_free.sum((0, 1))
    grad_either += grad_free
    for width in range(tokens, 1, -1):
        spans = slice(corners - width)
        grad_left, grad_right = inside_left[width, spans], inside_right[tokens - width, width:]
        grad_either[width, spans] += grad_left
        grad_selected[width, spans] += grad_right
        grad_below = grad_left + grad_right + grad_free[width, spans]
        left, right = parts(inside.left, inside.right, width)
        flow = (left + right).sub_(inside.below[width, spans]).exp2_().mul_(grad_below)
        for grad_part in parts(inside_left, inside_right, width):
            grad_part += flow
    return grad_selected, grad_either


def log_sum(left: Tensor, right: Tensor, out: Tensor) -> None:
    """Sum over the pairs of two charts along the first dimension, all in log space."""
    terms = left + right
    largest = terms.amax(0)
    torch.add(terms.sub_(largest).exp2_().sum(0).log2_(), largest, out=out)
