"""Charts of the spans of a sentence by their width, in two layouts whose slices are all splits of all spans of a width.

A sentence of n tokens has m = n + 1 boundaries. A span of width w lies between boundaries i and k = i + w. It is split
into a left part of width e and a right part of width w - e. Two charts hold one value for every span:

- by start, `[w, i]`, for left parts: widths ascend;
- by end, `[n - w, k]`, for right parts: widths descend.

So as the left part of a split grows and the right part shrinks, the rows of both ascend. Either chart is a square of
shape (m, m, batch), less than half of which is in use. Both lie in one tensor, and all that a step of a sweep reads or
writes is one strided view of it: a step has few operations, and it is their number that costs time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from typing_extensions import Self


class Charts:
    """A chart by start and a chart by end.

    Views have a dimension of size 2 for the two charts, in the order in which they are stored. Their last dimension is
    all spans and all sentences: spans by their start, and for each span the batch.

    values (Tensor): Both charts, contiguous. Shape: (2, m, m, batch)
    by_start, by_end (Tensor): Each of them. Shape: (m, m, batch)
    """

    def __init__(self, values: Tensor, end_first: bool = False) -> None:
        """Take two charts, of which that by end may be stored first."""
        self.values = values
        self.by_start, self.by_end = values[int(end_first)], values[int(not end_first)]
        _, self._rows, self._corners, self._batch = values.shape
        self._tokens = self._corners - 1
        self._end_first, self._offset = end_first, values.storage_offset()

    @classmethod
    def full(cls, like: Tensor, value: float, end_first: bool = False) -> Self:
        """Charts of one value, for spans of shape (m, m, batch)."""
        return cls(like.new_full((2, *like.shape), value), end_first)

    def spans(self, width: int) -> Tensor:
        """A view of all spans of one width. Shape: (2, spans * batch)"""
        start, end = width * self._corners, (self._rows - 1 - width) * self._corners + width
        return self._view(start, end, self._corners - width)

    def some_spans(self, width: int, first: int, after: int, shift: int) -> Tensor:
        """A view of some of the spans of one width from each chart. Shape: (2, (after - first) * batch)

        first, after (int): In the chart by start, the first span and the one after the last.
        shift (int): How much further right the spans in the chart by end are.
        """
        start, end = width * self._corners + first, (self._rows - 1 - width) * self._corners + width + first + shift
        return self._view(start, end, after - first)

    def parts(self, width: int) -> Tensor:
        """The left parts, from the chart by start, and the right parts, from the chart by end, of all spans of a width:
        a view whose row e - 1 has the parts of a left part of width e. Shape: (width - 1, 2, spans * batch)"""
        corners = self._corners
        return self._view(corners, (self._rows - width) * corners + width, corners - width, width - 1, corners)

    def parents(self, width: int, first: int, after: int) -> Tensor:
        """Parents of spans of one width: from the chart by end, what starts with each of some spans, and from the
        chart by start, what ends with each of as many others, their mirror images.

        Some rows have, for some columns, values of the charts where there is no span.

        first, after (int): Starts of the first span and of the one after the last, of those in the chart by end.
        RETURNS (Tensor): A view with the widest of them first in one chart, and last in the other.
            Shape: (n - width - first, 2, (after - first) * batch)
        """
        tokens = self._tokens
        start = (width + 1) * tokens + tokens - after + 1
        end = first * tokens + first + tokens
        return self._view(start, end, after - first, tokens - width - first, tokens)

    def siblings(self, width: int, first: int, after: int) -> Tensor:
        """Siblings of the spans in their `parents`: a view of the same shape that has, from the chart by end, what
        follows some of them, and from the chart by start, what precedes the others."""
        tokens = self._tokens
        start = tokens + tokens - width - after + 1
        end = (width + first) * tokens + width + first + tokens
        return self._view(start, end, after - first, tokens - width - first, tokens)

    def _view(self, start: int, end: int, columns: int, rows: int | None = None, step: int = 0) -> Tensor:
        """A row that begins at one position in the chart by start and at another in the chart by end, or several rows
        that begin `step` apart."""
        batch = self._batch
        if self._end_first:
            start, end = end, start
        between, offset = (self._rows * self._corners + end - start) * batch, self._offset + start * batch
        if rows is None:
            return self.values.as_strided((2, columns * batch), (between, 1), offset)
        return self.values.as_strided((rows, 2, columns * batch), (step * batch, between, 1), offset)


def spans_to_chart(spans: Tensor, elsewhere: float) -> Tensor:
    """Lay out spans, given by first and last token, in a chart by start, which has a value elsewhere.

    Shapes: (batch, n, n) -> (n + 1, n + 1, batch)
    """
    batch, tokens, _ = spans.shape
    rows = spans.new_full((tokens * tokens + 1, batch), elsewhere)
    rows[:-1] = spans.reshape(batch, tokens * tokens).t()
    corner = torch.arange(tokens + 1, device=spans.device)
    width, end = corner[:, None], corner[:, None] + corner
    index = torch.where((width > 0) & (end <= tokens), corner * tokens + end - 1, tokens * tokens)
    return rows.index_select(0, index.flatten()).view(tokens + 1, tokens + 1, batch)


def chart_to_spans(chart: Tensor) -> Tensor:
    """The inverse of `spans_to_chart`; 0 below the diagonal."""
    corners, _, batch = chart.shape
    token = torch.arange(corners - 1, device=chart.device)
    index = (token - token[:, None] + 1).clamp(min=0) * corners + token[:, None]
    spans = chart.reshape(corners * corners, batch).index_select(0, index.flatten())
    return spans.t().reshape(batch, corners - 1, corners - 1).triu()


def to_end(by_start: Tensor) -> Tensor:
    """Copy a chart by start into a chart by end. Shape: (m, m, batch)"""
    _, corners, batch = by_start.shape
    return by_start.as_strided(by_start.shape, ((corners - 1) * batch, batch, 1)).flip(0)


def to_start(by_end: Tensor) -> Tensor:
    """Copy a chart by end into a chart by start. Shape: (m, m, batch)"""
    rows, corners, batch = by_end.shape
    offset = by_end.storage_offset() + (rows - 1) * batch
    return by_end.as_strided(by_end.shape, ((corners - 1) * batch, batch, 1), offset).flip(0)
