"""What annotation tells of the types of spans, in training."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ..spans.layout import SpanLayout


@dataclass(frozen=True)
class GoldTypes:
    """The types of gold spans, and of which types all spans are annotated; None of what is not restricted.

    of_spans (Tensor | None): The types that each gold span may have, one if annotation tells. Shape: (spans, types)
    declared (Tensor | None): The types that each document is annotated for. Shape: (documents, types)
    """

    of_spans: Tensor | None = None
    declared: Tensor | None = None

    def declared_of(self, flat: Tensor, layout: SpanLayout) -> Tensor | None:
        """The types that the document of each span is annotated for. Shape: (spans, types)"""
        if self.declared is None:
            return None
        starts, _ = layout.locate(flat)
        return self.declared[layout.document[starts]]


ANY_TYPES = GoldTypes()
