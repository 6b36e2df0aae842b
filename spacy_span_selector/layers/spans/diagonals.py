"""Scores of spans one width after the other, on a CPU several times as fast as `rows`.

The head of a span is a mean that grows by a token a step, so there are no differences of sums that could lose digits:

    head(i, k) = A(i, k) / Z(i, k),   A(i, k) = A(i, k - 1) + exp(a_k) x_k,   Z(i, k) = Z(i, k - 1) + exp(a_k)

The spans of one width are a diagonal of the chart, and their parts are slices of the parts of tokens: nothing is
gathered, and nothing computed below the diagonal of a chart or for sentences that are too short. The backward pass goes
from the widest spans to the narrowest. The sums that it needs are computed again, some widths at a time.
"""

from __future__ import annotations

from itertools import groupby
from math import isqrt
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import linear

from .blocks import rows_at_once
from .parts import SpanParts, width_numbers


def score_spans(parts: SpanParts, most: int | None = None, band: bool = False) -> Tensor:
    """Score all spans of some sentences; differentiable once.

    most (int | None): The greatest number of tokens of a span that is scored. None for all.
    band (bool): Whether the result has only columns for such spans, by their width.
    RETURNS (Tensor): 0, or of no meaning, where no span is. Shape: (sentences, length, length or most, scores)
    """
    _, length, hidden = parts.end.shape
    at_once = rows_at_once(hidden * length, parts.start.device)
    return torch.cat([_Diagonals.apply(most, band, *_put_mask_on_parts(some)) for some in parts.split(at_once)])


class _Parts(NamedTuple):
    """`SpanParts` with the mask on each of them: as it is nowhere below 0, that is the same as on the hidden layer.

    widths (Tensor): Projected width features of each sentence. Shape: (sentences, width buckets, hidden)
    """

    start: Tensor
    end: Tensor
    weight: Tensor
    weighted: Tensor
    widths: Tensor
    output: Tensor
    lengths: Tensor


def _put_mask_on_parts(parts: SpanParts) -> _Parts:
    start, end, weight, weighted, widths, mask, output, lengths = parts
    widths = widths[: int(width_numbers(end.shape[1], widths.device)[-1]) + 1]
    if mask is None:
        return _Parts(start, end, weight, weighted, widths.expand(len(start), -1, -1), output, lengths)
    return _Parts(start * mask, end * mask, weight, weighted * mask, widths * mask, output, lengths)


class _Diagonal(NamedTuple):
    """The spans of one width.

    width (int): Number of their tokens.
    firsts, lasts (tuple): Index of their first, and of their last tokens, in the sentences that are long enough.
    """

    width: int
    firsts: tuple[slice, slice]
    lasts: tuple[slice, slice]

    def of(self, chart: Tensor, band: bool) -> Tensor:
        """A view of their entries in a chart. Shape: (sentences, spans, scores)"""
        sentences, places = self.firsts
        if band:
            return chart[sentences, places, self.width - 1]
        return chart.diagonal(self.width - 1, 1, 2)[sentences, :, places].transpose(1, 2)


class _Run(NamedTuple):
    """Some diagonals, one wider than the other, of one width bucket.

    bucket (int): Number of the bucket.
    diagonals (list[_Diagonal]): So few that the backward pass may hold the sums of all of them.
    """

    bucket: int
    diagonals: list[_Diagonal]


class _Sums(NamedTuple):
    """A and Z of the spans of one width, by first token. Shapes: (sentences, spans, hidden or 1)"""

    weighted: Tensor
    weight: Tensor

    @classmethod
    def zeros(cls, parts: _Parts) -> _Sums:
        """Of spans of no width."""
        return cls(torch.zeros_like(parts.start), torch.zeros_like(parts.start[:, :, :1]))

    def of(self, diagonal: _Diagonal) -> _Sums:
        """A view of those of spans as wide as these, or wider."""
        return _Sums(self.weighted[diagonal.firsts], self.weight[diagonal.firsts])

    def grow(self, parts: _Parts, diagonal: _Diagonal) -> _Sums:
        """Widen the spans by a token, in place, to those of a diagonal. What it has no span for stays as it was."""
        sums = self.of(diagonal)
        sums.weighted.add_(parts.weighted[diagonal.lasts])
        sums.weight.add_(parts.weight[diagonal.lasts])
        return sums

    def clone(self) -> _Sums:
        return _Sums(self.weighted.clone(), self.weight.clone())


class _Diagonals(torch.autograd.Function):
    """The scores of all spans of some sentences, up to a greatest width, from the columns of `_Parts`."""

    @staticmethod
    def forward(ctx: Any, most: int | None, band: bool, *columns: Tensor) -> Tensor:
        ctx.save_for_backward(*columns)
        parts = _Parts(*columns)
        count, starts, _ = parts.start.shape
        chart = parts.start.new_zeros(count, starts, (band and most) or starts, len(parts.output))
        sums = _Sums.zeros(parts)
        ctx.runs, ctx.band = _runs(parts.lengths, most, starts), band
        for run in ctx.runs:
            start = parts.start + parts.widths[:, run.bucket, None]
            for diagonal in run.diagonals:
                hidden = _hidden(start, parts.end, sums.grow(parts, diagonal), diagonal)
                diagonal.of(chart, band).copy_(linear(hidden, parts.output))
        return chart

    @staticmethod
    def backward(ctx: Any, d_chart: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("span scores can be differentiated once only: call backward without create_graph=True")
        parts = _Parts(*ctx.saved_tensors)
        gradients = _Parts(*map(torch.zeros_like, parts))
        # What reaches A(i, k) and Z(i, k): of the span (i, k) and of all wider ones that start at i.
        d_sums = _Sums.zeros(parts)
        for run, before in reversed(list(zip(ctx.runs, _sums_before(ctx.runs, parts), strict=True))):
            start = parts.start + parts.widths[:, run.bucket, None]
            d_start = torch.zeros_like(start)
            sums_of = [before.grow(parts, diagonal).clone() for diagonal in run.diagonals]
            for diagonal, sums in zip(reversed(run.diagonals), reversed(sums_of), strict=True):
                hidden = _hidden(start, parts.end, sums, diagonal)
                d_scores = diagonal.of(d_chart, ctx.band).contiguous()
                gradients.output.addmm_(d_scores.flatten(0, 1).T, hidden.flatten(0, 1))
                d_hidden = torch.ops.aten.threshold_backward(d_scores @ parts.output, hidden, 0)
                d_start[diagonal.firsts] += d_hidden
                gradients.end[diagonal.lasts] += d_hidden
                d_own = d_sums.of(diagonal)
                d_own.weighted.addcdiv_(d_hidden, sums.weight)
                d_own.weight.addcdiv_((d_hidden * sums.weighted).sum(2, keepdim=True), sums.weight**2, value=-1)
                gradients.weighted[diagonal.lasts] += d_own.weighted
                gradients.weight[diagonal.lasts] += d_own.weight
            gradients.start.add_(d_start)
            gradients.widths[:, run.bucket] += d_start.sum(1)
        return None, None, *gradients[:-1], None


def _hidden(start: Tensor, end: Tensor, sums: _Sums, diagonal: _Diagonal) -> Tensor:
    """The hidden vectors of the spans of a diagonal. Shape: (sentences, spans, hidden)"""
    return torch.addcdiv(start[diagonal.firsts], *sums).add_(end[diagonal.lasts]).relu_()


def _runs(lengths: Tensor, most: int | None = None, starts: int | None = None) -> list[_Run]:
    """The diagonals of some sentences, the first of which is the longest, up to a greatest width; narrow ones first.

    Spans start at the first `starts` tokens, or at all. A run has at most about the square root of all diagonals, so
    that as few runs are begun as sums are held in one.
    """
    longest = int(lengths[0])
    widest = min(longest, most or longest)
    widths = torch.arange(1, widest + 1, device=lengths.device)
    counts = torch.searchsorted(-lengths, -widths, right=True).tolist()
    diagonals = []
    for width, count in enumerate(counts, start=1):
        spans = min(longest - width + 1, starts or longest)
        lasts = slice(width - 1, width - 1 + spans)
        diagonals.append(_Diagonal(width, (slice(count), slice(spans)), (slice(count), lasts)))
    runs = []
    at_once = 1 + isqrt(widest)
    for bucket, places in groupby(range(widest), key=width_numbers(widest, lengths.device).tolist().__getitem__):
        bucket_places = list(places)
        for first in range(0, len(bucket_places), at_once):
            runs.append(_Run(bucket, [diagonals[place] for place in bucket_places[first : first + at_once]]))
    return runs


def _sums_before(runs: list[_Run], parts: _Parts) -> list[_Sums]:
    """The sums from which each run begins to grow."""
    sums = _Sums.zeros(parts)
    before = []
    for run in runs:
        before.append(sums.of(run.diagonals[0]).clone())
        for diagonal in run.diagonals:
            sums.grow(parts, diagonal)
    return before
