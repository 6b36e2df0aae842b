"""The gold mentions and clusters of a batch of documents, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ..spans.layout import SpanLayout


@dataclass(frozen=True)
class GoldMentions:
    """Gold mentions, each with its cluster. No span occurs twice.

    starts, ends (Tensor): First and last token of each mention, as rows of the token matrix. Shape: (mentions,)
    clusters (Tensor): Number of the cluster, from 0, different across documents. Shape: (mentions,)
    annotated (Tensor): Which documents are annotated; the others are ignored in training. Shape: (documents,)
    """

    starts: Tensor
    ends: Tensor
    clusters: Tensor
    annotated: Tensor

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each mention. Shape: (mentions,)"""
        return layout.flat_index(self.starts, self.ends)
