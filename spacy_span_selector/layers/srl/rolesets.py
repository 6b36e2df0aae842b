"""Scores of the rolesets of a predicate: those that its word was seen with in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from ..selection.growth import take_rows
from ..spans.layout import Spans
from .pairs import Pairs


class Senses(NamedTuple):
    """The rolesets that each predicate may have.

    pairs (Pairs): Which predicate may have which roleset, by predicate; a predicate may have none.
    log_counts (Tensor): Logarithm of how often each pair was seen. Shape: (pairs,)
    """

    pairs: Pairs
    log_counts: Tensor


class FindSenses(Protocol):
    """Look up the rolesets that predicates may have."""

    def __call__(self, predicates: Spans) -> Senses: ...


@dataclass(frozen=True)
class RolesetScores:
    """The rolesets that each predicate may have, and their probabilities.

    senses (Senses): The pairs of predicate and roleset.
    log_p (Tensor): Log probability of each pair's roleset among those of its predicate. Shape: (pairs,)
    predicates (int): How many predicates there are.
    """

    senses: Senses
    log_p: Tensor
    predicates: int

    def loss(self, gold: Tensor) -> Tensor:
        """The negative log-likelihood of the gold rolesets; those that their predicate was never seen with are ignored.

        gold (Tensor): The roleset of each predicate, -1 where it is not known. Shape: (predicates,)
        """
        predicate, roleset = self.senses.pairs
        return -self.log_p[gold[predicate] == roleset].sum()

    def decode(self) -> Tensor:
        """The most probable roleset of each predicate, of equal ones the first, or -1. Shape: (predicates,)"""
        predicate, roleset = self.senses.pairs
        log_p = self.log_p.detach()
        greatest = log_p.new_full((self.predicates,), -torch.inf).scatter_reduce(0, predicate, log_p, "amax")
        best = torch.nonzero(log_p == greatest[predicate]).squeeze(1)
        none = torch.full((self.predicates,), len(log_p), device=log_p.device)
        first = none.scatter_reduce(0, predicate[best], best, "amin")
        return torch.cat([roleset, roleset.new_full((1,), -1)])[first]


class RolesetClassifier(nn.Module):
    """Score rolesets. Scores start at log counts, so an untrained network prefers the most frequent roleset; those of
    rolesets that were not seen in training, which have higher numbers, stay there.

    width (int): Width of the predicate vectors.
    hidden_width (int): Width to which they are projected.
    rolesets (int): How many rolesets there are.
    dropout (float): Dropout of the projection.
    """

    def __init__(self, *, width: int, hidden_width: int, rolesets: int, dropout: float) -> None:
        super().__init__()
        self.project = nn.Linear(width, hidden_width)
        self.rolesets = nn.Embedding(max(1, rolesets), hidden_width)  # torch warns of a gradient without rows
        self.dropout = nn.Dropout(dropout)
        nn.init.zeros_(self.rolesets.weight)

    def grow(self, rolesets: Sequence[int]) -> None:
        """Take other rolesets: the old number of each, or NEW; of a new one nothing but its count is known."""
        self.rolesets = nn.Embedding.from_pretrained(
            take_rows(self.rolesets.weight, rolesets or [0], 0.0), freeze=False
        )

    def forward(self, predicates: Tensor, senses: Senses) -> RolesetScores:
        """Score the rolesets that predicates may have.

        predicates (Tensor): Their vectors. Shape: (predicates, width)
        senses (Senses): Their rolesets.
        """
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
