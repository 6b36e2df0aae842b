from __future__ import annotations

import torch
from torch import Tensor

from spacy_span_selector.layers.selection.sampling import sample_spans
from spacy_span_selector.layers.spans.layout import SpanLayout

from ...layouts import layout_of


def batch(device: str) -> tuple[SpanLayout, Tensor, Tensor]:
    """A layout, a pool of every span, and all documents annotated."""
    layout = layout_of([[4, 3], [3], [5]], torch.device(device))
    every = torch.ones(layout.size, dtype=torch.bool, device=device)
    return layout, every, torch.ones(3, dtype=torch.bool, device=device)


def test_spans_of_the_pool_are_drawn(device: str):
    layout, _, annotated = batch(device)
    pool = (torch.rand(layout.size, generator=torch.Generator().manual_seed(0)) < 0.3).to(device)
    drawn = sample_spans(pool, annotated, layout, 20.0)
    assert set(drawn.tolist()) <= set(torch.nonzero(pool & layout.valid()).squeeze(1).tolist())
    assert len(drawn) == int((pool & layout.valid()).sum()), "as many as there are, at most"


def test_only_annotated_documents_are_drawn_from(device: str):
    layout, every, _ = batch(device)
    drawn = sample_spans(every, torch.tensor([True, False, True], device=device), layout, 20.0)
    starts, _ = layout.locate(drawn)
    assert set(layout.document[starts].tolist()) == {0, 2}


def test_as_many_are_drawn_as_asked_for(device: str):
    layout, every, annotated = batch(device)
    assert len(sample_spans(every, annotated, layout, 0.5)) == 7


def test_nothing_is_drawn_from_an_empty_pool(device: str):
    layout, every, annotated = batch(device)
    assert len(sample_spans(~every, annotated, layout, 1.0)) == 0
