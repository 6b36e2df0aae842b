"""The two sweeps over the chart of arcs, each one Triton kernel with one program per sentence; and what the kernels of
both grammars are built from, log sums over the splits of nodes and their derivatives.

The plain version launches several kernels per length; on a GPU these launches take longer than the computation. Here
one program processes all lengths of its sentence. Its chart is laid out as (length, corner), with neighbouring corners
in neighbouring threads, and every row goes around the polygon twice, so that no index wraps around and the threads of a
warp read contiguous memory.

A program computes the sums of many nodes at a time, one in each lane, from blocks of their terms. All sums have a fixed
order, so results are the same bit for bit every time.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from .trees import Swept

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
    """Run the smallest upward sweep; fail where a kernel cannot be compiled or run."""
    sweep_up(torch.zeros(2, 2, 1, device=device, dtype=dtype))


def sweep_up(weights: Tensor, blocks: Blocks | None = None) -> Swept:
    """`trees.sweep_up`, of weights in float32 or float64.

    blocks (Blocks | None): The block sizes; None to choose them by m.
    RETURNS (tuple[Tensor, ...]): The log sums, and in the layout of `_down` the log sums and the sums without the chord
        itself. Shapes: (m, m, batch), (batch, m, 2 * m) and (batch, m, 2 * m)
    """
    weights = weights.permute(2, 0, 1).contiguous()
    batch, corners, _ = weights.shape
    blocks = blocks or choose_blocks(corners)
    chart = weights.new_empty(batch, corners, 2 * corners)
    split_sums = torch.empty_like(chart)
    with torch.cuda.device_of(weights):  # Triton launches on the current device
        _up[(batch,)](weights, chart, split_sums, corners, *blocks[:2], num_warps=blocks.warps, num_stages=1)
    return _once_around(chart), chart, split_sums


def sweep_down(swept: Swept, gradient: Tensor, blocks: Blocks | None = None) -> Tensor:
    """`trees.sweep_down`: each arc gathers its gradient from the arcs that contain it, so that sums have a fixed
    order."""
    _, chart, split_sums = swept
    gradient = gradient.permute(2, 0, 1).contiguous()
    batch, corners, _ = gradient.shape
    blocks = blocks or choose_blocks(corners)
    gathered = torch.empty_like(chart)
    with torch.cuda.device_of(gradient):
        arguments = (chart, split_sums, gradient, gathered, corners)
        _down[(batch,)](*arguments, *blocks[:2], num_warps=blocks.warps, num_stages=1)
    return _once_around(gathered)


def _once_around(arcs: Tensor) -> Tensor:
    """A view of the first round of each row. Shape: (m, m, batch)"""
    return arcs[..., : arcs.shape[1]].permute(1, 2, 0)


@triton.jit
def _store_twice(row: tl.tensor, corner: tl.tensor, corners: tl.tensor, values: tl.tensor) -> None:
    exists = corner < corners
    tl.store(row + corner, values, exists)
    tl.store(row + corners + corner, values, exists)


@triton.jit(do_not_specialize=["corners"])
def _up(
    weights: tl.tensor,
    chart: tl.tensor,
    split_sums: tl.tensor,
    corners: tl.tensor,
    SPLITS: tl.constexpr,
    CORNERS: tl.constexpr,
) -> None:
    number = weights.dtype.element_ty
    width = 2 * corners  # of a row
    sentence = tl.program_id(0).to(tl.int64) * corners
    weights += sentence * corners
    chart += sentence * width
    split_sums += sentence * width
    lane = tl.arange(0, CORNERS)

    for first in range(0, corners, CORNERS):  # lengths 0, which no arc has, and 1
        corner = first + lane
        none = tl.zeros([CORNERS], number)
        weight = tl.load(weights + corners + corner, corner < corners, other=0.0)
        _store_twice(chart, corner, corners, none)
        _store_twice(chart + width, corner, corners, weight)
        _store_twice(split_sums, corner, corners, none)
        _store_twice(split_sums + width, corner, corners, none)
    tl.debug_barrier()

    for length in range(2, corners):
        for first in range(0, corners, CORNERS):
            corner = first + lane
            exists = corner < corners
            left, right = chart + corner, chart + length * width + corner
            splits = tl.where(exists, length - 1, 0)
            split_sum = log_sum(left, width, right, 1 - width, splits, length - 1, SPLITS, CORNERS)
            weight = tl.load(weights + length * corners + corner, exists, other=0.0)
            _store_twice(split_sums + length * width, corner, corners, split_sum)
            _store_twice(chart + length * width, corner, corners, split_sum + weight)
        tl.debug_barrier()  # the next length reads values stored by other threads


@triton.jit(do_not_specialize=["corners"])
def _down(
    chart: tl.tensor,
    split_sums: tl.tensor,
    gradient: tl.tensor,
    gathered: tl.tensor,
    corners: tl.tensor,
    SPLITS: tl.constexpr,
    CORNERS: tl.constexpr,
) -> None:
    number = chart.dtype.element_ty
    width = 2 * corners
    sentence = tl.program_id(0).to(tl.int64) * corners
    chart += sentence * width
    split_sums += sentence * width
    gradient += sentence * corners
    gathered += sentence * width
    split = tl.arange(0, SPLITS)[:, None]
    lane = tl.arange(0, CORNERS)

    for first in range(0, corners, CORNERS):  # length 0, which no arc has
        corner = first + lane
        _store_twice(gathered, corner, corners, tl.load(gradient + corner, corner < corners, other=0.0))

    for shorter in range(1, corners):
        length = corners - shorter
        for first in range(0, corners, CORNERS):
            corner = first + lane
            exists = corner < corners
            value = tl.load(chart + length * width + corner, exists, other=0.0)[None, :]
            total = tl.zeros([SPLITS, CORNERS], number)
            for shortest in range(1, shorter, SPLITS):
                other_length = shortest + split
                valid = (other_length < shorter) & exists[None, :]
                other = chart + other_length * width
                whole = (length + other_length) * width
                sums, incoming = split_sums + whole, gathered + whole

                # As the left part of an arc with the same start; the right part starts where this arc ends.
                start = corner[None, :]
                total += flow(value, other + length + start, sums + start, incoming + start, valid)

                # As the right part of an arc with the same end; that arc and the left part start earlier.
                start = corners - other_length + corner[None, :]
                total += flow(value, other + start, sums + start, incoming + start, valid)
            own = tl.load(gradient + length * corners + corner, exists, other=0.0)
            _store_twice(gathered + length * width, corner, corners, own + tl.sum(total, 0))
        tl.debug_barrier()
