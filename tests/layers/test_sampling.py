import torch

from spacy_span_selector.layers.layout import SpanLayout
from spacy_span_selector.layers.sampling import sample_spans

LAYOUT = SpanLayout.build([[4, 3], [3], [5]])
EVERY = torch.ones(LAYOUT.size, dtype=torch.bool)
ANNOTATED = torch.ones(3, dtype=torch.bool)


def test_spans_of_the_pool_are_drawn():
    pool = torch.rand(LAYOUT.size, generator=torch.Generator().manual_seed(0)) < 0.3
    drawn = sample_spans(pool, ANNOTATED, LAYOUT, 20.0)
    assert set(drawn.tolist()) <= set(torch.nonzero(pool & LAYOUT.valid()).squeeze(1).tolist())
    assert len(drawn) == int((pool & LAYOUT.valid()).sum()), "as many as there are, at most"


def test_only_annotated_documents_are_drawn_from():
    drawn = sample_spans(EVERY, torch.tensor([True, False, True]), LAYOUT, 20.0)
    starts, _ = LAYOUT.locate(drawn)
    assert set(LAYOUT.document[starts].tolist()) == {0, 2}


def test_as_many_are_drawn_as_asked_for():
    assert len(sample_spans(EVERY, ANNOTATED, LAYOUT, 0.5)) == 7


def test_nothing_is_drawn_from_an_empty_pool():
    assert len(sample_spans(~EVERY, ANNOTATED, LAYOUT, 1.0)) == 0
