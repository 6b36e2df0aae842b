"""A sentence as a chain of words and of selected spans that no other selected span contains.

With R(j, k) for the log weight of such a link, and all that it holds,

    F(0) = 0,   F(k) = log of the sum over j < k of exp( F(j) + R(j, k) )

is the log weight of everything before boundary k, and G(k), from the other end, of everything behind it. As links are
narrow, a step is a sum over a window. Both chains are computed side by side, in float64 and to base e: their values
grow with the sentence, their differences do not. F(j) + R(j, k) + G(k) - F(n) is then as precise in a long sentence as
in a short one, since both chains have the same links.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from .grammar import FORBIDDEN


class Chain(NamedTuple):
    """Both chains of some sentences, F and G, by boundary. Shape: (n + 1, batch)"""

    before: Tensor
    behind: Tensor

    @property
    def total(self) -> Tensor:
        """The log weight of everything. Shape: (batch,)"""
        return self.before[-1]

    @property
    def rounding(self) -> Tensor:
        """About how large the rounding errors are that add up along a chain. Shape: (batch,)"""
        greatest = torch.maximum(self.before.abs().amax(0), self.behind.abs().amax(0))
        return greatest * math.sqrt(len(self.before)) * torch.finfo(greatest.dtype).eps


def run_chain(by_end: Tensor, by_start: Tensor) -> Chain:
    """Sum over everything before, and behind, each boundary.

    by_end, by_start (Tensor): The log weights of links, to base 2, as charts of `band_charts`.
        Shape: (most + 1, n + 1, batch)
    """
    windows = _windows(by_end, by_start)
    corners, most, _, batch = windows.shape
    sums = windows.new_full((most + corners, 2, batch), FORBIDDEN)
    sums[most] = 0.0
    steps = zip(_all_windows(sums, most), windows.unbind()[1:], sums[most + 1 :].unbind(), strict=True)
    for earlier, links, result in steps:
        torch.logsumexp(links.add_(earlier), 0, out=result)
    before, behind = sums[most:].unbind(1)
    return Chain(before, behind.flip(0))


def run_back(by_end: Tensor, by_start: Tensor, chain: Chain, gradient: Chain) -> tuple[Tensor, Tensor]:
    """Propagate the gradients of both chains, the output of `run_chain`, back to their links.

    gradient (Chain): The gradients with respect to the chains, in the same unit as the links. Overwritten.
    RETURNS (tuple[Tensor, Tensor]): The gradients with respect to the links, of the first chain by end, of the second
        by start, without the row of width 0. Shape: (most, n + 1, batch) each
    """
    windows = _windows(by_end, by_start)
    corners, most, _, batch = windows.shape
    sums = windows.new_full((most + corners, 2, batch), FORBIDDEN)
    sums[most:, 0], sums[most:, 1] = chain.before, chain.behind.flip(0)
    grads = windows.new_zeros(most + corners, 2, batch)
    grads[most:, 0], grads[most:, 1] = gradient.before, gradient.behind.flip(0)
    # The share of each link in its sum; a boundary passes its gradient on to those before it, the last one first.
    windows[1:].add_(sums.unfold(0, most, 1)[1:corners].permute(0, 3, 1, 2)).sub_(sums[most + 1 :, None]).exp_()
    steps = zip(_all_windows(grads, most), windows.unbind()[1:], grads[most + 1 :].unbind(), strict=True)
    for earlier, shares, own in reversed(list(steps)):
        earlier.add_(shares.mul_(own))
    windows[0] = 0.0
    first, second = windows.permute(2, 1, 0, 3).unbind()
    return first, second.flip(0, 1)


def _windows(by_end: Tensor, by_start: Tensor) -> Tensor:
    """The links that end at each boundary, widest first, for both chains, the second of which runs backwards; to base
    e. Shape: (n + 1, most, 2, batch)"""
    both = torch.stack([by_end[:-1].transpose(0, 1), by_start[1:].flip(0, 1).transpose(0, 1)], dim=2)
    return both.double().mul_(math.log(2))


def _all_windows(values: Tensor, most: int) -> tuple[Tensor, ...]:
    """The sums before each boundary but the first: views. Shape: (most, 2, batch) each"""
    return values.unfold(0, most, 1)[1 : len(values) - most].permute(0, 3, 1, 2).unbind()
