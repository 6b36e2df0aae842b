"""Features of spans and pairs: widths and distances in buckets that widen, and whether words are the same."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import embedding, one_hot

DISTANCE_BUCKETS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
"""Lower bounds of the buckets of Lee et al. (2017): 0, 1, 2, 3, 4, 5-7, 8-15, 16-31, 32-63, 64+."""

WIDTH_BUCKETS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32, 48, 64)
"""Lower bounds of the buckets of span widths; there is no greatest width."""


def bucket(values: Tensor, bounds: tuple[int, ...]) -> Tensor:
    """The number of the bucket of each value, from 0 to `len(bounds)`; same shape as `values`."""
    return torch.bucketize(values, torch.tensor(bounds, device=values.device), right=True)


def look_up(rows: Tensor, table: Tensor) -> Tensor:
    """Rows of a small table by number, most of them many times: an embedding of features.

    On a GPU it is a product with a one-hot matrix: the gradient of an embedding adds up one row after the other there,
    and waits for the GPU.

    rows (Tensor): Numbers of rows. Shape: any
    table (Tensor): Shape: (rows of the table, width)
    RETURNS (Tensor): Shape: that of `rows`, then `width`
    """
    if table.device.type != "cuda":
        return embedding(rows, table)
    return one_hot(rows, len(table)).to(table.dtype) @ table


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
