"""Scores of spans by prefix sums, many starts with all their ends at once: few operations, each a large one, for a GPU.

head(i, k) = ( P_k+1 - P_i ) / ( Z_k+1 - Z_i ),   P_t = sum over u < t of exp(a_u) x_u,   Z likewise of exp(a_u)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import linear, pad

from .blocks import compute_blocks, rows_at_once
from .features import look_up
from .span_parts import LOGIT_RANGE, SpanParts, width_numbers


def score_spans(parts: SpanParts) -> Tensor:
    """Score all spans of some sentences.

    RETURNS (Tensor): 0, or of no meaning, where no span is. Shape: (sentences, length, length, scores)
    """
    count, length, hidden = parts.start.shape
    prefix_sums = (_prefix_sums(parts.weight), _prefix_sums(parts.weighted))
    by_width = width_numbers(length, parts.start.device)
    rows = rows_at_once(hidden * length, parts.start.device)
    sentences_at_once = max(1, rows // length)
    charts = []
    for first in range(0, count, sentences_at_once):
        some = slice(first, first + sentences_at_once)
        columns = parts.take(some)
        sums = (column[some] for column in prefix_sums)
        fixed = (columns.start, columns.end, *sums, columns.widths, by_width, parts.output)
        blocks = ((row, min(row + rows, length), *fixed) for row in range(0, length, rows))
        charts.append(torch.cat(compute_blocks(_score_rows, blocks, rows * length * hidden), dim=1))
    return torch.cat(charts)


def _prefix_sums(values: Tensor) -> Tensor:
    """Sums over the tokens before each place, in float64. *Shape:* `(sentences, length + 1, width)`"""
    return pad(values.double().cumsum(dim=1), (0, 0, 1, 0))


def _score_rows(
    first: int,
    last: int,
    start: Tensor,
    end: Tensor,
    weight: Tensor,
    weighted: Tensor,
    widths: Tensor,
    by_width: Tensor,
    output: Tensor,
) -> Tensor:
    """Score the spans that start at the places from `first` to `last`, exclusive.

    weight, weighted (Tensor): Prefix sums. Shapes: (sentences, length + 1, 1 or hidden)
    by_width (Tensor): The number of the width bucket of spans of 1, 2, ... tokens. Shape: (length,)
    RETURNS (Tensor): 0 below the diagonal of the block. Shape: (sentences, last - first, length, scores)
    """
    places = torch.arange(start.shape[1], device=start.device)
    width = by_width[(places[first:] - places[first:last, None]).clamp(min=0)]
    # Below the diagonal the sums are not positive; the bound keeps what comes out finite.
    total = (weight[:, None, first + 1 :] - weight[:, first:last, None]).clamp_min(math.exp(-LOGIT_RANGE))
    head = ((weighted[:, None, first + 1 :] - weighted[:, first:last, None]) / total).to(start.dtype)
    hidden = head + start[:, first:last, None] + end[:, None, first:] + _look_up_each(width, widths)
    return pad(linear(torch.relu(hidden), output), (0, 0, first, 0))


def _look_up_each(rows: Tensor, tables: Tensor) -> Tensor:
    """Rows of each table by number. *Shape:* `(tables, ...)` like `rows`, then the width of the tables"""
    side_by_side = look_up(rows, tables.transpose(0, 1).flatten(1))
    return side_by_side.unflatten(-1, (len(tables), tables.shape[2])).movedim(-2, 0)
