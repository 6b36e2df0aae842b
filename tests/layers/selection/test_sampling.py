import torch
from torch import Tensor

from spacy_span_selector.layers.selection.sampling import Negatives, sample_spans
from spacy_span_selector.layers.spans.layout import SpanLayout

from ...layouts import layout_of, listed, spans_at


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


def draw_like(gold: list[tuple[int, int]], device: str, per_token: float = 2000.0) -> list[tuple[int, int]]:
    """First and last tokens of the spans that are drawn, beside gold ones in the second of three documents."""
    layout = layout_of([[4, 3], [3, 5], [5]], torch.device(device))
    spans = spans_at(gold, device)
    flat = layout.flat_index(spans.starts, spans.ends)
    is_gold = torch.zeros(layout.size, dtype=torch.bool, device=device).index_fill(0, flat, True)
    annotated = torch.tensor([False, True, False], device=device)
    torch.manual_seed(0)
    return listed(*layout.locate(Negatives(per_token, "gold").draw(is_gold, flat, annotated, layout)))


def test_drawn_widths_are_those_of_gold_spans(device: str):
    drawn = draw_like([(7, 7), (8, 8), (10, 13)], device)
    singles, wide = [span for span in drawn if span[0] == span[1]], [span for span in drawn if span[0] < span[1]]
    assert set(singles) == {(i, i) for i in (9, 10, 11, 12, 13, 14)}
    assert set(wide) == {(11, 14)}  # the other place of this width in a sentence is gold
    # Two of three gold spans are single words; of 20 places, six take a word that is not gold, one takes four.
    assert 10 < len(singles) / len(wide) < 14


def test_places_are_equally_likely(device: str):
    drawn = draw_like([(7, 8)], device)
    counts = [drawn.count(span) for span in [(8, 9), (10, 11), (11, 12), (12, 13), (13, 14)]]
    assert sum(counts) == len(drawn)
    assert max(counts) < 1.3 * min(counts)


def test_no_more_are_drawn_than_asked_for(device: str):
    assert len(draw_like([(7, 7)], device, 0.5)) <= 10


def test_without_gold_spans_any_span_is_drawn(device: str):
    layout, every, annotated = batch(device)
    drawn = Negatives(2.0, "gold").draw(~every, torch.tensor([], dtype=torch.long, device=device), annotated, layout)
    assert len(drawn) == 30
