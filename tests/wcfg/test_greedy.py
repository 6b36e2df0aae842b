from __future__ import annotations

import numpy as np
import pytest

from spacy_span_selector.wcfg import greedy, greedy_spans


def one_by_one(spans: list[tuple[int, int]], wanted: int) -> list[int]:
    """Greedy pruning by definition: take spans in order, skipping those that cross one already taken."""
    kept: list[int] = []
    for rank, (i, k) in enumerate(spans):
        crosses = any(a < i <= b < k or i < a <= k < b for a, b in (spans[other] for other in kept))
        if not crosses and len(kept) < wanted:
            kept.append(rank)
    return kept


def ranking(tokens: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    """Every span of a sentence, in random order."""
    spans = [(start, end) for start in range(tokens) for end in range(start, tokens)]
    return [spans[i] for i in generator.permutation(len(spans))]


def columns(spans: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@pytest.mark.parametrize("block", [1, 7, 256])
@pytest.mark.parametrize("wanted", [0, 1, 5, 17, 1000])
def test_equals_greedy_pruning_span_by_span(block: int, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy, "BLOCK", block)
    generator = np.random.default_rng(wanted)
    for tokens in (1, 2, 3, 6, 12, 25):
        spans = ranking(tokens, generator)
        assert greedy_spans(*columns(spans), wanted).tolist() == one_by_one(spans, wanted)


def test_a_subset_of_spans_equals_greedy_pruning_span_by_span() -> None:
    generator = np.random.default_rng(0)
    spans = ranking(40, generator)[:300]
    assert greedy_spans(*columns(spans), 100).tolist() == one_by_one(spans, 100)


def test_nested_spans_and_neighbours_do_not_cross() -> None:
    spans = [(2, 5), (2, 3), (4, 5), (2, 2), (0, 1), (6, 9), (0, 9), (3, 4)]
    assert greedy_spans(*columns(spans), 10).tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_every_other_span_of_a_chain_of_crossing_spans_is_kept() -> None:
    spans = [(i, i + 1) for i in range(600)]
    assert greedy_spans(*columns(spans), 1000).tolist() == list(range(0, 600, 2))


def test_no_spans() -> None:
    assert greedy_spans(*columns([]), 3).tolist() == []
