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


def score_spans(parts: SpanParts, most: int | None = None) -> Tensor:
    """Score all spans of some sentences.

    most (int | None): The greatest number of tokens of a span that is scored. None for all.
    RETURNS (Tensor): 0, or of no meaning, where no span is. Shape: (sentences, length, length, scores)
    """
    count, length, hidden = parts.start.shape
    sums = (_prefix_sums(parts.weight), _prefix_sums(parts.weighted))
    by_width = width_numbers(length, parts.start.device)
    output = (parts.output * parts.mask).mT  # of each sentence
    most = min(length, most or length)
    rows = rows_at_once(hidden * length, parts.start.device)
    sentences_at_once = max(1, rows // length)
    if most < length:
        rows = min(rows, most)  # a block is then about twice as wide as the spans that are scored
    charts = []
    for first in range(0, count, sentences_at_once):
        some = slice(first, first + sentences_at_once)
        of_sentences = (column[some] for column in (parts.start, parts.end, *sums, output))
        fixed = (*of_sentences, parts.widths, by_width)
        blocks = (
            (row, min(row + rows, length), min(row + rows + most - 1, length), *fixed) for row in range(0, length, rows)
        )
        charts.append(torch.cat(compute_blocks(_score_rows, blocks, rows * length * hidden), dim=1))
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
) -> Tensor:
    """Score the spans that start at the places from `first` to `last`, exclusive, and end before `stop`.

    weight, weighted (Tensor): Prefix sums. Shapes: (sentences, length + 1, 1 or hidden)
    output (Tensor): The output layer of each sentence. Shape: (sentences, hidden, scores)
    by_width (Tensor): The number of the width bucket of spans of 1, 2, ... tokens. Shape: (length,)
    RETURNS (Tensor): 0 left and right of the block. Shape: (sentences, last - first, length, scores)
    """
    length = start.shape[1]
    places = torch.arange(stop, device=start.device)
    width = by_width[(places[first:] - places[first:last, None]).clamp(min=0)]
    # Below the diagonal the sums are not positive; the bound keeps what comes out finite.
    total = (weight[:, None, first + 1 : stop + 1] - weight[:, first:last, None]).clamp_min(math.exp(-LOGIT_RANGE))
    head = ((weighted[:, None, first + 1 : stop + 1] - weighted[:, first:last, None]) / total).to(start.dtype)
    hidden = head + start[:, first:last, None] + end[:, None, first:stop] + look_up(width, widths)
    scores = torch.relu(hidden).flatten(1, 2) @ output
    return pad(scores.unflatten(1, hidden.shape[1:3]), (0, 0, first, length - stop))
