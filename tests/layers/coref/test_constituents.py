from __future__ import annotations

import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.coref import constituents
from spacy_span_selector.layers.coref.constituents import (
    CLASSES,
    NONE,
    NOUN_PHRASE,
    OTHER,
    GoldConstituents,
    constituent_loss,
)
from spacy_span_selector.layers.spans.layout import SpanLayout

from ...layouts import layout_of

SENTENCES = [[4, 3], [3], [5]]  # tokens 0-6, 7-9 and 10-14


def make_gold(spans: list[tuple[int, int, int]], annotated: tuple[bool, ...], device: str = "cpu") -> GoldConstituents:
    starts, ends, classes = torch.tensor(spans, dtype=torch.long, device=device).view(-1, 3).T
    return GoldConstituents(starts, ends, classes, torch.tensor(annotated, device=device))


def make_scores(layout: SpanLayout, device: str = "cpu") -> Tensor:
    return torch.randn(CLASSES, layout.size, generator=torch.Generator().manual_seed(0)).to(device).requires_grad_()


def test_loss_is_the_cross_entropy_of_constituents_and_of_drawn_spans(
    monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    layout = layout_of(SENTENCES, torch.device(device))
    scores = make_scores(layout, device)
    spans = [(0, 3, OTHER), (0, 1, NOUN_PHRASE), (10, 14, OTHER)]
    drawn = layout.flat_index(*torch.tensor([[1, 2], [12, 13]], device=device).T)
    monkeypatch.setattr(constituents, "sample_spans", lambda *arguments: drawn)
    expected = 0.0
    for start, end, which in [*spans, (1, 2, NONE), (12, 13, NONE)]:
        flat = int(layout.row[start] + layout.place[end])
        expected -= float(scores.detach()[:, flat].log_softmax(0)[which])
    found = constituent_loss(scores, make_gold(spans, (True, False, True), device), layout)
    assert found.item() == pytest.approx(expected, rel=1e-5)


def test_drawn_spans_are_no_constituents_and_lie_in_documents_that_have_some() -> None:
    layout = layout_of(SENTENCES)
    scores = make_scores(layout)
    spans = [(start, 9, OTHER) for start in (7, 8, 9)]
    gold = make_gold(spans, (False, True, False))
    flat = layout.flat_index(gold.starts, gold.ends)
    drawn = set()
    for seed in range(30):
        torch.manual_seed(seed)
        (gradient,) = torch.autograd.grad(constituent_loss(scores, gold, layout), scores)
        drawn |= set(torch.nonzero(gradient.abs().sum(0)).squeeze(1).tolist()) - set(flat.tolist())
    starts, ends = layout.locate(torch.tensor(sorted(drawn)))
    assert set(zip(starts.tolist(), ends.tolist(), strict=True)) == {(7, 7), (7, 8), (8, 8)}


def test_about_as_many_spans_are_drawn_as_there_are_constituents() -> None:
    """Though two thirds of the batch have none."""
    layout = layout_of([[12] * 5] * 3)
    spans = [(12 * sentence + start, 12 * sentence + 11, OTHER) for sentence in range(5) for start in range(8)]
    gold = make_gold(spans, (True, False, False))
    scores = torch.zeros(CLASSES, layout.size)
    torch.manual_seed(0)
    per_span = torch.tensor(float(CLASSES)).log()
    terms = [float(constituent_loss(scores, gold, layout) / per_span) - len(spans) for _ in range(50)]
    assert sum(terms) / len(terms) == pytest.approx(len(spans), rel=0.1)


@pytest.mark.parametrize("sentences", [SENTENCES, [[], [], []]])
def test_documents_without_constituents_are_ignored(sentences: list[list[int]]) -> None:
    layout = layout_of(sentences)
    scores = make_scores(layout)
    loss = constituent_loss(scores, make_gold([], (False, False, False)), layout)
    assert loss.item() == 0.0
    assert (torch.autograd.grad(loss, scores)[0] == 0).all()
