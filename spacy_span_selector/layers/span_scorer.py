"""Scores for every span of every sentence, without a vector for every span.

A span is its first token, its last token, an attention-weighted mean of its tokens (the head) and
its width (Lee et al. 2017), and a feed-forward net turns their concatenation into scores. Its first
layer is linear, so each part is projected once per *token* and the projections are added per span:

    hidden(i, k) = relu( start_i + end_k + head(i, k) + width(k - i) )

The projected head of a span is a ratio of prefix sums over its sentence, `a` being the attention
logits and `x` the projected tokens, so that it costs no more than the other parts:

    head(i, k) = ( P_k+1 - P_i ) / ( Z_k+1 - Z_i ),   P_t = sum over u < t of exp(a_u) x_u,   Z likewise of exp(a_u)

`docs/model.md` has the derivation; the tests hold the result equal to the concatenated form.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .blocks import compute_block, rows_at_once
from .features import WIDTH_BUCKETS, bucket, look_up
from .layout import Bucket, SpanLayout

LOGIT_RANGE = 30.0
"""Attention logits further than this below the greatest of their sentence count as this far:
exp(-30) is about the smallest weight that prefix sums in float64 can still tell from 0."""


HEAD_TOKENS = 1 << 16
"""Tokens of spans whose vectors are gathered at once to represent them."""


class SpanScorer(nn.Module):
    """Score every span, and represent chosen spans.

    width (int): Width of the token vectors.
    hidden_width (int): Width of the hidden layer.
    feature_width (int): Width of the embedding of the span width.
    scores (int): How many scores each span gets.
    dropout (float): Dropout of the hidden layer. One mask is drawn per sentence and shared by its spans:
        a mask for each span would cost more than the scores.
    """

    def __init__(self, *, width: int, hidden_width: int, feature_width: int, scores: int, dropout: float) -> None:
        super().__init__()
        self.attention = nn.Linear(width, 1)
        self.start = nn.Linear(width, hidden_width)
        self.end = nn.Linear(width, hidden_width, bias=False)
        self.head = nn.Linear(width, hidden_width, bias=False)
        self.width_embedding = nn.Embedding(len(WIDTH_BUCKETS) + 1, feature_width)
        self.width = nn.Linear(feature_width, hidden_width, bias=False)
        self.output = nn.Linear(hidden_width, scores)
        self.dropout = nn.Dropout(dropout)
        self.vector_width = 3 * width + feature_width

    def forward(self, tokens: Tensor, layout: SpanLayout) -> Tensor:
        """Score every span of a batch.

        tokens (Tensor): Token vectors. Shape: (tokens, width)
        layout (SpanLayout): The sentences of the batch.
        RETURNS (Tensor): The scores; what lies in padding means nothing. Shape: (scores, layout.size)
        """
        if not layout.buckets:
            return tokens.new_zeros(self.output.out_features, 0)
        parts = (self.attention(tokens).squeeze(1), self.start(tokens), self.end(tokens), self.head(tokens))
        charts = [self._score_bucket(bucket, *parts) for bucket in layout.buckets]
        return torch.cat([chart.flatten(0, 2) for chart in charts]).T

    def represent(self, tokens: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """The concatenated vectors of chosen spans.

        tokens (Tensor): Token vectors. Shape: (tokens, width)
        starts, ends (Tensor): First and last token of each span. Shape: (spans,)
        RETURNS (Tensor): Start, end, head and width feature. Shape: (spans, vector_width)
        """
        widths = ends - starts + 1
        logits = self.attention(tokens).squeeze(1)
        _, counts = torch.unique_consecutive(torch.cumsum(widths, 0) // HEAD_TOKENS, return_counts=True)
        some = counts.tolist()
        heads = [_heads(tokens, logits, *edges) for edges in zip(starts.split(some), ends.split(some), strict=True)]
        features = self.width_embedding(bucket(widths, WIDTH_BUCKETS))
        return torch.cat([tokens[starts], tokens[ends], torch.cat([tokens[:0], *heads]), features], dim=1)

    def _score_bucket(self, sentences: Bucket, logits: Tensor, start: Tensor, end: Tensor, head: Tensor) -> Tensor:
        """The chart of one bucket. *Shape:* `(sentences, length, length, scores)`"""
        count, length, _ = sentences.shape
        places = torch.arange(length, device=logits.device)
        padding = places >= sentences.lengths[:, None]
        weight, weighted = _prefix_sums(
            logits[sentences.tokens].masked_fill(padding, -torch.inf), head[sentences.tokens]
        )
        start, end = start[sentences.tokens], end[sentences.tokens]
        widths = self.width(self.width_embedding.weight)
        output = self.output.weight.T * self.dropout(torch.ones_like(start[:, :1])).mT  # (sentences, hidden, scores)

        rows = rows_at_once(start.shape[-1] * length, start.device)
        sentences_at_once = max(1, rows // length)
        chart = []
        for first in range(0, count, sentences_at_once):
            some = slice(first, first + sentences_at_once)
            parts = (start[some], end[some], weight[some], weighted[some], widths, output[some])
            blocks = [
                compute_block(_score_rows, row, min(row + rows, length), *parts) for row in range(0, length, rows)
            ]
            chart.append(torch.cat(blocks, dim=1))
        return torch.cat(chart) + self.output.bias


def _heads(tokens: Tensor, logits: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """The attention-weighted mean of the tokens of each span, token by token. *Shape:* `(spans, width)`"""
    widths = ends - starts + 1
    span = torch.repeat_interleave(torch.arange(len(widths), device=widths.device), widths)
    before = torch.cumsum(widths, 0) - widths
    members = starts[span] + torch.arange(len(span), device=widths.device) - before[span]
    logits = logits[members]
    greatest = torch.zeros_like(starts, dtype=logits.dtype).scatter_reduce(
        0, span, logits.detach(), "amax", include_self=False
    )
    weights = torch.exp(logits - greatest[span])
    total = torch.zeros_like(greatest).index_add(0, span, weights)
    weighted = (weights / total[span])[:, None] * tokens[members]
    return tokens.new_zeros(len(widths), tokens.shape[1]).index_add(0, span, weighted)


def _prefix_sums(logits: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Sums of exp(logit), and of exp(logit) times vector, over the tokens before each place, in float64.

    logits (Tensor): Shape: (sentences, length). Padding is -inf.
    vectors (Tensor): Shape: (sentences, length, hidden)
    RETURNS (tuple[Tensor, Tensor]): Shapes: (sentences, length + 1, 1) and (sentences, length + 1, hidden)
    """
    greatest = logits.detach().amax(dim=1, keepdim=True)
    padding = torch.isneginf(logits)
    weights = (logits - greatest).clamp_min(-LOGIT_RANGE).double().exp().masked_fill(padding, 0.0)[:, :, None]
    before = (0, 0, 1, 0)
    weight = nn.functional.pad(weights.cumsum(dim=1), before)
    weighted = nn.functional.pad((weights * vectors).cumsum(dim=1), before)
    return weight, weighted


def _score_rows(
    first: int,
    last: int,
    start: Tensor,
    end: Tensor,
    weight: Tensor,
    weighted: Tensor,
    widths: Tensor,
    output: Tensor,
) -> Tensor:
    """Score the spans that start at the places from `first` to `last`, exclusive.

    start, end (Tensor): Projected tokens. Shape: (sentences, length, hidden)
    weight, weighted (Tensor): Prefix sums. Shapes: (sentences, length + 1, 1 or hidden)
    widths (Tensor): Projected width features. Shape: (width buckets, hidden)
    output (Tensor): The output layer of each sentence. Shape: (sentences, hidden, scores)
    RETURNS (Tensor): 0 below the diagonal of the block. Shape: (sentences, last - first, length, scores)
    """
    places = torch.arange(start.shape[1], device=start.device)
    width = bucket(places[first:] - places[first:last, None] + 1, WIDTH_BUCKETS)
    # Below the diagonal the sums are not positive; the bound keeps what comes out finite.
    total = (weight[:, None, first + 1 :] - weight[:, first:last, None]).clamp_min(math.exp(-LOGIT_RANGE))
    head = ((weighted[:, None, first + 1 :] - weighted[:, first:last, None]) / total).to(start.dtype)
    hidden = head + start[:, first:last, None] + end[:, None, first:] + look_up(width, widths)
    scores = torch.relu(hidden).flatten(1, 2) @ output
    return nn.functional.pad(scores.unflatten(1, hidden.shape[1:3]), (0, 0, first, 0))
