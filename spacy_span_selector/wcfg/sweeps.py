"""One chart for inside and outside, the arcs of a polygon, and the two sweeps over it.

A sentence of n tokens has n + 1 boundaries. Place them on a circle: they are the corners of a
polygon whose sides are the n tokens and the whole sentence, the span (i, k) is the chord between
corners i and k, and a binary tree is a triangulation. The arc from i clockwise to k is the inside of
the span; the arc from k clockwise to i, which includes the side of the whole sentence, is its outside.
Both split in the same way: an arc of length d into an arc of length e and one of length d - e.

Every tensor is laid out as (length, corner, batch), so that one operation processes all arcs of a
length in all sentences, and its innermost dimensions are contiguous. A sweep takes one step per length. `triton_sweeps`
has the same two functions, each as one GPU kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

Swept = tuple[Tensor, ...]
"""The log sums of all arcs, of shape (m, m, batch), and the other inputs of `sweep_down` in the same module."""


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
        """Views of the left and the right parts of all arcs of one length.

        length (int): The length.
        RETURNS (tuple[Tensor, Tensor]): Row e - 1 has the left parts, of length e, and the right parts, of length
            `length - e`. Shape: (length - 1, m, batch) each
        """
        corners = len(self.by_first)
        return self.by_first[1:length], self.by_last[corners - length + 1 :, length : length + corners]

    def write(self, length: int, values: Tensor) -> None:
        """Store the values of all arcs of one length.

        length (int): The length.
        values (Tensor): The values by first corner. Shape: (m, batch)
        """
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
    """Give both arcs of each chord the value of its span.

    spans (Tensor): Values by first and last token. Shape: (batch, n, n)
    RETURNS (Tensor): Values by length and first corner; those of length 0 have no meaning.
        Shape: (n + 1, n + 1, batch)
    """
    batch, tokens, _ = spans.shape
    corner = torch.arange(tokens + 1, device=spans.device)
    first, second = corner, (corner[:, None] + corner) % (tokens + 1)
    start, end = torch.minimum(first, second), torch.maximum(first, second).clamp(min=1)
    start = start.clamp(max=tokens - 1)
    rows = spans.reshape(batch, tokens * tokens).t().contiguous()
    return rows.index_select(0, (start * tokens + end - 1).flatten()).view(tokens + 1, tokens + 1, batch)


def arcs_to_spans(arcs: Tensor) -> Tensor:
    """Add up both arcs of each chord: the adjoint of `spans_to_arcs`.

    arcs (Tensor): Values by length and first corner. Shape: (n + 1, n + 1, batch)
    RETURNS (Tensor): Values by first and last token; 0 below the diagonal. Shape: (batch, n, n)
    """
    corners, _, batch = arcs.shape
    token = torch.arange(corners - 1, device=arcs.device)
    start, end = token[:, None], token + 1
    inside = (end - start) % corners * corners + start
    outside = (start - end) % corners * corners + end
    rows = arcs.reshape(corners * corners, batch)
    spans = rows.index_select(0, inside.flatten()) + rows.index_select(0, outside.flatten())
    return spans.t().reshape(batch, corners - 1, corners - 1).triu()


def existing_spans(lengths: Tensor, tokens: int) -> Tensor:
    """Mark the pairs of a first and a last token that are spans of each sentence.

    lengths (Tensor): Number of tokens of each sentence. Shape: (batch,)
    tokens (int): n, the size of the chart.
    RETURNS (Tensor): Booleans. Shape: (batch, n, n)
    """
    token = torch.arange(tokens, device=lengths.device)
    return (token[:, None] <= token) & (token < lengths[:, None, None])


def sweep_up(weights: Tensor) -> Swept:
    """Sum over the triangulations of the polygon that each arc cuts off, shortest arcs first.

    weights (Tensor): Log weight, to base 2, of the chord of each arc. Shape: (m, m, batch)
    RETURNS (tuple[Tensor, ...]): The log sums by first and by last corner, and the same sums without the chord itself.
        Shapes: (m, m, batch), (m, 2 * m, batch) and (m, m, batch)
    """
    chart = ArcChart.zeros_like(weights)
    split_sums = torch.zeros_like(weights)
    chart.write(1, weights[1])
    for length in range(2, len(weights)):
        left, right = chart.splits(length)
        terms = left + right
        largest = terms.amax(0)
        torch.add(terms.sub_(largest).exp2_().sum(0).log2_(), largest, out=split_sums[length])
        chart.write(length, split_sums[length] + weights[length])
    return chart.by_first, chart.by_last, split_sums


def sweep_down(swept: Swept, gradient: Tensor) -> Tensor:
    """Propagate the gradient of each arc to those it splits into, longest arcs first.

    The derivative of a log sum with respect to one of its terms is the probability of that split, which is
    recomputed: storing it would take O(n^3) memory.

    swept (tuple[Tensor, ...]): The output of `sweep_up`.
    gradient (Tensor): The gradient with respect to the value of each arc; it is overwritten. Shape: (m, m, batch)
    RETURNS (Tensor): The gradient with respect to the weight of the chord of each arc. Shape: (m, m, batch)
    """
    by_first, by_last, split_sums = swept
    chart = ArcChart(by_first, by_last)
    gradients = ArcChart(gradient, torch.zeros_like(by_last))
    for length in range(len(gradient) - 1, 1, -1):
        left, right = chart.splits(length)
        flow = (left + right).sub_(split_sums[length]).exp2_().mul_(gradients.collect(length))
        for part in gradients.splits(length):
            part += flow
    gradients.collect(1)
    return gradient
