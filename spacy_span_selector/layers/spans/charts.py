"""Scores of all spans of some sentences from the projections of their tokens, in two ways that give the same.

On a CPU, one width after the other, several times as fast there. The head of a span is a mean that grows by a token a
step, so there are no differences of sums that could lose digits:

    head(i, k) = A(i, k) / Z(i, k),   A(i, k) = A(i, k - 1) + exp(a_k) x_k,   Z(i, k) = Z(i, k - 1) + exp(a_k)

The spans of one width are a diagonal of the chart, and their parts are slices of the parts of tokens: nothing is
gathered, and nothing computed below the diagonal of a chart or for sentences that are too short. The backward pass goes
from the widest spans to the narrowest. The sums that it needs are computed again, some widths at a time.

On a GPU, by prefix sums, many starts with all their ends at once: few operations, each a large one.

    head(i, k) = ( P_k+1 - P_i ) / ( Z_k+1 - Z_i ),   P_t = sum over u < t of exp(a_u) x_u,   Z likewise of exp(a_u)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from .computing import compute_blocks, rows_at_once
from .features import WIDTH_BUCKETS, add_up, bucket

LOGIT_RANGE = 30.0
"""Attention logits further than this below the greatest of their sentence count as this far:
exp(-30) is about the smallest weight that differences of prefix sums in float64 can still tell from 0."""


class SpanParts(NamedTuple):
    """The parts of the hidden vectors of all spans of some sentences, `hidden` being their width.

    start, end (Tensor): Projected tokens. Shape: (sentences, length, hidden); `start` may have fewer tokens, the first
        ones, if only the spans that start at these are scored
    weight (Tensor): Attention weight of each token, up to a factor of its sentence; above 0 in padding, too, so that
        nothing is divided by 0. Shape: (sentences, length, 1)
    weighted (Tensor): Projected tokens times their weights. Shape: (sentences, length, hidden)
    widths (Tensor): Projected width features, of all sentences or of each. Shape: (width buckets, hidden) or
        (sentences, width buckets, hidden)
    mask (Tensor | None): Dropout of the hidden vectors of each sentence, None for none. Shape: (sentences, 1, hidden)
    output (Tensor): The output layer. Shape: (scores, hidden)
    lengths (Tensor): Number of tokens of each sentence, none greater than that of the sentence before it.
        Shape: (sentences,)
    """

    start: Tensor
    end: Tensor
    weight: Tensor
    weighted: Tensor
    widths: Tensor
    mask: Tensor | None
    output: Tensor
    lengths: Tensor

    def split(self, sentences: int) -> Iterator[SpanParts]:
        """The parts of so many sentences at once."""
        shared = ("widths", "output")
        own = {name: part for name, part in self._asdict().items() if part is not None and name not in shared}
        for columns in zip(*(part.split(sentences) for part in own.values()), strict=True):
            yield self._replace(**dict(zip(own, columns, strict=True)))


def attention_weights(logits: Tensor, padding: Tensor) -> Tensor:
    """exp(logit), divided by that of the greatest logit of the sentence, with bounds.

    logits, padding (Tensor): The latter marks padding. Shape: (sentences, length)
    RETURNS (Tensor): From exp(-LOGIT_RANGE) to 1; in padding something in that range. Shape: (sentences, length, 1)
    """
    logits = logits.masked_fill(padding, -torch.inf)
    return (logits - logits.detach().amax(dim=1, keepdim=True)).clamp_min(-LOGIT_RANGE).exp().unsqueeze(2)


def width_numbers(length: int, device: torch.device) -> Tensor:
    """The number of the width bucket of spans of 1, 2, ... tokens. Shape: (length,)"""
    return bucket(torch.arange(1, length + 1, device=device), WIDTH_BUCKETS)


def score_spans(parts: SpanParts, most: int | None = None, band: bool = False) -> Tensor:
    """Score all spans of some sentences, in the way that is faster on their device.

    most (int | None): The greatest number of tokens of a span that is scored. None for all.
    band (bool): Whether the result has only columns for such spans, by their width.
    RETURNS (Tensor): 0, or of no meaning, where no span is. Shape: (sentences, length, length or most, scores)
    """
    score = score_rows if parts.start.is_cuda else score_diagonals
    return score(parts, most, band)


def score_diagonals(parts: SpanParts, most: int | None = None, band: bool = False) -> Tensor:
    """`score_spans` one width after the other; differentiable once."""
    _, length, hidden = parts.end.shape
    at_once = rows_at_once(hidden * length, parts.start.device)
    charts = [_Diagonals.apply(most, band, *_put_mask_on_parts(some)) for some in parts.split(at_once)]
    if len(charts) == 1:
        return charts[0]
    return torch.cat([chart.permute(3, 0, 1, 2) for chart in charts], dim=1).permute(1, 2, 3, 0)


def _put_mask_on_parts(parts: SpanParts) -> SpanParts:
    """The same with the mask on each part: as it is nowhere below 0, that is the same as on the hidden layer."""
    start, end, _, weighted, widths, mask, *_ = parts
    widths = widths[: int(width_numbers(end.shape[1], widths.device)[-1]) + 1]
    if mask is None:
        return parts._replace(widths=widths.expand(len(start), -1, -1))
    return parts._replace(start=start * mask, end=end * mask, weighted=weighted * mask, widths=widths * mask, mask=None)


class _Diagonal(NamedTuple):
    """The spans of one width, with the index of their first, and of their last tokens, in the sentences that are long
    enough."""

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
    """Some diagonals, one wider than the other, of one width bucket, by its number: so few that the backward pass may
    hold the sums of all of them."""

    bucket: int
    diagonals: list[_Diagonal]


class _Sums(NamedTuple):
    """A and Z of the spans of one width, by first token. Shapes: (sentences, spans, hidden or 1)"""

    weighted: Tensor
    weight: Tensor

    @classmethod
    def zeros(cls, parts: SpanParts) -> _Sums:
        """Of spans of no width."""
        return cls(torch.zeros_like(parts.start), torch.zeros_like(parts.start[:, :, :1]))

    def of(self, diagonal: _Diagonal) -> _Sums:
        """A view of those of spans as wide as these, or wider."""
        return _Sums(self.weighted[diagonal.firsts], self.weight[diagonal.firsts])

    def grow(self, parts: SpanParts, diagonal: _Diagonal) -> _Sums:
        """Widen the spans by a token, in place, to those of a diagonal. What it has no span for stays as it was."""
        sums = self.of(diagonal)
        sums.weighted.add_(parts.weighted[diagonal.lasts])
        sums.weight.add_(parts.weight[diagonal.lasts])
        return sums

    def clone(self) -> _Sums:
        return _Sums(self.weighted.clone(), self.weight.clone())


class _Diagonals(torch.autograd.Function):
    """The scores of all spans of some sentences, up to a greatest width, from `SpanParts` without a mask."""

    @staticmethod
    def forward(ctx: Any, most: int | None, band: bool, *columns: Any) -> Tensor:
        ctx.save_for_backward(*columns)
        parts = SpanParts(*columns)
        count, starts, _ = parts.start.shape
        # Scores first in memory: a few long rows are multiplied, and added up, faster than many short ones.
        chart = parts.start.new_zeros(len(parts.output), count, starts, (band and most) or starts).permute(1, 2, 3, 0)
        sums = _Sums.zeros(parts)
        ctx.runs, ctx.band = _runs(parts.lengths, most, starts), band
        for run in ctx.runs:
            start = parts.start + parts.widths[:, run.bucket, None]
            for diagonal in run.diagonals:
                hidden = _hidden(start, parts.end, sums.grow(parts, diagonal), diagonal)
                scores = (parts.output @ hidden.flatten(0, 1).T).T
                diagonal.of(chart, band).copy_(scores.view(*hidden.shape[:2], -1))
        return chart

    @staticmethod
    def backward(ctx: Any, d_chart: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("span scores can be differentiated once only: call backward without create_graph=True")
        parts = SpanParts(*ctx.saved_tensors)
        known = {name: part for name, part in parts._asdict().items() if part is not None}
        gradients = parts._replace(**{name: torch.zeros_like(part) for name, part in known.items()})
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
    at_once = 1 + math.isqrt(widest)
    for number, places in groupby(range(widest), key=width_numbers(widest, lengths.device).tolist().__getitem__):
        own = list(places)
        for first in range(0, len(own), at_once):
            runs.append(_Run(number, [diagonals[place] for place in own[first : first + at_once]]))
    return runs


def _sums_before(runs: list[_Run], parts: SpanParts) -> list[_Sums]:
    """The sums from which each run begins to grow."""
    sums = _Sums.zeros(parts)
    before = []
    for run in runs:
        before.append(sums.of(run.diagonals[0]).clone())
        for diagonal in run.diagonals:
            sums.grow(parts, diagonal)
    return before


def score_rows(parts: SpanParts, most: int | None = None, band: bool = False) -> Tensor:
    """`score_spans` by prefix sums."""
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
    hidden = head + start[:, first:last, None] + end[:, None, first:stop] + add_up([width], [widths])
    scores = (torch.relu(hidden).flatten(1, 2) @ output).unflatten(1, hidden.shape[1:3])
    if band is None:
        return pad(scores, (0, 0, first, length - stop))
    # Each row begins one column further right.
    rows, columns = last - first, last - first + band - 1
    scores = pad(scores, (0, 0, 0, columns - scores.shape[2])).contiguous()
    of_sentence, _, of_column, one = scores.stride()
    shape = (len(scores), rows, band, scores.shape[3])
    return scores.as_strided(shape, (of_sentence, (columns + 1) * of_column, of_column, one))
