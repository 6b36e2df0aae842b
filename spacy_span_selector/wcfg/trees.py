"""The grammar of the paper: binary trees over a sentence, each of whose nodes is selected or not.

A span that is a node of the tree is selected with weight exp(score) or not selected with weight 1, so the log weight of
its node is softplus(score), and one chart over nodes sums over both choices. A set of spans counts once for each tree
that contains it. Liu et al. 2022, "A Structured Span Selector" (NAACL), section 3 and appendix; see docs/grammar.md.

One chart serves for inside and outside. A sentence of n tokens has n + 1 boundaries. Place them on a circle: they are
the corners of a polygon whose sides are the n tokens and the whole sentence, the span (i, k) is the chord between
corners i and k, and a binary tree is a triangulation. The arc from i clockwise to k is the inside of the span; the arc
from k clockwise to i, which includes the side of the whole sentence, is its outside. Both split in the same way: an arc
of length d into an arc of length e and one of length d - e.

Every tensor is laid out as (length, corner, batch), so that one operation processes all arcs of a length in all
sentences, and its innermost dimensions are contiguous. A sweep takes one step per length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import softplus

from .grammar import FORBIDDEN, IDENTITY, Grammar
from .laminar import log_sum
from .validation import check_differentiated_once


class TreeGrammar(Grammar):
    """Each binary tree with each choice of its nodes is a derivation. A span is allowed if it is a node."""

    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        token = torch.arange(scores.shape[1], device=scores.device)
        start, last = token[:, None], token
        weights = softplus(scores, threshold=IDENTITY)
        level = _level(weights.detach(), chord)
        # A sentence shorter than the chart is padded in exactly one way, with the nodes (0, k).
        padding = torch.where((start == 0) | (start == last), 0.0, FORBIDDEN).to(weights.dtype)
        log_partition, log_nodes = _Triangulations.apply(torch.where(chord, weights - level[:, None, None], padding))
        return log_partition + level * (lengths - 2).clamp(min=0), log_nodes


def _level(weights: Tensor, chord: Tensor) -> Tensor:
    """The constant to subtract from the log weight of every chord, so that log Z is close to 0.

    Each tree over n tokens has n - 2 chords, so any level is exact, but sums close to 0 gain an order
    of magnitude in precision. There are about 4^n trees, so the right level is the log of 4 times the
    mean weight.

    weights, chord (Tensor): Log weight of each node, and which are chords. Shape: (batch, n, n)
    RETURNS (Tensor): The level of each sentence. Shape: (batch,)
    """
    count = chord.sum((1, 2))
    mean = weights.masked_fill(~chord, -math.inf).logsumexp((1, 2)) - count.log()
    return torch.where(count > 0, mean + math.log(4), 0.0)


class _Triangulations(torch.autograd.Function):
    """Sum over all binary trees, with one upward sweep over a chart and one downward sweep.

    weights (Tensor): Log weight of each node. Shape: (batch, n, n)
    RETURNS (tuple[Tensor, Tensor]): log Z, and the log probability of each node, which has no meaning below the
        diagonal. Shapes: (batch,) and (batch, n, n)
    """

    @staticmethod
    def forward(ctx: Any, weights: Tensor) -> tuple[Tensor, Tensor]:
        # The chart is in base 2, because exp2 is much faster than exp on CPUs.
        arcs = spans_to_arcs(weights / math.log(2))
        sums, split_sums = sweep_up(arcs)
        log_partition = sums.by_first[-1, 0] * math.log(2)
        # Inside and outside of a span share its chord, so its weight is counted twice.
        log_nodes = arcs_to_spans(sums.by_first).mul_(math.log(2)).sub_(weights).sub_(log_partition[:, None, None])
        log_nodes.clamp_(max=0)
        ctx.save_for_backward(log_nodes, sums.by_first, sums.by_last, split_sums)
        ctx.set_materialize_grads(False)
        return log_partition, log_nodes

    @staticmethod
    def backward(ctx: Any, grad_partition: Tensor | None, grad_nodes: Tensor | None) -> Tensor | None:
        log_nodes, *sums, split_sums = ctx.saved_tensors
        if grad_nodes is None:  # log_nodes is an output, so this expression can be differentiated again
            return None if grad_partition is None else grad_partition[:, None, None] * log_nodes.exp()
        check_differentiated_once()
        grad_nodes = grad_nodes.triu()
        gradient = spans_to_arcs(grad_nodes)
        gradient[-1, 0] -= grad_nodes.sum((1, 2))
        if grad_partition is not None:
            gradient[-1, 0] += grad_partition
        return arcs_to_spans(sweep_down(ArcChart(*sums), split_sums, gradient)) - grad_nodes


@dataclass(frozen=True)
class ArcChart:
    """One value for every arc, stored twice so that the splits of an arc need no index.

    With m corners, the arc of length d from corner a to corner b = a + d (modulo m) is stored in
    `by_first[d, a]` and in `by_last[m - d, b]`. As the left part of a split grows and its right part
    shrinks, both indices ascend: the splits of all arcs of one length are two contiguous slices.
    `by_last` goes around the polygon twice, so that these slices never wrap around.

    by_first (Tensor): Values by length and first corner. Shape: (m, m, batch)
    by_last (Tensor): Values by m minus length and last corner. Shape: (m, 2 * m, batch)
    """

    by_first: Tensor
    by_last: Tensor

    @classmethod
    def zeros_like(cls, arcs: Tensor) -> ArcChart:
        """Create a chart of zeros for arcs of shape (m, m, batch)."""
        corners, _, batch = arcs.shape
        return cls(torch.zeros_like(arcs), arcs.new_zeros(corners, 2 * corners, batch))

    def splits(self, length: int) -> tuple[Tensor, Tensor]:
        """Views of the left and the right parts of all arcs of one length: row e - 1 has left parts of length e, and
        right parts of length `length - e`. Shape: (length - 1, m, batch) each"""
        corners = len(self.by_first)
        return self.by_first[1:length], self.by_last[corners - length + 1 :, length : length + corners]

    def write(self, length: int, values: Tensor) -> None:
        """Store the values of all arcs of one length, by first corner. Shape: (m, batch)"""
        corners = len(values)
        self.by_first[length] = values
        self.by_last[corners - length, length : length + corners] = values
        self.by_last[corners - length, length + corners :] = values[: corners - length]

    def collect(self, length: int) -> Tensor:
        """Add up all values accumulated for the arcs of one length: the adjoint of `write`. Shape: (m, batch)"""
        corners = len(self.by_first)
        copies = self.by_last[corners - length]
        values = self.by_first[length].add_(copies[length : length + corners])
        values[: corners - length] += copies[length + corners :]
        return values


def spans_to_arcs(spans: Tensor) -> Tensor:
    """Give both arcs of each chord, by length and first corner, the value of its span, by first and last token.

    Values of length 0 have no meaning. Shapes: (batch, n, n) -> (n + 1, n + 1, batch)
    """
    batch, tokens, _ = spans.shape
    corner = torch.arange(tokens + 1, device=spans.device)
    first, second = corner, (corner[:, None] + corner) % (tokens + 1)
    start, end = torch.minimum(first, second), torch.maximum(first, second).clamp(min=1)
    start = start.clamp(max=tokens - 1)
    rows = spans.reshape(batch, tokens * tokens).t().contiguous()
    return rows.index_select(0, (start * tokens + end - 1).flatten()).view(tokens + 1, tokens + 1, batch)


def arcs_to_spans(arcs: Tensor) -> Tensor:
    """Add up both arcs of each chord: the adjoint of `spans_to_arcs`, 0 below the diagonal."""
    corners, _, batch = arcs.shape
    token = torch.arange(corners - 1, device=arcs.device)
    start, end = token[:, None], token + 1
    inside = (end - start) % corners * corners + start
    outside = (start - end) % corners * corners + end
    rows = arcs.reshape(corners * corners, batch)
    spans = rows.index_select(0, inside.flatten()) + rows.index_select(0, outside.flatten())
    return spans.t().reshape(batch, corners - 1, corners - 1).triu()


def sweep_up(weights: Tensor) -> tuple[ArcChart, Tensor]:
    """Sum over the triangulations of the polygon that each arc cuts off, shortest arcs first.

    weights (Tensor): Log weight, to base 2, of the chord of each arc. Shape: (m, m, batch)
    RETURNS (tuple[ArcChart, Tensor]): The log sums, and these without the chord itself. Shape of the latter:
        (m, m, batch)
    """
    chart = ArcChart.zeros_like(weights)
    split_sums = torch.zeros_like(weights)
    chart.write(1, weights[1])
    for length in range(2, len(weights)):
        log_sum(*chart.splits(length), out=split_sums[length])
        chart.write(length, split_sums[length] + weights[length])
    return chart, split_sums


def sweep_down(chart: ArcChart, split_sums: Tensor, gradient: Tensor) -> Tensor:
    """Propagate the gradient of each arc to those it splits into, longest arcs first.

    The derivative of a log sum with respect to one of its terms is the probability of that split, which is
    recomputed: storing it would take O(n^3) memory.

    gradient (Tensor): The gradient with respect to the value of each arc; it is overwritten. Shape: (m, m, batch)
    RETURNS (Tensor): The gradient with respect to the weight of the chord of each arc. Shape: (m, m, batch)
    """
    gradients = ArcChart(gradient, torch.zeros_like(chart.by_last))
    for length in range(len(gradient) - 1, 1, -1):
        left, right = chart.splits(length)
        flow = (left + right).sub_(split_sums[length]).exp2_().mul_(gradients.collect(length))
        for part in gradients.splits(length):
            part += flow
    gradients.collect(1)
    return gradient
