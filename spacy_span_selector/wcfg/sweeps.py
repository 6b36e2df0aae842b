"""The two sweeps over the chart of arcs, with one step per length that processes all arcs of that length at once.

This is the plain version, for every device; `triton_sweeps` has the same two functions, each as one GPU kernel.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .chart import ArcChart

# The log sums of all arcs, of shape (m, m, batch), and the other inputs of `sweep_down` in the same module.
Swept = tuple[Tensor, ...]


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
