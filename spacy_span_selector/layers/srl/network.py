"""The SRL network behind the token vectors: predicates, their rolesets, their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..selection.candidates import CandidateStrategy
from ..selection.sampling import Annotation, Negatives
from ..selection.selectors import Selection
from ..selection.teaching import cross_entropy
from ..spans.layout import SpanLayout, Spans
from .arguments import ArgumentFinder, ArgumentOutput, GoldFrames
from .predicates import FindPredicates, FindSenses, PredicateTagger, RolesetClassifier, RolesetScores, predicate_tags
from .roles import FrameTable, SrlSettings
from .span_arguments import SpanArgumentFinder


@dataclass(frozen=True)
class SrlRequest:
    """Input of the network beside token vectors and layout: which predicates to take, which rolesets they may have, and
    which roles these; and which spans to classify."""

    find_predicates: FindPredicates
    find_senses: FindSenses
    frames: FrameTable
    choose: CandidateStrategy


@dataclass(frozen=True)
class SrlOutput:
    """Network output for a batch.

    log_tags (Tensor): Log probabilities of the predicate tags of each token. Shape: (tokens, 3)
    predicates (Spans): The predicates that were taken, of which the rest is.
    """

    log_tags: Tensor
    predicates: Spans
    rolesets: RolesetScores
    arguments: ArgumentOutput

    @property
    def selection(self) -> Selection:
        """The spans that were selected."""
        return self.arguments.selection

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from."""
        return [self.log_tags, self.rolesets.log_p, *self.arguments.tensors()]

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The training objective of predicates, rolesets and arguments, per token of an annotated document."""
        learnt = gold.annotated[layout.document]
        tags = predicate_tags(gold.predicates, len(learnt))
        every_predicate = (gold.annotated & gold.complete)[layout.document]
        predicates = -self.log_tags.gather(1, tags[:, None]).squeeze(1)[every_predicate].sum()
        arguments = self.arguments.loss(gold, layout, annotation=annotation, negatives=negatives)
        return (predicates + self.rolesets.loss(gold.rolesets) + arguments) / learnt.sum().clamp(min=1)

    def taught_loss(self, told: SrlOutput, layout: SpanLayout, labels: Sequence[int]) -> Tensor:
        """The loss by what a teacher says of tokens, and of the same predicates and spans, per token."""
        predicates = cross_entropy(told.log_tags.exp(), self.log_tags)
        if torch.equal(self.rolesets.senses.pairs.right, told.rolesets.senses.pairs.right):  # both know the same ones
            predicates = predicates + cross_entropy(told.rolesets.log_p.exp(), self.rolesets.log_p)
        arguments = self.arguments.taught_loss(told.arguments, layout, labels)
        return (predicates + arguments) / max(1, len(self.log_tags))


class SrlHead(nn.Module):
    """Find predicates, their rolesets and their arguments.

    roles (int): How many roles there are, the null role not counted.
    rolesets (int): How many rolesets were seen in training; 0 if they are not predicted.
    tags (int): How many function tags the frames of rolesets have, and one for roles that they lack; 0 without frames.
    """

    def __init__(
        self,
        *,
        width: int,
        roles: int,
        rolesets: int,
        tags: int = 0,
        settings: SrlSettings,
        make_finder: Callable[..., ArgumentFinder] = SpanArgumentFinder,
    ) -> None:
        super().__init__()
        self.sizes = {"width": width, "roles": roles, "rolesets": rolesets, "tags": tags}
        self.dropout = nn.Dropout(settings.dropout)
        self.tagger = PredicateTagger(width=width, hidden_width=settings.hidden_width, dropout=settings.dropout)
        self.rolesets = RolesetClassifier(
            width=2 * width, hidden_width=settings.pair_width, rolesets=rolesets, dropout=settings.dropout
        )
        self.arguments = make_finder(
            width=width, predicate_width=2 * width, roles=roles, rolesets=rolesets, tags=tags, settings=settings
        )

    def grow(self, roles: int, rolesets: Sequence[int]) -> None:
        """Take so many roles, new ones last, and rolesets, by the old number of each or NEW. The weights of the others
        stay, but their optimizer must start again."""
        self.rolesets.grow(rolesets)
        self.arguments.grow(roles, rolesets)
        self.sizes |= {"roles": roles, "rolesets": len(rolesets)}

    def forward(self, tokens: Tensor, layout: SpanLayout, request: SrlRequest) -> SrlOutput:
        """Run the network on the token vectors of a batch. Shape: (tokens, width)"""
        tokens = self.dropout(tokens)
        log_tags = self.tagger(tokens)
        predicates = request.find_predicates(log_tags.detach(), layout)
        vectors = torch.cat([tokens[predicates.starts], tokens[predicates.ends]], dim=1)
        rolesets = self.rolesets(vectors, request.find_senses(predicates))
        known = request.frames.look_up(rolesets.decode())
        arguments = self.arguments(tokens, layout, predicates, vectors, known, request.choose)
        return SrlOutput(log_tags, predicates, rolesets, arguments)
