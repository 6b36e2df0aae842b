"""Building blocks of the kernels of both grammars: log sums over the splits of nodes, and their derivatives.

A program computes the sums of many nodes at a time, one in each lane, from blocks of their terms. All sums have a fixed
order, so results are the same bit for bit every time.
"""

from __future__ import annotations

from typing import NamedTuple

import triton
import triton.language as tl

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
    one_step, other_step (tl.tensor): The steps, the same in all lanes.
    count (tl.tensor): The number of terms. Shape: (SUMS,)
    most (tl.tensor): An upper bound of these numbers, 1 or more.
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
    """The gradient of a log sum times the share of one of its terms, the product of two numbers.

    value (tl.tensor): The logarithm of one of them.
    other, sums, gradient (tl.tensor): Pointers to that of the other, to the log sum and to its gradient.
    valid (tl.tensor): Where there is such a term; elsewhere the result is 0.
    RETURNS (tl.tensor): The gradient with respect to the term.
    """
    term = value + tl.load(other, valid, other=0.0)
    return tl.exp2(term - tl.load(sums, valid, other=HUGE)) * tl.load(gradient, valid, other=0.0)
