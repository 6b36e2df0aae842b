"""The parts that scores of spans are made of: projections of their tokens, and of their widths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from .features import WIDTH_BUCKETS, bucket

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
    widths (Tensor): Projected width features. Shape: (width buckets, hidden)
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
        start, end, weight, weighted, widths, mask, output, lengths = self
        for first in range(0, len(start), sentences):
            some = slice(first, first + sentences)
            own = None if mask is None else mask[some]
            yield SpanParts(start[some], end[some], weight[some], weighted[some], widths, own, output, lengths[some])


def attention_weights(logits: Tensor, padding: Tensor) -> Tensor:
    """exp(logit), divided by that of the greatest logit of the sentence, with bounds.

    logits (Tensor): Shape: (sentences, length)
    padding (Tensor): Marks padding. Shape: (sentences, length)
    RETURNS (Tensor): From exp(-LOGIT_RANGE) to 1; in padding something in that range. Shape: (sentences, length, 1)
    """
    logits = logits.masked_fill(padding, -torch.inf)
    return (logits - logits.detach().amax(dim=1, keepdim=True)).clamp_min(-LOGIT_RANGE).exp().unsqueeze(2)


def width_numbers(length: int, device: torch.device) -> Tensor:
    """The number of the width bucket of spans of 1, 2, ... tokens. Shape: (length,)"""
    return bucket(torch.arange(1, length + 1, device=device), WIDTH_BUCKETS)
