"""Charts of the spans of a sentence by their width, in two layouts whose slices are all splits of all spans of a width.

A sentence of n tokens has m = n + 1 boundaries. A span of width w lies between boundaries i and k = i + w. It is split
into a left part of width e and a right part of width w - e. Two charts hold one value for every span:

- by start, `[w, i]`, for left parts: widths ascend;
- by end, `[n - w, k]`, for right parts: widths descend.

So as the left part of a split grows and the right part shrinks, the rows of both ascend. Either chart is a square of
shape (m, m, batch), less than half of which is in use; its views as the other square are only other strides.
"""

from __future__ import annotations

import torch
from torch import Tensor


def parts(by_start: Tensor, by_end: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Views of the left and the right parts of all spans of one width.

    by_start, by_end (Tensor): A chart by start and one by end. Shape: (m, m, batch)
    width (int): The width.
    RETURNS (tuple[Tensor, Tensor]): Row e - 1 has the parts of a left part of width e; columns are the spans by their
        start. Shape: (width - 1, m - width, batch) each
    """
    corners = len(by_start)
    return by_start[1:width, : corners - width], by_end[corners - width : corners - 1, width:]


def ends_of(by_start: Tensor) -> Tensor:
    """View a chart by start as `[w, k]`, by width and end. Entries with k < w are not spans. Shape: (m, m, batch)"""
    corners, _, batch = by_start.shape
    return by_start.as_strided(by_start.shape, ((corners - 1) * batch, batch, 1))


def starts_of(by_end: Tensor) -> Tensor:
    """View a chart by end as `[n - w, i]`, by width and start. Entries with i + w > n are not spans.
    Shape: (m, m, batch)"""
    corners, _, batch = by_end.shape
    return by_end.as_strided(by_end.shape, ((corners - 1) * batch, batch, 1), (corners - 1) * batch)


def to_start(by_end: Tensor) -> Tensor:
    """Copy a chart by end into a chart by start. Shape: (m, m, batch)"""
    return starts_of(by_end).flip(0)


def to_end(by_start: Tensor) -> Tensor:
    """Copy a chart by start into a chart by end. Shape: (m, m, batch)"""
    return ends_of(by_start).flip(0)


def spans_to_chart(spans: Tensor) -> Tensor:
    """Lay out spans by width and start.

    spans (Tensor): Values by first and last token. Shape: (batch, n, n)
    RETURNS (Tensor): The chart by start; 0 where there is no span. Shape: (n + 1, n + 1, batch)
    """
    batch, tokens, _ = spans.shape
    corner = torch.arange(tokens + 1, device=spans.device)
    width, end = corner[:, None], corner[:, None] + corner
    rows = spans.reshape(batch, tokens * tokens).t().contiguous()
    index = corner.clamp(max=tokens - 1) * tokens + (end - 1).clamp(0, tokens - 1)
    chart = rows.index_select(0, index.flatten()).view(tokens + 1, tokens + 1, batch)
    return chart.masked_fill_(((width == 0) | (end > tokens))[..., None], 0.0)


def chart_to_spans(chart: Tensor) -> Tensor:
    """The inverse of `spans_to_chart`.

    chart (Tensor): A chart by start. Shape: (n + 1, n + 1, batch)
    RETURNS (Tensor): Values by first and last token; 0 below the diagonal. Shape: (batch, n, n)
    """
    corners, _, batch = chart.shape
    token = torch.arange(corners - 1, device=chart.device)
    index = (token - token[:, None] + 1).clamp(min=0) * corners + token[:, None]
    spans = chart.reshape(corners * corners, batch).index_select(0, index.flatten())
    return spans.t().reshape(batch, corners - 1, corners - 1).triu()
