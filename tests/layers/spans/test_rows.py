import pytest
import torch

from spacy_span_selector.layers.spans import blocks, rows
from spacy_span_selector.layers.spans.parts import SpanParts

HIDDEN = 8


def parts(sentences: int, length: int) -> SpanParts:
    start, end, weighted = torch.randn(3, sentences, length, HIDDEN)
    return SpanParts(
        start,
        end,
        torch.ones(sentences, length, 1),
        weighted,
        torch.randn(19, HIDDEN),
        torch.ones(sentences, 1, HIDDEN),
        torch.randn(2, HIDDEN),
        torch.full((sentences,), length),
    )


@pytest.mark.parametrize(
    ("elements", "expected"),
    [(1, 15), (HIDDEN * 5 * 2, 3 * 3), (HIDDEN * 5 * 5, 3), (HIDDEN * 5 * 10, 2), (HIDDEN * 5 * 15, 1)],
    ids=["single rows", "two rows", "single sentences", "two sentences", "all"],
)
def test_blocks_are_no_larger_than_asked_for(elements: int, expected: int, monkeypatch: pytest.MonkeyPatch):
    """Three sentences of five tokens."""
    monkeypatch.setattr(blocks, "ELEMENTS", {"cpu": elements, "cuda": elements})
    calls = []
    score_rows = rows._score_rows

    def count_and_score(*args):
        calls.append(args)
        return score_rows(*args)

    monkeypatch.setattr(rows, "_score_rows", count_and_score)
    assert rows.score_spans(parts(3, 5)).shape == (3, 5, 5, 2)
    assert len(calls) == expected
