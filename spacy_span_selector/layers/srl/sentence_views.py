"""A sentence as each of its predicates sees it: token vectors that depend on the predicate.

The encoder reads a sentence once, for all predicates. Taggers that mark the predicate in its input read it once for
each (Shi and Lin 2019, "Simple BERT Models for Relation Extraction and Semantic Role Labeling"). Here one narrow layer
of self-attention does, over vectors of tokens to which that of the predicate and the distance from it were added. It
has results for the tokens alone at which an argument may start or end.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, scaled_dot_product_attention

from ..spans.blocks import rows_at_once
from ..spans.features import look_up
from ..spans.layout import LEAST_LONG, SpanLayout, Spans
from ..spans.precision import prediction_dtype
from .pairs import DISTANCES, Pairs, signed_distance
from .settings import HEAD_WIDTH

FARTHEST = LEAST_LONG - 1
"""How far a predicate sees: every sentence whose chart has all spans is seen as a whole."""


class SentenceViews(nn.Module):
    """Make vectors of tokens that depend on the predicate.

    token_width, predicate_width (int): Widths of the vectors of tokens and predicates.
    width (int): Width of the result.
    dropout (float): Dropout of the layer.
    bfloat16 (bool): Whether it computes in bfloat16 at prediction, where the device can.
    """

    def __init__(
        self, *, token_width: int, predicate_width: int, width: int, dropout: float, bfloat16: bool = False
    ) -> None:
        super().__init__()
        self.in_bfloat16 = bfloat16
        self.token = nn.Linear(token_width, width)
        self.predicate = nn.Linear(predicate_width, width, bias=False)
        self.distance = nn.Embedding(DISTANCES, width)
        self.before = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_and_value = nn.Linear(width, 2 * width)
        self.heard = nn.Linear(width, width)
        self.feed_forward = nn.Sequential(
            *(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(dropout)),
            nn.Linear(2 * width, width),
        )
        self.after = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, tokens: Tensor, layout: SpanLayout, arguments: Spans, predicates: Spans, pairs: Pairs, vectors: Tensor
    ) -> Tensor:
        """The first and the last token of arguments, as their predicate sees them.

        tokens (Tensor): Vectors of all tokens. Shape: (tokens, token_width)
        layout (SpanLayout): The sentences of the batch.
        arguments, predicates (Spans): The two sides of pairs.
        pairs (Pairs): Pairs of one sentence each.
        vectors (Tensor): The vectors of the predicates. Shape: (predicates, predicate_width)
        RETURNS (Tensor): Shape: (pairs, 2 * width)
        """
        sentence = layout.sentence
        own = sentence[predicates.starts]
        first = torch.maximum(own, predicates.starts - FARTHEST)
        last = torch.minimum(torch.searchsorted(sentence, own, right=True) - 1, predicates.starts + FARTHEST)
        ends = torch.stack([arguments.starts, arguments.ends])[:, pairs.left]
        ends = torch.minimum(torch.maximum(ends, first[pairs.right]), last[pairs.right])
        is_seen = torch.zeros_like(layout.in_sentence)
        is_seen[ends] = True
        before = is_seen.cumsum(0) - is_seen.long()

        of_tokens, of_predicates = self.token(tokens), self.predicate(vectors)
        dtype = prediction_dtype(self, self.in_bfloat16, tokens)
        offset = torch.zeros_like(first)
        views = [of_tokens[:0]]
        count = 0
        with torch.autocast(tokens.device.type, dtype, enabled=dtype != tokens.dtype):
            for some, rows, inside in self._blocks(first, last):
                distance = signed_distance(
                    Spans(rows, rows), Spans(predicates.starts[some, None], predicates.ends[some, None])
                )
                own = of_tokens[rows] + of_predicates[some, None] + look_up(distance, self.distance.weight)
                seen = is_seen[rows] & inside
                columns = seen.int().argsort(dim=1, descending=True, stable=True)[:, : int(seen.sum(dim=1).max())]
                offset[some] = count + columns.shape[1] * torch.arange(len(some), device=some.device)
                views.append(self._attend(own, inside, columns).to(tokens.dtype))
                count += len(views[-1])
        start, end = embedding((offset - before[first])[pairs.right] + before[ends], torch.cat(views))
        return torch.cat([start, end], dim=1)

    def _attend(self, tokens: Tensor, inside: Tensor, columns: Tensor) -> Tensor:
        """One layer of a transformer, for some tokens of each sentence.

        tokens (Tensor): Shape: (sentences, length, width)
        inside (Tensor): Which tokens are not padding. Shape: (sentences, length)
        columns (Tensor): Which tokens have results. Shape: (sentences, columns)
        RETURNS (Tensor): Shape: (sentences * columns, width)
        """
        sentences, length, width = tokens.shape
        tokens = tokens.flatten(0, 1)
        heads = (width // HEAD_WIDTH, HEAD_WIDTH)
        places = (columns + length * torch.arange(sentences, device=tokens.device)[:, None]).flatten()
        read = self.before(tokens)
        query = self.query(read[places]).view(sentences, -1, *heads).transpose(1, 2)
        key, value = self.key_and_value(read).view(sentences, length, 2, *heads).permute(2, 0, 3, 1, 4)
        heard = scaled_dot_product_attention(query, key, value, inside[:, None, None])
        own = tokens[places] + self.dropout(self.heard(heard.transpose(1, 2).reshape(-1, width)))
        result: Tensor = self.after(own + self.dropout(self.feed_forward(own)))
        return result

    def _blocks(self, first: Tensor, last: Tensor) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        """Predicates that see equally many tokens, or nearly, as many as are looked at once.

        first, last (Tensor): The rows of the first and the last token that each sees. Shape: (predicates,)
        YIELDS (Tensor, Tensor, Tensor): Their numbers, the rows of the tokens that they see, and which of these are not
            padding. Shapes: (some,) and (some, length) twice
        """
        order = (last - first).argsort(descending=True)
        lengths = (last - first + 1)[order].tolist()
        begin = 0
        while begin < len(order):
            length = lengths[begin]
            some = order[begin : begin + rows_at_once(3 * length * self.after.bias.numel(), order.device)]
            rows = first[some, None] + torch.arange(length, device=order.device)
            inside = rows <= last[some, None]
            yield some, torch.where(inside, rows, 0), inside
            begin += len(some)
