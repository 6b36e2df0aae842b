"""Layouts of documents that are given by the lengths of their sentences."""

from collections.abc import Iterable, Sequence

import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.spans import layout
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans


def layout_of(
    documents: Sequence[Sequence[int]], device: torch.device | None = None, most: int | None = None
) -> SpanLayout:
    """The layout of documents.

    most (int | None): The greatest width of a span; sentences that are longer have bands, however short.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "LEAST_LONG", 1)
        return SpanLayout.build([[*lengths] for lengths in documents], device, most)


def listed(*columns: Tensor | Spans) -> list[tuple[int, ...]]:
    """The rows of columns of numbers, of which two may be those of spans."""
    tensors = [each for one in columns for each in ((one.starts, one.ends) if isinstance(one, Spans) else (one,))]
    return list(zip(*(tensor.tolist() for tensor in tensors), strict=True))


def spans_at(rows: Iterable[tuple[int, int]], device: str = "cpu") -> Spans:
    """Spans with these first and last tokens."""
    starts, ends = torch.tensor(list(rows), dtype=torch.long, device=device).view(-1, 2).T
    return Spans(starts, ends)


def every_span(layout: SpanLayout) -> Tensor:
    """The numbers of all spans of a batch."""
    return torch.nonzero(layout.valid()).squeeze(1)
