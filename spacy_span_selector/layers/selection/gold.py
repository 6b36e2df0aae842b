"""Gold annotation of a batch: which spans are to be selected."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from ..spans.layout import SpanLayout


class GoldSpans(Protocol):
    """The spans that are to be selected."""

    def flat_index(self, layout: SpanLayout) -> Tensor:
        """The flat index of each span; one may occur several times. Shape: (spans,)"""
