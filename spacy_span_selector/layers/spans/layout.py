"""The layout of the spans of a batch of documents in memory.

The tokens of all documents lie in one matrix of shape `(tokens, width)`. Spans never leave their
sentence, so sentences of similar length, from any document, share one padded chart: a bucket
of shape `(sentences, length, length)` whose entry `[b, i, j]` is the span from token i to token j of
sentence b, both inclusive. All charts lie one after the other in a vector: the *flat* index of a span.
If no span may be wider than a limit, the chart of a long sentence is a *band*: `[b, i, w]` is the span of w + 1 tokens
that starts at token i, and wider spans have no entry, so that its size grows with the sentence, not with its square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import torch
from torch import Tensor

LEAST_LONG = 257
"""Sentences of fewer tokens have a chart of all their spans, even if their width is limited."""

LEAST_FILL = 0.75
"""A sentence joins a bucket if it is at least this fraction as long as the longest sentence in it."""

MOST_ENTRIES = {"cpu": 1 << 20, "cuda": 1 << 26}
"""Entries of charts that are filled at once, by device, or those of one sentence if that has more: what is computed
beside them takes several times their memory. A GPU is kept busy by more of them."""

ENTRIES_OF_TOKEN = 256
"""The least number of entries that a token counts for: short sentences have few, and their tokens have vectors."""


Lengths = list[int]
"""The number of tokens of each sentence of a document."""


@dataclass(frozen=True)
class Spans:
    """Spans of a batch, as rows of the token matrix.

    starts, ends (Tensor): First and last token of each span. Shape: (spans,)
    """

    starts: Tensor
    ends: Tensor

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, which: Tensor | slice) -> Spans:
        """Some of the spans, by index or by mask."""
        return Spans(self.starts[which], self.ends[which])


@dataclass(frozen=True)
class Bucket:
    """Sentences of similar length that share one padded chart.

    tokens (Tensor): Row of each token in the token matrix, 0 where padded. Shape: (sentences, length)
    lengths (Tensor): Number of tokens of each sentence. Shape: (sentences,)
    offset (int): Flat index of the first entry of the chart.
    most (int | None): The greatest width of a span, if the chart is a band.
    """

    tokens: Tensor
    lengths: Tensor
    offset: int
    most: int | None = None

    @property
    def is_band(self) -> bool:
        """True if the chart has only narrow spans, by their width."""
        return self.most is not None

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of the chart: (sentences, length, length) or (sentences, length, most)."""
        sentences, length = self.tokens.shape
        return sentences, length, self.most or length

    def chart(self, flat: Tensor) -> Tensor:
        """The part of a flat vector that belongs to this bucket, in the shape of the chart."""
        return flat[self.offset : self.offset + prod(self.shape)].view(self.shape)

    def first_and_last(self) -> tuple[Tensor, Tensor]:
        """The places of the first and the last token of each entry. Shapes that broadcast to that of a chart."""
        _, length, columns = self.shape
        first = torch.arange(length, device=self.tokens.device)[:, None]
        column = torch.arange(columns, device=self.tokens.device)
        return first, first + column if self.is_band else column


@dataclass(frozen=True)
class SpanLayout:
    """The sentences of a batch of documents, in buckets.

    buckets (list[Bucket]): Every sentence of the batch, shortest bucket last.
    document (Tensor): Number of the document that each token belongs to. Shape: (tokens,)
    row (Tensor): What the flat index of the spans that start at a token is, less the place of their last token; for a
        token whose sentence is in another of the `blocks`, `size`. Shape: (tokens,)
    place (Tensor): Place of each token in its sentence, from 0. Shape: (tokens,)
    size (int): Length of a flat vector, padding included.
    most (int | None): The greatest number of tokens of a span in charts that are bands; None if no chart is one.
    """

    buckets: list[Bucket]
    document: Tensor
    row: Tensor
    place: Tensor
    size: int
    most: int | None = None

    @classmethod
    def build(
        cls, documents: Sequence[Lengths], device: torch.device | None = None, most: int | None = None
    ) -> SpanLayout:
        """Lay out the sentences of each document; a document may have none.

        most (int | None): The greatest number of tokens of a span, where charts may be bands; None where every chart
            has to have all spans.
        """
        lengths = torch.tensor([length for sentences in documents for length in sentences], dtype=torch.long)
        words = torch.tensor([sum(sentences) for sentences in documents], dtype=torch.long)
        document = torch.repeat_interleave(torch.arange(len(words)), words)
        first = torch.cumsum(lengths, 0) - lengths  # row of the first token of each sentence
        place = torch.arange(len(document)) - torch.repeat_interleave(first, lengths)
        row = torch.empty(len(document), dtype=torch.long)
        # Longest first, so that a bucket is cut off where sentences get too short for its longest one.
        order = torch.argsort(lengths, descending=True, stable=True)
        buckets: list[Bucket] = []
        size = 0
        for members in _split_by_fill(lengths[order].tolist(), most, entries_at_once(device)):
            chosen = order[members]
            bucket_lengths = lengths[chosen]
            longest = int(bucket_lengths.max())
            limit = most if is_long(longest, most) else None
            columns = limit or longest
            places = torch.arange(longest)
            inside = places < bucket_lengths[:, None]
            tokens = torch.where(inside, first[chosen, None] + places, 0)
            rows = size + columns * torch.arange(len(chosen) * longest).view(len(chosen), longest)
            if limit is not None:
                rows -= places  # a band counts from the first token of a span, so its place is taken off again
            row[tokens[inside]] = rows[inside]
            buckets.append(Bucket(tokens.to(device), bucket_lengths.to(device), size, limit))
            size += len(chosen) * longest * columns
        return cls(buckets, document.to(device), row.to(device), place.to(device), size, most)

    @property
    def is_large(self) -> bool:
        """True if there are more entries than are filled at once."""
        return self.size > entries_at_once(self.row.device)

    def blocks(self) -> Iterator[SpanLayout]:
        """The same sentences in layouts that are not large, or have one bucket."""
        begin, at_once = 0, entries_at_once(self.row.device)
        ends = [*(bucket.offset for bucket in self.buckets[1:]), self.size]
        for end, following in zip(ends, [*ends[1:], None], strict=False):
            if following is None or following - begin > at_once:
                yield self._block(begin, end)
                begin = end

    def _block(self, begin: int, end: int) -> SpanLayout:
        """The buckets between two flat indices."""
        buckets = [replace(some, offset=some.offset - begin) for some in self.buckets if begin <= some.offset < end]
        alone = self.row + self.place
        # Tokens of other sentences lie behind every chart, so that no flat index leads there.
        row = torch.where((begin <= alone) & (alone < end), self.row - begin, end - begin)
        return replace(self, buckets=buckets, row=row, size=end - begin)

    @property
    def sentence(self) -> Tensor:
        """A number for the sentence of each token, ascending: the row of its first token. Shape: (tokens,)"""
        return torch.arange(len(self.place), device=self.place.device) - self.place

    @property
    def in_long_sentence(self) -> Tensor:
        """Mark the tokens of sentences whose chart is a band. Shape: (tokens,)"""
        long = torch.zeros_like(self.row, dtype=torch.bool)
        for bucket in self.buckets:
            if bucket.is_band:
                places = torch.arange(bucket.shape[1], device=long.device)
                long[bucket.tokens[places < bucket.lengths[:, None]]] = True
        return long

    def flat_index(self, starts: Tensor, ends: Tensor) -> Tensor:
        """The flat index of spans given by token rows, ends inclusive, which must have one. Shape: (spans,)"""
        return self.row[starts] + self.place[ends]

    def has_index(self, starts: Tensor, ends: Tensor) -> Tensor:
        """Mark the spans that have a flat index: all but wide ones of long sentences. Shape: (spans,)"""
        narrow = torch.ones_like(starts, dtype=torch.bool) if self.most is None else ends - starts < self.most
        return narrow | ~self.in_long_sentence[starts]

    def locate(self, flat: Tensor) -> tuple[Tensor, Tensor]:
        """The token rows of spans given by flat index: starts and inclusive ends. Shapes: (spans,)"""
        # The first span that starts at a token is the token alone.
        alone, tokens = torch.sort(self.row + self.place)
        starts = tokens[torch.searchsorted(alone, flat, right=True) - 1]
        ends = starts - self.place[starts] + flat - self.row[starts]
        return starts, ends

    def widths(self) -> Tensor:
        """The number of tokens of every span; not positive below the diagonal. Shape: (size,)"""
        widths = self.row.new_zeros(self.size)
        for bucket in self.buckets:
            first, last = bucket.first_and_last()
            bucket.chart(widths)[:] = last - first + 1
        return widths

    def valid(self) -> Tensor:
        """Mark the entries of a flat vector that are spans, not padding. Shape: (size,)"""
        valid = torch.zeros(self.size, dtype=torch.bool, device=self.row.device)
        for bucket in self.buckets:
            first, last = bucket.first_and_last()
            bucket.chart(valid)[:] = (first <= last) & (last < bucket.lengths[:, None, None])
        return valid


def is_long(tokens: int, most: int | None) -> bool:
    """Tell whether the chart of a sentence of so many tokens is a band; `most` is as for `SpanLayout`."""
    return most is not None and tokens >= max(most + 1, LEAST_LONG)


def entries_at_once(device: torch.device | None) -> int:
    """The number of entries of charts that are filled at once on a device, if they are of several sentences."""
    return MOST_ENTRIES["cuda" if device is not None and device.type == "cuda" else "cpu"]


def _split_by_fill(descending: list[int], most: int | None, entries: int) -> list[slice]:
    """Cut lengths, longest first, into runs in which none is shorter than LEAST_FILL of the longest, and which have no
    more entries than may be in a chart of several sentences; long sentences are in no run with others."""
    cuts = [0]
    for position, length in enumerate(descending):
        longest = descending[cuts[-1]]
        columns = most if most is not None and is_long(longest, most) else longest
        tokens = (position + 1 - cuts[-1]) * longest
        too_many = tokens * max(columns, ENTRIES_OF_TOKEN) > entries and position > cuts[-1]
        if length < LEAST_FILL * longest or is_long(length, most) != is_long(longest, most) or too_many:
            cuts.append(position)
    return [slice(begin, end) for begin, end in zip(cuts, [*cuts[1:], len(descending)], strict=True) if end > begin]
