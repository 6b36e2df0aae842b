"""Features of spans and pairs: widths and distances in buckets that widen, and whether words are the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding, embedding_bag

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

    rows (Sequence[Tensor]): Numbers of rows, which are broadcast.
    tables (Sequence[Tensor]): Shapes: (rows of the table, width)
    RETURNS (Tensor): Shape: that of the numbers, then `width`
    """
    return _sum_rows(*_join_tables(rows, tables))


def _join_tables(rows: Sequence[Tensor], tables: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """All rows of a sum as places in one table. Shapes: (..., tables) and (rows of all tables, width)"""
    first = accumulate(map(len, tables[:-1]), initial=0)
    places = torch.broadcast_tensors(*(numbers.int() + offset for numbers, offset in zip(rows, first, strict=True)))
    return torch.stack(places, dim=-1), torch.cat(list(tables))


def _sum_rows(places: Tensor, table: Tensor) -> Tensor:
    """The sums of some rows. Shapes: (..., rows), (all rows, width) -> (..., width)"""
    if table.is_cuda:  # the gradient of an embedding adds up one row after the other there, and waits for the GPU
        return table.new_zeros(*places.shape[:-1], len(table)).scatter_(-1, places.long(), 1.0) @ table
    return embedding_bag(places.flatten(0, -2), table, mode="sum").view(*places.shape[:-1], table.shape[1])


class Added(NamedTuple):
    """What is added to the hidden vectors of pairs: rows of tables, of both sides and then of features; on a CPU of one
    table of all, since one look-up takes less time than several."""

    rows: Sequence[Tensor]
    tables: Sequence[Tensor]

    @classmethod
    def of(cls, rows: Sequence[Tensor], tables: Sequence[Tensor]) -> Added:
        """Of three tables or more, with arguments as for `add_up`."""
        return cls(rows, tables) if tables[0].is_cuda else cls(*([part] for part in _join_tables(rows, tables)))

    def take(self, some: Tensor) -> Added:
        """What is added to some of the pairs, by index."""
        return self._replace(rows=[numbers[some] for numbers in self.rows])

    def to(self, hidden: Tensor) -> Tensor:
        """Add it in place. Shape: that of the pairs, then `hidden`"""
        rows, tables = self
        if len(tables) == 1:
            return hidden.add_(_sum_rows(*rows, *tables))
        hidden.add_(embedding(rows[0], tables[0])).add_(embedding(rows[1], tables[1]))
        return hidden.add_(add_up(rows[2:], tables[2:]))


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
