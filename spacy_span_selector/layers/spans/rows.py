"""Scores of spans by prefix sums, many starts with all their ends at once: few operations, each a large one, for a GPU.

head(i, k) = ( P_k+1 - P_i ) / ( Z_k+1 - Z_i ),   P_t = sum over u < t of exp(a_u) x_u,   Z likewise of exp(a_u)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

from .blocks import compute_blocks, rows_at_once
from .features import look_up
from .parts import LOGIT_RANGE, SpanParts, width_numbers


def score_spans(parts: SpanParts, most: int | None = None, band: bool = False) -> Tensor:
    """Score all spans of some sentences.

    most (int | None): The greatest number of tokens of a span that is scored. None for all.
    band (bool): Whether the result has only columns for such spans, by their width.
    RETURNS (Tensor): 0, or of no meaning, where no span is. Shape: (sentences, length, length or most, scores)
    """
    count, length, hidden = parts.end.shape
    starts = parts.start.shape[1]
    sums = (_prefix_sums(parts.weight), _prefix_sums(parts.weighted))
    by_width = width_numbers(length, parts.start.device)
    output = parts.output.expand(count, -1, -1) if parts.mask is None else parts.output * parts.mask
    output = output.mT  # of each sentence
    most = min(length, most or length)
    columns = length if most == length else min(length, 2 * most)
    rows = rows_at_once(hidden * columns, parts.start.device)
    sentences_at_once = max(1, rows // starts)
    if most < length:
        rows = min(rows, most)  # a block is then about twice as wide as the spans that are scored
    charts = []
    for first in range(0, count, sentences_at_once):
        some = slice(first, first + sentences_at_once)
        of_sentences = (column[some] for column in (parts.start, parts.end, *sums, output))
        fixed = (*of_sentences, parts.widths, by_width, most if band else None)
        blocks = (
            (row, min(row + rows, starts), min(row + rows + most - 1, length), *fixed) for row in range(0, starts, rows)
        )
        charts.append(torch.cat(compute_blocks(_score_rows, blocks, rows * columns * hidden), dim=1))
    return torch.cat(charts)


def _prefix_sums(values: Tensor) -> Tensor:
    """Sums over the tokens before each place, in float64. Shape: (sentences, length + 1, width)"""
    return pad(values.double().cumsum(dim=1), (0, 0, 1, 0))


def _score_rows(
    first: int,
    last: int,
    stop: int,
    start: Tensor,
    end: Tensor,
    weight: Tensor,
    weighted: Tensor,
    output: Tensor,
    widths: Tensor,
    by_width: Tensor,
    band: int | None,
) -> Tensor:
    """Score the spans that start at the places from `first` to `last`, exclusive, and end before `stop`.

    weight, weighted (Tensor): Prefix sums. Shapes: (sentences, length + 1, 1 or hidden)
    output (Tensor): The output layer of each sentence. Shape: (sentences, hidden, scores)
    by_width (Tensor): The number of the width bucket of spans of 1, 2, ... tokens. Shape: (length,)
    band (int | None): Only the spans of so many tokens are wanted, by their width; None for those of any width.
    RETURNS (Tensor): 0 left and right of the block. Shape: (sentences, last - first, length or band, scores)
    """
    length = start.shape[1]
    places = torch.arange(stop, device=start.device)
    width = by_width[(places[first:] - places[first:last, None]).clamp(min=0)]
    # Below the diagonal the sums are not positive; the bound keeps what comes out finite.
    total = (weight[:, None, first + 1 : stop + 1] - weight[:, first:last, None]).clamp_min(math.exp(-LOGIT_RANGE))
    head = ((weighted[:, None, first + 1 : stop + 1] - weighted[:, first:last, None]) / total).to(start.dtype)
    hidden = head + start[:, first:last, None] + end[:, None, first:stop] + look_up(width, widths)
    scores = (torch.relu(hidden).flatten(1, 2) @ output).unflatten(1, hidden.shape[1:3])
    if band is None:
        return pad(scores, (0, 0, first, length - stop))
    # Each row begins one column further right.
    rows, columns = last - first, last - first + band - 1
    scores = pad(scores, (0, 0, 0, columns - scores.shape[2])).contiguous()
    of_sentence, _, of_column, one = scores.stride()
    shape = (len(scores), rows, band, scores.shape[3])
    return scores.as_strided(shape, (of_sentence, (columns + 1) * of_column, of_column, one))
