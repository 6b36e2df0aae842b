"""What every way to find arguments has in common."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from torch import Tensor

from ..selection.network import Selection
from ..selection.sampling import Annotation, Negatives
from ..spans.layout import SpanLayout
from .gold import GoldFrames


class FoundArgument(NamedTuple):
    """An argument of a predicate.

    predicate (int): Which predicate of the batch.
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
    def selection(self) -> Selection | None:
        """The spans that were selected; None if arguments were tagged."""

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from, each of which gets a gradient."""

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The training objective, a sum over the batch. The predicates must have been the gold ones.

        gold (GoldFrames): The annotation.
        layout (SpanLayout): The sentences of the batch.
        annotation (Literal["complete", "partial"]): Whether a span that is not annotated may be an argument.
        negatives (Negatives): Which other spans to sample.
        RETURNS (Tensor): A scalar.
        """

    def decode(self) -> list[FoundArgument]:
        """The arguments of each predicate, which do not overlap. By predicate, then by place."""

    def selected(self) -> list[tuple[int, int, float]]:
        """Every span that was selected before roles were decided: first and last token, and its probability."""
