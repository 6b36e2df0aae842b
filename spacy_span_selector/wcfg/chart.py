"""One chart for inside and outside: the arcs of a polygon.

A sentence of n tokens has n + 1 boundaries. Place them on a circle: they are the corners of a
polygon whose sides are the n tokens and the whole sentence, the span (i, k) is the chord between
corners i and k, and a binary tree is a triangulation. The arc from i clockwise to k is the inside of
the span; the arc from k clockwise to i, which includes the side of the whole sentence, is its outside.
Both split in the same way: an arc of length d into an arc of length e and one of length d - e.

Every tensor is laid out as (length, corner, batch), so that one operation processes all arcs of a
length in all sentences, and its innermost dimensions are contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class ArcChart:
    """One value for every arc, stored twice so that the splits of an arc need no index.

    With m corners, the arc of length d from corner a to corner b = a + d (modulo m) is stored in
    `by_first[d, a]` and in `by_last[m - d, b]`. As the left part of a split grows and its right part
    shrinks, both indices ascend: the splits of all arcs of one length are two contiguous slices.
    `by_last` goes around the polygon twice, so that these slices never wrap around.

    by_first (Tensor): Values by length and first corner. Shape: (m, m, batch)
    by_last (Tensor): Values by m minus length and last corner. Shape: (m, 2 * m, batch)
    """

    by_first: Tensor
    by_last: Tensor

    @classmethod
    def zeros_like(cls, arcs: Tensor) -> ArcChart:
        """Create a chart of zeros for arcs of shape (m, m, batch)."""
        corners, _, batch = arcs.shape
        return cls(torch.zeros_like(arcs), arcs.new_zeros(corners, 2 * corners, batch))

    def splits(self, length: int) -> tuple[Tensor, Tensor]:
        """Views of the left and the right parts of all arcs of one length.

        length (int): The length.
        RETURNS (tuple[Tensor, Tensor]): Row e - 1 has the left parts, of length e, and the right parts, of length
            `length - e`. Shape: (length - 1, m, batch) each
        """
        corners = len(self.by_first)
        return self.by_first[1:length], self.by_last[corners - length + 1 :, length : length + corners]

    def write(self, length: int, values: Tensor) -> None:
        """Store the values of all arcs of one length.

        length (int): The length.
        values (Tensor): The values by first corner. Shape: (m, batch)
        """
        corners = len(values)
        self.by_first[length] = values
        self.by_last[corners - length, length : length + corners] = values
        self.by_last[corners - length, length + corners :] = values[: corners - length]

    def collect(self, length: int) -> Tensor:
        """Add up all values accumulated for the arcs of one length: the adjoint of `write`. Shape: (m, batch)"""
        corners = len(self.by_first)
        copies = self.by_last[corners - length]
        values = self.by_first[length].add_(copies[length : length + corners])
        values[: corners - length] += copies[length + corners :]
        return values


def spans_to_arcs(spans: Tensor) -> Tensor:
    """Give both arcs of each chord the value of its span.

    spans (Tensor): Values by first and last token. Shape: (batch, n, n)
    RETURNS (Tensor): Values by length and first corner; those of length 0 have no meaning.
        Shape: (n + 1, n + 1, batch)
    """
    batch, tokens, _ = spans.shape
    corner = torch.arange(tokens + 1, device=spans.device)
    first, second = corner, (corner[:, None] + corner) % (tokens + 1)
    start, end = torch.minimum(first, second), torch.maximum(first, second).clamp(min=1)
    start = start.clamp(max=tokens - 1)
    rows = spans.reshape(batch, tokens * tokens).t().contiguous()
    return rows.index_select(0, (start * tokens + end - 1).flatten()).view(tokens + 1, tokens + 1, batch)


def arcs_to_spans(arcs: Tensor) -> Tensor:
    """Add up both arcs of each chord: the adjoint of `spans_to_arcs`.

    arcs (Tensor): Values by length and first corner. Shape: (n + 1, n + 1, batch)
    RETURNS (Tensor): Values by first and last token; 0 below the diagonal. Shape: (batch, n, n)
    """
    corners, _, batch = arcs.shape
    token = torch.arange(corners - 1, device=arcs.device)
    start, end = token[:, None], token + 1
    inside = (end - start) % corners * corners + start
    outside = (start - end) % corners * corners + end
    rows = arcs.reshape(corners * corners, batch)
    spans = rows.index_select(0, inside.flatten()) + rows.index_select(0, outside.flatten())
    return spans.t().reshape(batch, corners - 1, corners - 1).triu()


def existing_spans(lengths: Tensor, tokens: int) -> Tensor:
    """Which pairs of a first and a last token are spans of each sentence.

    lengths (Tensor): Number of tokens of each sentence. Shape: (batch,)
    tokens (int): n, the size of the chart.
    RETURNS (Tensor): Booleans. Shape: (batch, n, n)
    """
    token = torch.arange(tokens, device=lengths.device)
    return (token[:, None] <= token) & (token < lengths[:, None, None])
