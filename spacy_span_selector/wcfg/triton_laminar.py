"""The sweeps of the laminar grammar and their reverse, each one Triton kernel with one program per sentence.

The plain version launches several kernels per width; on a GPU these launches take longer than the computation. Here one
program processes all widths of its sentence. Its charts are laid out as (width, start), with neighbouring spans in
neighbouring threads. In reverse, each span gathers its gradient from all sums it is part of. What is read once only,
the weights and the incoming gradients, stays as it is, with the batch innermost.

A program computes the sums of many nodes at a time, one in each lane, from blocks of their terms. All sums have a fixed
order, so results are the same bit for bit every time.

The names of the charts are those of docs/grammar.md: T of a left child, R of a right one and U without the span itself
are sums over what is inside a span; A_T, A_R and A are those over what is outside.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from .grammar import FORBIDDEN
from .laminar import Swept, log_free

CHARTS = tl.constexpr(6)  # of a sentence: T, R, U, A_T, A_R and A
GRADIENTS = tl.constexpr(3)  # of a sentence: those of U, A_T and A_R
NEVER = tl.constexpr(FORBIDDEN)
# Greater than every sum of log weights, even of forbidden nodes, but finite: no difference of two values is NaN.
HUGE = tl.constexpr(3e38)


class Blocks(NamedTuple):
    """The numbers of terms and of sums that a program processes at a time, both powers of 2, and of warps."""

    terms: int
    sums: int
    warps: int


def choose_blocks(corners: int) -> Blocks:
    """Choose from few sizes, because compiling each at its first use takes seconds."""
    if corners <= 32:
        return Blocks(32, 32, 4)
    if corners <= 128:
        return Blocks(32, 64, 8)
    return Blocks(64, 64, 16)


@triton.jit
def log_sum(
    one: tl.tensor,
    one_step: tl.tensor,
    other: tl.tensor,
    other_step: tl.tensor,
    count: tl.tensor,
    most: tl.tensor,
    TERMS: tl.constexpr,
    SUMS: tl.constexpr,
) -> tl.tensor:
    """Sum the products of numbers in two charts, all in log space; about -HUGE where there are none.

    The terms of a lane are numbered from 1. Its pointers are those of term 0, each step leads to the next.

    one, other (tl.tensor): Pointers into the charts. Shape: (SUMS,)
    count, most (tl.tensor): The number of terms, and an upper bound, 1 or more, of all. Shapes: (SUMS,) and ()
    RETURNS (tl.tensor): The log sums to base 2. Shape: (SUMS,)
    """
    number = one.dtype.element_ty
    term = tl.arange(0, TERMS)[:, None]
    # Every element of the block stores the log sum of its terms so far as largest + log2(total).
    largest = tl.full([TERMS, SUMS], -HUGE, number)
    total = tl.zeros([TERMS, SUMS], number)
    for first in range(1, most + 1, TERMS):
        step = first + term
        valid = step <= count[None, :]
        value = tl.load(one[None, :] + step * one_step, valid, other=0.0)
        value += tl.load(other[None, :] + step * other_step, valid, other=0.0)
        value = tl.where(valid, value, -HUGE)
        change = value - largest
        smaller = tl.exp2(-tl.abs(change))
        total = tl.where(change > 0, total * smaller + 1.0, total + smaller)
        largest = tl.maximum(largest, value)
    maximum = tl.max(largest, 0)
    total = total * tl.exp2(largest - maximum[None, :])
    return maximum + tl.log2(tl.sum(total, 0))


@triton.jit
def flow(value: tl.tensor, other: tl.tensor, sums: tl.tensor, gradient: tl.tensor, valid: tl.tensor) -> tl.tensor:
    """The gradient of a log sum times the share of one of its terms, the product of two numbers; 0 where not valid.

    other, sums, gradient (tl.tensor): Pointers to that of the other, to the log sum and to its gradient.
    """
    term = value + tl.load(other, valid, other=0.0)
    return tl.exp2(term - tl.load(sums, valid, other=HUGE)) * tl.load(gradient, valid, other=0.0)


def try_out(device: torch.device, dtype: torch.dtype) -> None:
    """Run the smallest sweep; fail where a kernel cannot be compiled or run."""
    zeros = torch.zeros(2, 2, 1, device=device, dtype=dtype)
    sweep(zeros, zeros, zeros[0, 1:])


def sweep(selected: Tensor, either: Tensor, words: Tensor, blocks: Blocks | None = None) -> Swept:
    """`laminar.sweep`, of weights in float32 or float64.

    blocks (Blocks | None): The block sizes; None to choose them by m.
    """
    selected, either, words = selected.contiguous(), either.contiguous(), words.contiguous()
    corners, _, batch = selected.shape
    blocks = blocks or choose_blocks(corners)
    charts = selected.new_zeros(batch, CHARTS.value, corners, corners)
    with torch.cuda.device_of(selected):  # Triton launches on the current device
        arguments = (selected, either, words, charts, corners)
        _sweep[(batch,)](*arguments, *blocks[:2], num_warps=blocks.warps, num_stages=1)
    inside, _, _, left, right, _ = charts.permute(1, 2, 3, 0)
    return inside[-1, 0], log_free(inside, left, right), selected, either, charts


def sweep_back(
    swept: Swept, grad_total: Tensor, grad_free: Tensor, blocks: Blocks | None = None
) -> tuple[Tensor, Tensor]:
    """`laminar.sweep_back`."""
    selected, either, charts = swept
    corners, _, batch = selected.shape
    blocks = blocks or choose_blocks(corners)
    grad_free = grad_free.contiguous()
    grad_total = grad_total - grad_free.sum((0, 1))
    gradients = charts.new_zeros(batch, GRADIENTS.value, corners, corners)
    grad_selected, grad_either = torch.zeros_like(selected), torch.zeros_like(selected)
    with torch.cuda.device_of(selected):
        arguments = (selected, either, charts, grad_total, grad_free, gradients, grad_selected, grad_either, corners)
        _sweep_back[(batch,)](*arguments, *blocks[:2], num_warps=blocks.warps, num_stages=1)
    return grad_selected, grad_either


@triton.jit
def _charts(charts: tl.tensor, corners: tl.tensor) -> tuple[tl.tensor, ...]:
    """Pointers to the charts of the sentence of this program, in order."""
    area = corners * corners
    charts += tl.program_id(0).to(tl.int64) * CHARTS * area
    return charts, charts + area, charts + 2 * area, charts + 3 * area, charts + 4 * area, charts + 5 * area


@triton.jit
def _log_add(one: tl.tensor, other: tl.tensor) -> tl.tensor:
    return tl.maximum(one, other) + tl.log2(1.0 + tl.exp2(-tl.abs(one - other)))


@triton.jit(do_not_specialize=["corners"])
def _sweep(
    selected: tl.tensor,
    either: tl.tensor,
    words: tl.tensor,
    charts: tl.tensor,
    corners: tl.tensor,
    SPLITS: tl.constexpr,
    SPANS: tl.constexpr,
) -> None:
    sentence, batch = tl.program_id(0).to(tl.int64), tl.num_programs(0).to(tl.int64)
    inside_left, inside_right, below, outside_left, outside_right, above = _charts(charts, corners)
    lane = tl.arange(0, SPANS)

    for first in range(0, corners - 1, SPANS):
        start = first + lane
        exists = start < corners - 1
        word = tl.load(words + start * batch + sentence, exists, other=0.0)
        tl.store(inside_left + corners + start, word, exists)
        tl.store(inside_right + corners + start, word, exists)
        # The outside of words is constant: the share of each term in it is 0.
        constant = tl.zeros_like(word) - NEVER
        tl.store(outside_left + corners + start, constant, exists)
        tl.store(outside_right + corners + start, constant, exists)
    tl.debug_barrier()

    for width in range(2, corners):
        for first in range(0, corners - width, SPANS):
            start = first + lane
            exists = start < corners - width
            span = width * corners + start
            weight = span * batch + sentence
            left, right = inside_left + start, inside_right + span
            splits = tl.where(exists, width - 1, 0)
            sums = log_sum(left, corners, right, 1 - corners, splits, width - 1, SPLITS, SPANS)
            tl.store(below + span, sums, exists)
            tl.store(inside_left + span, sums + tl.load(either + weight, exists, other=0.0), exists)
            tl.store(inside_right + span, sums + tl.load(selected + weight, exists, other=0.0), exists)
        tl.debug_barrier()  # the next width reads values stored by other threads

    for wider in range(0, corners - 2):  # by how many words the sentence is wider than the spans
        width = corners - 1 - wider
        for first in range(0, wider + 1, SPANS):
            start = first + lane
            exists = start <= wider
            span = width * corners + start
            weight = span * batch + sentence

            # A left child is in the spans that start with it and go on to its right.
            parents = tl.where(exists, wider - start, 0)
            right = inside_right + width + start
            as_left = log_sum(above + span, corners, right, corners, parents, wider + 1, SPLITS, SPANS)
            as_left = tl.where(wider > 0, tl.maximum(as_left, NEVER), 0.0)  # the sentence is a left child

            # A right child is in the spans that end with it and start to its left.
            parents = tl.where(exists, start, 0)
            as_right = log_sum(
                above + span, corners - 1, inside_left + start, corners - 1, parents, wider + 1, SPLITS, SPANS
            )
            as_right = tl.maximum(as_right, NEVER)

            tl.store(outside_left + span, as_left, exists)
            tl.store(outside_right + span, as_right, exists)
            as_left += tl.load(either + weight, exists, other=0.0)
            as_right += tl.load(selected + weight, exists, other=0.0)
            tl.store(above + span, _log_add(as_left, as_right), exists)
        tl.debug_barrier()


@triton.jit(do_not_specialize=["corners"])
def _sweep_back(
    selected: tl.tensor,
    either: tl.tensor,
    charts: tl.tensor,
    grad_total: tl.tensor,
    grad_free: tl.tensor,
    gradients: tl.tensor,
    grad_selected: tl.tensor,
    grad_either: tl.tensor,
    corners: tl.tensor,
    SPLITS: tl.constexpr,
    SPANS: tl.constexpr,
) -> None:
    number = charts.dtype.element_ty
    sentence, batch = tl.program_id(0).to(tl.int64), tl.num_programs(0).to(tl.int64)
    inside_left, inside_right, below, outside_left, outside_right, above = _charts(charts, corners)
    area = corners * corners
    grad_below = gradients + sentence * GRADIENTS * area
    grad_left, grad_right = grad_below + area, grad_below + 2 * area
    split = tl.arange(0, SPLITS)[:, None]
    lane = tl.arange(0, SPANS)

    # The sweep outward in reverse: what is above a span is in the outside of its parts.
    for width in range(2, corners):
        for first in range(0, corners - width, SPANS):
            start = first + lane
            exists = start < corners - width
            span = width * corners + start
            weight = span * batch + sentence
            around = tl.load(above + span, exists, other=0.0)
            total = tl.zeros([SPLITS, SPANS], number)
            for narrowest in range(1, width, SPLITS):
                left_width = narrowest + split
                valid = (left_width < width) & exists[None, :]
                left = left_width * corners + start[None, :]
                right = (width - left_width) * corners + left_width + start[None, :]
                total += flow(around[None, :], inside_right + right, outside_left + left, grad_left + left, valid)
                total += flow(around[None, :], inside_left + left, outside_right + right, grad_right + right, valid)
            gradient = tl.sum(total, 0)

            as_left = tl.load(outside_left + span, exists, other=0.0)
            as_right = tl.load(outside_right + span, exists, other=0.0)
            free = tl.load(grad_free + weight, exists, other=0.0)
            outside = _log_add(as_left, as_right)
            left = gradient * tl.exp2(as_left + tl.load(either + weight, exists, other=0.0) - around)
            right = gradient * tl.exp2(as_right + tl.load(selected + weight, exists, other=0.0) - around)
            tl.store(grad_either + weight, left, exists)
            tl.store(grad_selected + weight, right, exists)
            tl.store(grad_left + span, left + free * tl.exp2(as_left - outside), exists)
            tl.store(grad_right + span, right + free * tl.exp2(as_right - outside), exists)
        tl.debug_barrier()

    # The sweep inward in reverse: what is inside a span is also in the outside of those beside it.
    for wider in range(0, corners - 2):
        width = corners - 1 - wider
        for first in range(0, wider + 1, SPANS):
            start = first + lane
            exists = start <= wider
            span = width * corners + start
            weight = span * batch + sentence
            as_left = tl.load(inside_left + span, exists, other=0.0)[None, :]
            as_right = tl.load(inside_right + span, exists, other=0.0)[None, :]
            total_left = tl.zeros([SPLITS, SPANS], number)
            total_right = tl.zeros([SPLITS, SPANS], number)
            for narrowest in range(1, wider + 1, SPLITS):
                beside_width = narrowest + split
                whole_width = (beside_width + width) * corners

                # As a left child, of what starts with it; the right child starts where it ends.
                valid = (beside_width <= wider - start[None, :]) & exists[None, :]
                whole = whole_width + start[None, :]
                right = beside_width * corners + width + start[None, :]
                total_left += flow(as_left, inside_right + right, below + whole, grad_below + whole, valid)
                total_left += flow(as_left, above + whole, outside_right + right, grad_right + right, valid)

                # As a right child, of what ends with it; that and the left child start earlier.
                valid = (beside_width <= start[None, :]) & exists[None, :]
                whole = whole_width - beside_width + start[None, :]
                left = beside_width * corners - beside_width + start[None, :]
                total_right += flow(as_right, inside_left + left, below + whole, grad_below + whole, valid)
                total_right += flow(as_right, above + whole, outside_left + left, grad_left + left, valid)
            left = tl.sum(total_left, 0) + tl.load(grad_free + weight, exists, other=0.0)
            left += tl.where(wider == 0, tl.load(grad_total + sentence), 0.0)
            right = tl.sum(total_right, 0)
            tl.store(grad_below + span, left + right, exists)
            tl.store(grad_either + weight, tl.load(grad_either + weight, exists, other=0.0) + left, exists)
            tl.store(grad_selected + weight, tl.load(grad_selected + weight, exists, other=0.0) + right, exists)
        tl.debug_barrier()
