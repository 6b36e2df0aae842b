"""The interface between the SRL network and the part of it that finds arguments.

`span_arguments.py` selects spans and classifies them. An architecture from elsewhere may find arguments in another way:
it gives `SrlHead` another `ArgumentFinder`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from torch import Tensor, nn

from ..selection.candidates import CandidateStrategy
from ..selection.sampling import Annotation, Negatives
from ..selection.selectors import Selection
from ..spans.layout import SpanLayout, Spans
from .roles import KnownRoles


@dataclass(frozen=True)
class GoldFrames:
    """Gold predicates with their arguments. A span may be an argument of several predicates.

    predicates (Spans): By start, then by end; one span may occur twice.
    rolesets (Tensor): Number of the roleset of each, -1 where it is not known. Shape: (predicates,)
    frames (Tensor): Which predicate each argument belongs to. Shape: (arguments,)
    roles (Tensor): Number of each argument's role, from 0. Shape: (arguments,)
    annotated (Tensor): Which documents are annotated; the others are ignored in training. Shape: (documents,)
    complete (Tensor): Which of these have frames for all predicates, not for some only. Shape: (documents,)
    """

    predicates: Spans
    rolesets: Tensor
    arguments: Spans
    frames: Tensor
    roles: Tensor
    annotated: Tensor
    complete: Tensor

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each argument. Shape: (arguments,)"""
        return layout.flat_index(self.arguments.starts, self.arguments.ends)


class FoundArgument(NamedTuple):
    """An argument of a predicate.

    predicate (int): The number of the predicate in the batch.
    start, end (int): First and last token, as rows of the token matrix.
    role (int): Number of the role, from 0.
    score (float): Its probability.
    """

    predicate: int
    start: int
    end: int
    role: int
    score: float


class ArgumentOutput(Protocol):
    """Network output for the arguments of a batch."""

    @property
    def selection(self) -> Selection:
        """The spans that were selected; empty if none are scored."""

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from, each of which gets a gradient."""

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The training objective, a sum over the batch. The predicates must have been the gold ones."""

    def taught_loss(self, told: Any, layout: SpanLayout, labels: Sequence[int]) -> Tensor:
        """The loss by what a teacher says of the same predicates and spans, a sum over the batch.

        told (Any): Its output, of the same kind.
        labels (Sequence[int]): The number that it gives each role.
        """

    def decode(self) -> list[FoundArgument]:
        """The arguments of each predicate, which do not overlap. By predicate, then by place."""

    def selected(self) -> list[tuple[int, int, float]]:
        """Every span that was selected before roles were decided: first and last token, and its probability."""


class ArgumentFinder(nn.Module, ABC):
    """Find the arguments of predicates.

    Made by `SrlHead` with its own arguments, of which `width` is that of the token vectors, and with `predicate_width`,
    that of the predicate vectors.
    """

    @abstractmethod
    def grow(self, roles: int, rolesets: Sequence[int]) -> None:
        """Take more roles, and other rolesets: see `SrlHead.grow`."""

    @abstractmethod
    def forward(
        self,
        tokens: Tensor,
        layout: SpanLayout,
        predicates: Spans,
        vectors: Tensor,
        known: KnownRoles,
        choose: CandidateStrategy,
    ) -> ArgumentOutput:
        """Score the arguments of a batch.

        tokens (Tensor): Token vectors. Shape: (tokens, width)
        vectors (Tensor): Those of the predicates. Shape: (predicates, predicate_width)
        """
