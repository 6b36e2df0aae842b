"""Find predicates by tagging tokens, or take given ones. Predicates are ordered by start, then by end."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..spans.layout import SpanLayout, Spans

OUTSIDE, BEGIN, INSIDE = range(3)
"""The tags: of a token in no predicate, of the first token of a predicate, of a further one ("pick *up*")."""


class PredicateTagger(nn.Module):
    """Score the tags of tokens.

    width (int): Width of the token vectors.
    hidden_width (int): Width of the hidden layer.
    dropout (float): Dropout of the hidden layer.
    """

    def __init__(self, *, width: int, hidden_width: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(width, hidden_width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden_width, 3)
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """Log probabilities of the tags. Shape: (tokens, 3)"""
        scores: Tensor = self.layers(tokens)
        return scores.log_softmax(dim=1)


def predicate_tags(predicates: Spans, tokens: int) -> Tensor:
    """The tag of each token. Where predicates overlap, the first of them has the token. Shape: (tokens,)"""
    tags = [OUTSIDE] * tokens
    for start, end in zip(predicates.starts.tolist(), predicates.ends.tolist(), strict=True):
        if not any(tags[start : end + 1]):
            tags[start : end + 1] = [BEGIN] + [INSIDE] * (end - start)
    return torch.tensor(tags, dtype=torch.long, device=predicates.starts.device)


@dataclass(frozen=True)
class FindPredicates:
    """Take the predicates that a document is given, and those that the tagger finds where none are given.

    given (Spans): The predicates of documents that have a list of them.
    closed (Tensor): Which documents these are; the list of a document may be empty. Shape: (documents,)
    """

    given: Spans
    closed: Tensor

    def __call__(self, log_tags: Tensor, layout: SpanLayout) -> Spans:
        """The predicates of a batch.

        log_tags (Tensor): Log probabilities of tags. Shape: (tokens, 3)
        layout (SpanLayout): The sentences of the batch. Given predicates that hold a token in no sentence are left out.
        """
        found = decode_predicates(log_tags, layout)
        free = ~self.closed[layout.document[found.starts]]
        outside = torch.cumsum(~layout.in_sentence, 0)
        held = outside[self.given.ends] - outside[self.given.starts] + ~layout.in_sentence[self.given.starts]
        given = self.given.take(held == 0)
        starts = torch.cat([given.starts, found.starts[free]])
        ends = torch.cat([given.ends, found.ends[free]])
        order = torch.argsort(starts * len(layout.document) + ends, stable=True)
        return Spans(starts[order], ends[order])


def decode_predicates(log_tags: Tensor, layout: SpanLayout) -> Spans:
    """The predicates that the most probable tags spell; a predicate begins at BEGIN and takes what is INSIDE.

    log_tags (Tensor): Log probabilities of tags. Shape: (tokens, 3)
    layout (SpanLayout): The sentences of the batch; no predicate leaves its sentence, or is outside of any.
    """
    tags = log_tags.argmax(dim=1)
    starts = torch.nonzero((tags == BEGIN) & layout.in_sentence).squeeze(1)
    goes_on = (tags == INSIDE) & (layout.place > 0)
    # The last token before the next one that doesn't continue anything.
    order = torch.arange(len(tags), device=tags.device)
    stops = torch.where(goes_on, len(tags), order).flip(0).cummin(0).values.flip(0)
    following = torch.cat([stops, stops.new_full((1,), len(tags))])[starts + 1]
    return Spans(starts, following - 1)
