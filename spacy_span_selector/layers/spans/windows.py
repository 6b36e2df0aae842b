"""A long sentence as windows, when only its narrow spans are scored: each has the spans that start in one part of it.

So what is held at once does not depend on the length of a sentence. Windows overlap by the width of a span.
"""

from __future__ import annotations

from types import ModuleType

import torch
from torch import Tensor
from torch.nn.functional import pad

from .blocks import rows_at_once
from .parts import SpanParts


def score_band(module: ModuleType, parts: SpanParts, most: int) -> Tensor:
    """Score the narrow spans of some sentences.

    module (ModuleType): What scores spans, `diagonals` or `rows`.
    most (int): The greatest number of tokens of a span.
    RETURNS (Tensor): 0, or of no meaning, where no span is. Shape: (sentences, length, most, scores)
    """
    count, length, hidden = parts.start.shape
    # No window is less than half its own.
    starts = max(most, rows_at_once(hidden, parts.start.device) - most + 1)
    if starts >= length:
        return module.score_spans(parts, most, band=True)
    chart: Tensor = module.score_spans(cut_into_windows(parts, starts, most), most, band=True)
    return chart.view(count, -1, *chart.shape[2:])[:, :length]


def cut_into_windows(parts: SpanParts, starts: int, most: int) -> SpanParts:
    """Cut sentences into windows as if these were sentences, with fewer first than last tokens.

    starts (int): First tokens of each window.
    most (int): The greatest number of tokens of a span.
    """
    count, length, _ = parts.start.shape
    windows = -(-length // starts)
    behind = windows * starts - length
    size = starts + most - 1

    def overlapping(column: Tensor, padding: float) -> Tensor:
        padded = pad(column, (0, 0, 0, behind + most - 1), value=padding)
        return padded.unfold(1, size, starts).transpose(2, 3).flatten(0, 1)

    return SpanParts(
        start=pad(parts.start, (0, 0, 0, behind)).view(count * windows, starts, -1),
        end=overlapping(parts.end, 0.0),
        weight=overlapping(parts.weight, 1.0),  # so that nothing is divided by 0
        weighted=overlapping(parts.weighted, 0.0),
        widths=parts.widths,
        mask=parts.mask.repeat_interleave(windows, dim=0),
        output=parts.output,
        lengths=torch.full((count * windows,), size, device=parts.lengths.device),
    )
