"""Features of spans and pairs: widths and distances in buckets that widen, and whether words are the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor
from torch.nn.functional import embedding

DISTANCE_BUCKETS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
"""Lower bounds of the buckets of Lee et al. (2017): 0, 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63, 64+."""

WIDTH_BUCKETS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32, 48, 64)
"""Lower bounds of the buckets of span widths; there is no greatest width."""


def bucket(values: Tensor, bounds: tuple[int, ...]) -> Tensor:
    """The number of the bucket of each value, from 0 to `len(bounds)`; same shape as `values`."""
    return torch.bucketize(values, torch.tensor(bounds, device=values.device), right=True)


def bucket_counts(counts: Tensor, bounds: tuple[int, ...]) -> Tensor:
    """The same for many small whole numbers, faster; those below 0 count as 0."""
    buckets = bucket(torch.arange(bounds[-1] + 1, device=counts.device), bounds)
    return buckets.index_select(0, counts.clamp(0, bounds[-1]).flatten()).view(counts.shape)


def merge_tables(rows: Sequence[Tensor], tables: Sequence[Tensor], most: int) -> tuple[list[Tensor], list[Tensor]]:
    """Fewer tables that add up to the same: one of all combinations of rows in place of several tables.

    rows (Sequence[Tensor]): Numbers of rows, for each table. Shapes: any, but the same
    tables (Sequence[Tensor]): Shapes: (rows of the table, width)
    most (int): The greatest number of rows of a table of combinations.
    RETURNS (tuple[list[Tensor], list[Tensor]]): Numbers of rows, of the type int32, and tables.
    """
    merged_rows, merged_tables = [rows[0].int()], [tables[0]]
    for numbers, table in zip(rows[1:], tables[1:], strict=True):
        if len(merged_tables[-1]) * len(table) <= most:
            merged_tables[-1] = (merged_tables[-1][:, None] + table).flatten(0, 1)
            merged_rows[-1] = merged_rows[-1] * len(table) + numbers
        else:
            merged_tables.append(table)
            merged_rows.append(numbers.int())
    return merged_rows, merged_tables


def add_up(rows: Sequence[Tensor], tables: Sequence[Tensor]) -> Tensor:
    """The sum of one row of each of some small tables, by number, most of them many times: an embedding of features.

    On a GPU it is a product: the gradient of an embedding adds up one row after the other there, and waits for the GPU.

    tables (Sequence[Tensor]): Shapes: (rows of the table, width)
    RETURNS (Tensor): Shape: that of the numbers, then `width`
    """
    return (multiply_rows if tables[0].is_cuda else sum_rows)(rows, tables)


def sum_rows(rows: Sequence[Tensor], tables: Sequence[Tensor]) -> Tensor:
    """`add_up` by one look-up after the other."""
    total = embedding(rows[0].int(), tables[0])
    for numbers, table in zip(rows[1:], tables[1:], strict=True):
        total = total.add_(embedding(numbers.int(), table))
    return total


def multiply_rows(rows: Sequence[Tensor], tables: Sequence[Tensor]) -> Tensor:
    """`add_up` by a product with a matrix of zeros, and a one for each row that is added."""
    first = accumulate(map(len, tables[:-1]), initial=0)
    places = torch.stack([numbers.long() + offset for numbers, offset in zip(rows, first, strict=True)], dim=-1)
    table = torch.cat(list(tables))
    return table.new_zeros(*places.shape[:-1], len(table)).scatter_(-1, places, 1.0) @ table


def union_of_bits(bits: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """The bits that any token of a span has.

    bits (Tensor): Whole numbers, of whose bits each counts. Shape: (tokens, columns)
    starts, ends (Tensor): First and last token of each span. Shape: (spans,)
    RETURNS (Tensor): Shape: (spans, columns)
    """
    # Any run of tokens is two runs of 1, 2, 4, ... tokens, which overlap; those of 2 n are made of those of n.
    runs = [bits]
    widest = int((ends - starts).max()) + 1 if len(starts) else 1
    while 2 ** len(runs) <= widest:
        last, size = runs[-1], 2 ** (len(runs) - 1)
        runs.append(torch.cat([last[:-size] | last[size:], last[-size:]]))
    sizes = 2 ** torch.arange(len(runs), device=bits.device)
    level = torch.searchsorted(sizes, ends - starts + 1, right=True) - 1
    table = torch.stack(runs)
    return table[level, starts] | table[level, ends + 1 - sizes[level]]


_BASE = 6364136223846793005  # odd, so that its powers have inverses modulo 2^64
_INVERSE = pow(_BASE, -1, 1 << 64)


def span_hashes(words: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """A number for the word sequence of each span: equal for equal sequences, and for hardly any others.

    The hash of words w_0, w_1, ... is the sum of w_t base^t modulo 2^64, a difference of prefix sums.

    words (Tensor): An identifier for each token. Shape: (tokens,)
    starts, ends (Tensor): First and last token of each span. Shape: (spans,)
    """
    powers, inverses = (torch.cumprod(torch.full_like(words, _as_int64(base)), 0) for base in (_BASE, _INVERSE))
    sums = torch.nn.functional.pad(torch.cumsum(_scramble(words) * powers, 0), (1, 0))
    return (sums[ends + 1] - sums[starts]) * inverses[starts]


def _scramble(words: Tensor) -> Tensor:
    """Spread identifiers over 64 bits, so that small ones don't meet in sums, much as MurmurHash3 ends."""
    # The finalizer maps 0 to 0, which would not change a sum: the added constant makes sure that no small one is 0.
    mixed = (words + _as_int64(0x9E3779B97F4A7C15)) * _as_int64(0xFF51AFD7ED558CCD)
    return (mixed ^ (mixed >> 33)) * _as_int64(0xC4CEB9FE1A85EC53)


def _as_int64(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
