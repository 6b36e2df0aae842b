"""The gold frames of a batch of documents, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ..spans.layout import SpanLayout, Spans


@dataclass(frozen=True)
class GoldFrames:
    """Gold predicates with their arguments. A span may be an argument of several predicates.

    predicates (Spans): By start, then by end; one span may occur twice.
    rolesets (Tensor): Number of the roleset of each, -1 where it is not known. Shape: (predicates,)
    arguments (Spans): Their arguments.
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
