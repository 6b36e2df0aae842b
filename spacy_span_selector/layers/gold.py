"""The gold annotation of a batch of documents, as tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from .constituents import GoldConstituents
from .layout import SpanLayout, Spans


class GoldSpans(Protocol):
    """Annotation that says which spans are to be selected."""

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each span; one may occur several times. *Shape:* `(spans,)`"""


@dataclass(frozen=True)
class GoldMentions:
    """Gold mentions, each with its cluster. No span occurs twice.

    starts, ends (Tensor): First and last token of each mention, as rows of the token matrix. Shape: (mentions,)
    clusters (Tensor): Number of the cluster, from 0, different across documents. Shape: (mentions,)
    annotated (Tensor): Which documents are annotated; the others teach nothing. Shape: (documents,)
    constituents (GoldConstituents | None): For the second task of the multitask selector.
    """

    starts: Tensor
    ends: Tensor
    clusters: Tensor
    annotated: Tensor
    constituents: GoldConstituents | None = None

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each mention. *Shape:* `(mentions,)`"""
        return layout.flat_index(self.starts, self.ends)


@dataclass(frozen=True)
class GoldFrames:
    """Gold predicates with their arguments. A span may be an argument of several predicates.

    predicates (Spans): By start, then by end; one span may occur twice.
    rolesets (Tensor): Number of the roleset of each, -1 where it is not known. Shape: (predicates,)
    arguments (Spans): Their arguments.
    frames (Tensor): Which predicate each argument belongs to. Shape: (arguments,)
    roles (Tensor): Number of each argument's role, from 0. Shape: (arguments,)
    annotated (Tensor): Which documents are annotated; the others teach nothing. Shape: (documents,)
    """

    predicates: Spans
    rolesets: Tensor
    arguments: Spans
    frames: Tensor
    roles: Tensor
    annotated: Tensor

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each argument. *Shape:* `(arguments,)`"""
        return layout.flat_index(self.arguments.starts, self.arguments.ends)
