"""Find predicates by tagging tokens, or take given ones, and score the rolesets that their words were seen with.

Predicates are ordered by start, then by end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..selection.network import take_rows
from ..spans.layout import SpanLayout, Spans
from .roles import Pairs

OUTSIDE, BEGIN, INSIDE = range(3)
"""The tags: of a token in no predicate, of the first token of a predicate, of a further one ("pick *up*")."""


class PredicateTagger(nn.Module):
    """Score the tags of tokens by a network with one hidden layer, which has the dropout."""

    def __init__(self, *, width: int, hidden_width: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(width, hidden_width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden_width, 3)
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """Log probabilities of the tags. Shape: (tokens, 3)"""
        return self.layers(tokens).log_softmax(dim=1)


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
        """The predicates of a batch, by log probabilities of tags. Shape: (tokens, 3)"""
        found = decode_predicates(log_tags, layout)
        free = ~self.closed[layout.document[found.starts]]
        starts = torch.cat([self.given.starts, found.starts[free]])
        ends = torch.cat([self.given.ends, found.ends[free]])
        order = torch.argsort(starts * len(layout.document) + ends, stable=True)
        return Spans(starts[order], ends[order])


def decode_predicates(log_tags: Tensor, layout: SpanLayout) -> Spans:
    """The predicates that the most probable tags spell: one begins at BEGIN, takes what is INSIDE, and never leaves its
    sentence. Shape: (tokens, 3)"""
    tags = log_tags.argmax(dim=1)
    starts = torch.nonzero(tags == BEGIN).squeeze(1)
    goes_on = (tags == INSIDE) & (layout.place > 0)
    # The last token before the next one that doesn't continue anything.
    order = torch.arange(len(tags), device=tags.device)
    stops = torch.where(goes_on, len(tags), order).flip(0).cummin(0).values.flip(0)
    following = torch.cat([stops, stops.new_full((1,), len(tags))])[starts + 1]
    return Spans(starts, following - 1)


class Senses(NamedTuple):
    """The rolesets that each predicate may have.

    pairs (Pairs): Which predicate may have which roleset, by predicate; a predicate may have none.
    log_counts (Tensor): Logarithm of how often each pair was seen. Shape: (pairs,)
    """

    pairs: Pairs
    log_counts: Tensor


FindSenses = Callable[[Spans], Senses]
"""Looks up the rolesets that predicates may have."""


@dataclass(frozen=True)
class RolesetScores:
    """The rolesets that each predicate may have, and their probabilities.

    log_p (Tensor): Log probability of each pair's roleset among those of its predicate. Shape: (pairs,)
    """

    senses: Senses
    log_p: Tensor
    predicates: int

    def loss(self, gold: Tensor) -> Tensor:
        """The negative log-likelihood of the gold rolesets, -1 where unknown; those that their predicate was never seen
        with are ignored. Shape: (predicates,)"""
        predicate, roleset = self.senses.pairs
        return -self.log_p[gold[predicate] == roleset].sum()

    def decode(self) -> Tensor:
        """The most probable roleset of each predicate, of equal ones the first, or -1. Shape: (predicates,)"""
        predicate, roleset = self.senses.pairs
        log_p = self.log_p.detach()
        # Two scatters in place of a loop: the greatest value of each predicate, then the first pair that has it.
        greatest = log_p.new_full((self.predicates,), -torch.inf).scatter_reduce(0, predicate, log_p, "amax")
        best = torch.nonzero(log_p == greatest[predicate]).squeeze(1)
        none = torch.full((self.predicates,), len(log_p), device=log_p.device)
        first = none.scatter_reduce(0, predicate[best], best, "amin")
        return torch.cat([roleset, roleset.new_full((1,), -1)])[first]


class RolesetClassifier(nn.Module):
    """Score rolesets. Scores start at log counts, so an untrained network prefers the most frequent roleset; those of
    rolesets that were not seen in training, which have higher numbers, stay there."""

    def __init__(self, *, width: int, hidden_width: int, rolesets: int, dropout: float) -> None:
        super().__init__()
        self.project = nn.Linear(width, hidden_width)
        self.rolesets = nn.Embedding(max(1, rolesets), hidden_width)  # torch warns of a gradient without rows
        self.dropout = nn.Dropout(dropout)
        nn.init.zeros_(self.rolesets.weight)

    def grow(self, rolesets: Sequence[int]) -> None:
        """Take other rolesets: the old number of each, or NEW; of a new one nothing but its count is known."""
        vectors = take_rows(self.rolesets.weight, rolesets or [0], 0.0)
        self.rolesets = nn.Embedding.from_pretrained(vectors, freeze=False)

    def forward(self, predicates: Tensor, senses: Senses) -> RolesetScores:
        """Score the rolesets that predicates, given by their vectors, may have. Shape: (predicates, width)"""
        vectors = self.dropout(torch.relu(self.project(predicates)))
        predicate, roleset = senses.pairs
        seen = roleset < self.rolesets.num_embeddings
        own = (vectors[predicate] * self.rolesets(torch.where(seen, roleset, 0))).sum(dim=1)
        scores = torch.where(seen, own, 0) + senses.log_counts
        return RolesetScores(senses, _log_softmax(scores, predicate, len(predicates)), len(predicates))


def _log_softmax(scores: Tensor, group: Tensor, groups: int) -> Tensor:
    """The log softmax of scores within groups, given by number. Shape: (scores,)"""
    greatest = scores.new_full((groups,), -torch.inf).scatter_reduce(0, group, scores.detach(), "amax")
    total = torch.zeros_like(greatest).index_add(0, group, torch.exp(scores - greatest[group]))
    return scores - greatest[group] - torch.log(total[group])
