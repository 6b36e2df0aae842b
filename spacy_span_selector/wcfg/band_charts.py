"""Charts of narrow spans: of a sentence of n words, only the spans of up to `most` words.

They are laid out as in `triangle`, m = n + 1 being the number of boundaries, but have only a row for each width:

- by start, `[w, i]`, for left parts;
- by end, `[most - w, k]`, for right parts.

So the parts of all spans of one width are again two slices. What contains them are rows as well, each moved by one
place against the row before. None is missing but at the edges of the sentence, where such a row reads places that have
no span.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from .triangle import Charts

TERMS = 1 << 18  # the terms of a sum that are computed at once: so few that they stay in the cache of a CPU
TERMS_OF_GPU = 1 << 26


class BandCharts(Charts):
    """A chart by start and a chart by end, of narrow spans. Shape: (2, most + 1, m, batch)

    As those of `Charts`, views have all spans and all sentences in their last dimension, here those of a block.
    """

    def blocks(self, width: int, terms: int) -> Iterator[tuple[int, int]]:
        """Cut the spans of a width, each with so many terms, into blocks whose terms fit into the cache: the first span
        of each block, and the one after the last."""
        spans = self._corners - width
        limit = TERMS_OF_GPU if self.values.is_cuda else TERMS
        size = max(1, limit // max(1, terms * self._batch))
        size = -(-spans // max(1, -(-spans // size)))  # blocks of equal size
        for first in range(0, spans, max(1, size)):
            yield first, min(first + size, spans)

    def block(self, width: int, first: int, after: int) -> Tensor:
        """Some of the spans of one width, the same from both charts. Shape: (2, (after - first) * batch)"""
        return self.some_spans(width, first, after, 0)

    def block_parts(self, width: int, first: int, after: int) -> Tensor:
        """`parts` of some of the spans of a width. Shape: (width - 1, 2, (after - first) * batch)"""
        corners = self._corners
        end = (self._rows - width) * corners + width + first
        return self._view(corners + first, end, after - first, width - 1, corners)

    def block_parents(self, width: int, first: int, after: int) -> Tensor:
        """Parents of some of the spans of a width: from the chart by end what starts with each, widest first; from
        the chart by start what ends with it, narrowest first.

        Where there is none, a view has values of the charts where there is no span.
        Shape: (most - width, 2, (after - first) * batch)
        """
        step, most = self._corners - 1, self._rows - 1
        start = (width + 1) * step + first + width
        return self._view(start, first + most, after - first, most - width, step)

    def block_siblings(self, width: int, first: int, after: int) -> Tensor:
        """Siblings of the spans in their `block_parents`: from the chart by end what follows them, from the chart
        by start what precedes them. Shape: (most - width, 2, (after - first) * batch)"""
        step, most = self._corners - 1, self._rows - 1
        start = (width + 1) * step + first + width - width * self._corners
        return self._view(start, first + most + width * self._corners, after - first, most - width, step)


def band_to_chart(spans: Tensor, elsewhere: float) -> Tensor:
    """`spans_to_chart` of spans given by first token and width. Shapes: (batch, n, most) -> (most + 1, n + 1, batch)"""
    batch, tokens, most = spans.shape
    chart = spans.new_full((most + 1, tokens + 1, batch), elsewhere)
    chart[1:, :-1] = spans.permute(2, 1, 0)
    return chart


def chart_to_band(chart: Tensor) -> Tensor:
    """The inverse of `band_to_chart`."""
    return chart[1:, :-1].permute(2, 1, 0).contiguous()


def greatest_around(chart: Tensor) -> Tensor:
    """The greatest value of each span and of all that contain it, in a chart by start, which is overwritten."""
    for width in range(len(chart) - 2, 0, -1):
        row, wider = chart[width], chart[width + 1]
        torch.maximum(row, wider, out=row)
        torch.maximum(row[1:], wider[:-1], out=row[1:])
    return chart
