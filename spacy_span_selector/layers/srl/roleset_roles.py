"""Knowledge of arguments from the roleset of their predicate: its vector, and its frame.

The frame of a roleset numbers its core roles, and says by a *function tag* what each of them is: the ARG2 of give.01 is
a goal (GOL), that of cut.01 a manner (MNR). Rolesets share these tags, so what was learnt of the goals of frequent ones
helps with those that are rare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..selection.growth import NEW, grow_output, take_rows
from .pairs import PairClassifier, Pairs
from .settings import SrlSettings

NO_TAG, ABSENT = 0, 1
"""Entries of a table of frames: for a role that frames do not define, or of which nothing is known, and for one that
the frame of a roleset lacks. Function tags are numbered from 2."""

UNKNOWN_IN_TRAINING = 0.2
"""The share of rolesets that are taken for unknown in training, so that the role classifier learns without, too."""


class FrameTable(NamedTuple):
    """The roles of each roleset, as far as they are known.

    tags (Tensor): NO_TAG, ABSENT or the number of a function tag, for each role. Shape: (rolesets, roles)
    unique (Tensor): Which roles a predicate has at most once. Shape: (roles,)
    strict (bool): Whether a role is not given to a predicate whose frame lacks it.
    """

    tags: Tensor
    unique: Tensor
    strict: bool

    def look_up(self, rolesets: Tensor) -> KnownRoles:
        """Look up the roles of predicates.

        rolesets (Tensor): The roleset of each, -1 where it is not known. Shape: (predicates,)
        """
        known = rolesets >= 0
        tags = self.tags.new_full((len(rolesets), self.tags.shape[1]), NO_TAG)
        tags[known] = self.tags[rolesets[known]]
        return KnownRoles(rolesets, tags, self.unique, self.strict)


class KnownRoles(NamedTuple):
    """The roles of the predicates of a batch, as far as they are known.

    rolesets (Tensor): The roleset of each, -1 where it is not known. Shape: (predicates,)
    tags (Tensor): The rows of these rolesets in a `FrameTable`. Shape: (predicates, roles)
    unique, strict: As in a `FrameTable`.
    """

    rolesets: Tensor
    tags: Tensor
    unique: Tensor
    strict: bool

    @property
    def allowed(self) -> Tensor:
        """Mark the roles that each predicate may have. Shape: (predicates, roles)"""
        return self.tags != ABSENT if self.strict else torch.ones_like(self.tags, dtype=torch.bool)


class RoleClassifier(PairClassifier):
    """Score the roles of pairs, or their tags, knowing which roleset the predicate has.

    labels (int): How many scores each pair gets.
    rolesets (int | None): How many rolesets were seen in training, each of which has a vector; None for no vectors.
    tags (int): How many function tags there are, ABSENT among them; 0 without frames.
    settings (SrlSettings): Sizes.
    """

    def __init__(
        self, *, argument_width: int, predicate_width: int, labels: int, rolesets: int, tags: int, settings: SrlSettings
    ) -> None:
        super().__init__(
            argument_width=argument_width,
            predicate_width=predicate_width,
            width=settings.pair_width,
            hidden_width=settings.pair_hidden_width,
            labels=labels + tags,
            dropout=settings.dropout,
            bfloat16=settings.bfloat16,
        )
        self.labels = labels
        self.rolesets: nn.Embedding | None = None
        if settings.roleset_vectors:
            self.rolesets = nn.Embedding(rolesets + 1, settings.pair_width)  # the last one for all others
            nn.init.normal_(self.rolesets.weight, std=0.02)

    def grow(self, labels: int, rolesets: Sequence[int]) -> None:
        """Take more labels, and other rolesets.

        labels (int): How many labels there are; new ones come last.
        rolesets (Sequence[int]): The old number of each, or NEW: a new one starts as the vector of all others does.
        """
        rows = [*range(self.labels), *[NEW] * (labels - self.labels), *range(self.labels, self.output.out_features)]
        self.output = grow_output(self.output, rows)
        self.labels = labels
        if self.rolesets is not None:
            vectors = self.rolesets.weight
            grown = take_rows(vectors, [*rolesets, len(vectors) - 1], vectors[-1].detach())
            self.rolesets = nn.Embedding.from_pretrained(grown, freeze=False)

    def score_roles(
        self, arguments: Tensor, predicates: Tensor, pairs: Pairs, distance: Tensor, known: KnownRoles, tags: Tensor
    ) -> Tensor:
        """Score pairs.

        arguments, predicates, pairs, distance: As for `PairClassifier`.
        known (KnownRoles): What is known of the roles of the predicates.
        tags (Tensor): The function tag of each label. Shape: (predicates, labels)
        RETURNS (Tensor): Shape: (pairs, labels)
        """
        scores = self(arguments, predicates, pairs, distance, self._vectors(known.rolesets))
        if scores.shape[1] == self.labels:
            return scores
        of_tags = nn.functional.pad(scores[:, self.labels :], (1, 0))  # NO_TAG adds nothing
        return scores[:, : self.labels] + of_tags.gather(1, tags[pairs.right])

    def _vectors(self, rolesets: Tensor) -> Tensor | None:
        """The vectors of rolesets; in training, some are taken for unknown. Shape: (predicates, width)"""
        if self.rolesets is None:
            return None
        last = self.rolesets.num_embeddings - 1
        unknown = (rolesets < 0) | (rolesets >= last)
        if self.training:
            unknown |= torch.rand(rolesets.shape, device=rolesets.device) < UNKNOWN_IN_TRAINING
        vectors: Tensor = self.rolesets(torch.where(unknown, last, rolesets))
        return vectors
