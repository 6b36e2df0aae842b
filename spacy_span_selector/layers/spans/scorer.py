"""Scores for every span of every sentence, without a vector for every span.

A span is its first token, its last token, an attention-weighted mean of its tokens (the head) and
its width (Lee et al. 2017), and a feed-forward net turns their concatenation into scores. Its first
layer is linear, so each part is projected once per *token* and the projections are added per span:

    hidden(i, k) = relu( start_i + end_k + head(i, k) + width(k - i) )

The projected head of a span is a ratio of sums over its tokens, `a` being the attention logits and `x` the projected
tokens, which costs no more than the other parts if the sums of one span are made from those of others:

    head(i, k) = A(i, k) / Z(i, k),   A(i, k) = sum over i <= u <= k of exp(a_u) x_u,   Z likewise of exp(a_u)

`charts.py` does so. When only narrow spans are scored, it sees a long sentence as windows, each with the spans that
start in one part of it, so that what is held at once does not depend on its length.
`docs/model.md` has the derivation; the tests hold the result equal to the concatenated form.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from .charts import SpanParts, attention_weights, score_spans
from .computing import multiply, prediction_dtype, rows_at_once
from .features import WIDTH_BUCKETS, bucket
from .layout import Bucket, SpanLayout

SPANS_AT_ONCE = 1 << 12
"""Spans that are represented at once at prediction: their parts take as much memory as what they are joined to."""

HEAD_TOKENS = 1 << 16
"""Tokens of spans whose vectors are gathered at once to represent them."""


class SpanScorer(nn.Module):
    """Score every span, and represent chosen spans.

    width (int): Width of the token vectors.
    feature_width (int): Width of the embedding of the span width.
    scores (int): How many scores each span gets.
    dropout (float): Dropout of the hidden layer. One mask is drawn per sentence and shared by its spans:
        a mask for each span would cost more than the scores.
    bfloat16 (bool): Whether tokens are projected in bfloat16 at prediction, where the device has instructions for it.
    """

    def __init__(
        self, *, width: int, hidden_width: int, feature_width: int, scores: int, dropout: float, bfloat16: bool = False
    ) -> None:
        super().__init__()
        self.in_bfloat16 = bfloat16
        self.attention = nn.Linear(width, 1)
        self.start = nn.Linear(width, hidden_width)
        self.end = nn.Linear(width, hidden_width, bias=False)
        self.head = nn.Linear(width, hidden_width, bias=False)
        self.width_embedding = nn.Embedding(len(WIDTH_BUCKETS) + 1, feature_width)
        self.width = nn.Linear(feature_width, hidden_width, bias=False)
        self.output = nn.Linear(hidden_width, scores)
        self.dropout = nn.Dropout(dropout)
        self.vector_width = 3 * width + feature_width

    def forward(self, tokens: Tensor, layout: SpanLayout, max_width: int | None = None) -> Tensor:
        """Score every span of a batch.

        tokens (Tensor): Token vectors. Shape: (tokens, width)
        max_width (int | None): The greatest number of tokens of a span that is scored. None for all.
        RETURNS (Tensor): Values in padding and of wider spans are meaningless. Shape: (scores, layout.size)
        """
        if not layout.buckets:
            return tokens.new_zeros(self.output.out_features, 0)
        charts = [self._score_bucket(bucket, tokens, max_width) for bucket in layout.buckets]
        return torch.cat([chart.flatten(0, 2).T for chart in charts], dim=1).add_(self.output.bias[:, None])

    def score_some(self, tokens: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Score chosen spans, without dropout. Shapes: (tokens, width), (spans,), (spans,) -> (scores, spans)"""
        start, end, head, width = self._parts(tokens, starts, ends)
        hidden = self.start(start) + self.end(end) + self.head(head) + self.width(width)
        return self.output(torch.relu(hidden)).T

    def represent(self, tokens: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Start, end, head and width feature of chosen spans, concatenated. Shape: (spans, vector_width)"""
        if torch.is_grad_enabled():
            return torch.cat(self._parts(tokens, starts, ends), dim=1)
        vectors = tokens.new_empty(len(starts), self.vector_width)
        blocks = zip(*(column.split(SPANS_AT_ONCE) for column in (starts, ends, vectors)), strict=True)
        for some_starts, some_ends, some in blocks:
            torch.cat(self._parts(tokens, some_starts, some_ends), dim=1, out=some)
        return vectors

    def _parts(self, tokens: Tensor, starts: Tensor, ends: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Start, end, head and width feature of chosen spans. Shape: (spans, width or feature width) each"""
        widths = ends - starts + 1
        logits = self.attention(tokens).squeeze(1)
        _, counts = torch.unique_consecutive(torch.cumsum(widths, 0) // HEAD_TOKENS, return_counts=True)
        some = counts.tolist()
        heads = [_heads(tokens, logits, *edges) for edges in zip(starts.split(some), ends.split(some), strict=True)]
        features = self.width_embedding(bucket(widths, WIDTH_BUCKETS))
        return tokens[starts], tokens[ends], torch.cat([tokens[:0], *heads]), features

    def _score_bucket(self, sentences: Bucket, tokens: Tensor, max_width: int | None) -> Tensor:
        """The chart of one bucket, without bias. Shape: (sentences, length, length or widths, scores)"""
        padding = torch.arange(sentences.shape[1], device=tokens.device) >= sentences.lengths[:, None]
        # Projected here, padding too, and not all at once: a long document has few of its tokens in one bucket.
        tokens = tokens[sentences.tokens]
        dtype = prediction_dtype(self, self.in_bfloat16, tokens)
        weight = attention_weights(self.attention(tokens).squeeze(2), padding)
        start = multiply(self.start, tokens, dtype)
        parts = SpanParts(
            start=start,
            end=multiply(self.end, tokens, dtype),
            weight=weight,
            weighted=multiply(self.head, tokens, dtype) * weight,
            widths=self.width(self.width_embedding.weight),
            mask=self.dropout(torch.ones_like(start[:, :1])) if self.training else None,
            output=self.output.weight,
            lengths=sentences.lengths,
        )
        return score_band(parts, sentences.shape[2]) if sentences.is_band else score_spans(parts, max_width)


def _heads(tokens: Tensor, logits: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """The attention-weighted mean of the tokens of each span, token by token. Shape: (spans, width)"""
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


def score_band(parts: SpanParts, most: int) -> Tensor:
    """Score the spans of at most so many tokens. Shape: (sentences, length, most, scores)"""
    count, length, hidden = parts.start.shape
    # No window is less than half its own.
    starts = max(most, rows_at_once(hidden, parts.start.device) - most + 1)
    if starts >= length:
        return score_spans(parts, most, band=True)
    chart = score_spans(cut_into_windows(parts, starts, most), most, band=True)
    return chart.view(count, -1, *chart.shape[2:])[:, :length]


def cut_into_windows(parts: SpanParts, starts: int, most: int) -> SpanParts:
    """Cut sentences into windows as if these were sentences, with `starts` first tokens and more last ones."""
    count, length, _ = parts.start.shape
    windows = -(-length // starts)
    behind = windows * starts - length
    size = starts + most - 1

    def overlapping(column: Tensor, padding: float) -> Tensor:
        padded = pad(column, (0, 0, 0, behind + most - 1), value=padding)
        return padded.unfold(1, size, starts).transpose(2, 3).flatten(0, 1)

    return parts._replace(
        start=pad(parts.start, (0, 0, 0, behind)).view(count * windows, starts, -1),
        end=overlapping(parts.end, 0.0),
        weight=overlapping(parts.weight, 1.0),  # so that nothing is divided by 0
        weighted=overlapping(parts.weighted, 0.0),
        mask=None if parts.mask is None else parts.mask.repeat_interleave(windows, dim=0),
        lengths=torch.full((count * windows,), size, device=parts.lengths.device),
    )
