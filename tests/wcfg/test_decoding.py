import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from spacy_span_selector.wcfg import best_spans, heaviest_set, marginals
from spacy_span_selector.wcfg.decoding import _crossing_components, _maximum_of_ranges

from .reference import cross, heaviest_total


def decode(scores: Tensor) -> list[tuple[int, int]]:
    """Decode one sentence."""
    return best_spans(scores[None], torch.tensor([len(scores)]))[0]


def total(scores: Tensor, spans: list[tuple[int, int]]) -> float:
    return sum(float(scores[start, end - 1]) for start, end in spans)


def assert_valid(scores: Tensor, spans: list[tuple[int, int]]) -> None:
    assert spans == sorted(set(spans))
    assert all(0 <= start < end <= len(scores) and scores[start, end - 1] > 0 for start, end in spans)
    assert not any(cross(a, b) for a, b in itertools.combinations(spans, 2))


@st.composite
def scored_sentences(draw: st.DrawFn) -> Tensor:
    """Up to twelve tokens; real or integer scores (many ties), few or many of them positive."""
    tokens = draw(st.integers(1, 12))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    scores = 3 * torch.randn(tokens, tokens, dtype=torch.float64, generator=generator) + draw(st.integers(-6, 2))
    return scores.round() if draw(st.booleans()) else scores


@settings(max_examples=300, deadline=None)
@given(scored_sentences())
def test_total_equals_dense_cky(scores: Tensor) -> None:
    spans = decode(scores)
    assert_valid(scores, spans)
    assert total(scores, spans) == pytest.approx(heaviest_total(scores.numpy()))


@pytest.mark.parametrize("shift", [0.0, -2.0])
def test_long_dense_sentence_equals_dense_cky(shift: float) -> None:
    scores = torch.randn(60, 60, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + shift
    spans = decode(scores)
    assert_valid(scores, spans)
    assert total(scores, spans) == pytest.approx(heaviest_total(scores.numpy()))


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 14), st.sampled_from([0.05, 0.15, 0.4]), st.integers(0, 2**31))
def test_components_are_those_of_the_full_graph(boundaries: int, density: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    start, end = np.nonzero(np.triu(generator.random((boundaries, boundaries)) < density, 1))
    order = generator.permutation(len(start))
    start, end = start[order], end[order]
    spans = list(zip(start.tolist(), end.tolist(), strict=True))
    edges = np.array([[cross(a, b) for b in spans] for a in spans]).reshape(len(spans), len(spans))
    count, label = connected_components(edges, directed=False)
    expected = [np.flatnonzero(label == component).tolist() for component in range(count)]
    found = [sorted(component.tolist()) for component in _crossing_components(start, end)]
    assert sorted(found) == sorted(component for component in expected if len(component) > 1)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 100), min_size=1, max_size=40), st.data())
def test_maximum_of_ranges(values: list[int], data: st.DataObject) -> None:
    bound = st.integers(0, len(values))
    ranges = data.draw(st.lists(st.tuples(bound, bound).map(sorted), max_size=20))
    begin, end = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    expected = [max(values[first:last], default=0) for first, last in ranges]
    assert _maximum_of_ranges(np.array(values), begin, end).tolist() == expected


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 4), st.booleans(), st.integers(0, 2**31))
def test_a_component_of_narrow_spans_equals_dense_cky(most: int, ties: bool, seed: int) -> None:
    scores = torch.rand(25, 25, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    scores = (4 * scores).ceil() if ties else scores
    scores = scores.tril(most - 1).triu()
    spans = decode(scores)
    assert_valid(scores, spans)
    assert total(scores, spans) == pytest.approx(heaviest_total(scores.numpy()))


def test_ties_in_a_component_that_is_wider_than_its_spans_are_broken_by_the_first_split() -> None:
    scores = torch.full((4, 4), -1.0)
    scores[0, 1] = scores[1, 2] = scores[2, 3] = 1.0
    assert decode(scores) == [(0, 2), (2, 4)]
    scores[2, 3] = 0.5
    scores[0, 1] = 0.5
    assert decode(scores) == [(1, 3)]  # the first boundary from which both sides reach their best: 1


def test_a_component_as_long_as_a_long_sentence() -> None:
    start = np.arange(5000)
    keep = heaviest_set(start, start + 2, 1.0 + start % 2)  # each crosses the next: the even or the odd ones
    assert start[keep].tolist() == start[1::2].tolist()


def test_selects_positive_spans_that_do_not_cross(device: str) -> None:
    scores = torch.full((2, 5, 5), -1.0, device=device)
    scores[0, 0, 2], scores[0, 1, 3], scores[0, 1, 1], scores[0, 4, 4] = 2.0, 3.0, 0.5, 1e-6
    scores[1, 0, 1], scores[1, 0, 0] = 1.0, 0.0
    assert best_spans(scores, torch.tensor([5, 2])) == [[(1, 2), (1, 4), (4, 5)], [(0, 2)]]


def test_ties_are_broken_by_the_first_split() -> None:
    scores = torch.full((3, 3), -1.0)
    scores[0, 1] = scores[1, 2] = 1.0
    assert decode(scores) == [(1, 3)]


def test_ties_do_not_depend_on_the_batch_dtype_or_padding(device: str) -> None:
    generator = torch.Generator().manual_seed(1)
    scores = torch.randint(-2, 3, (4, 15, 15), generator=generator).float().to(device)
    lengths = torch.tensor([15, 9, 1, 12])
    batched = best_spans(scores, lengths)
    assert batched == best_spans(scores.double(), lengths)
    assert batched == [best_spans(scores[i : i + 1], lengths[i : i + 1])[0] for i in range(4)]
    assert batched == [decode(scores[i, :length, :length]) for i, length in enumerate(lengths.tolist())]


@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf])
def test_values_outside_the_sentence_are_never_read(garbage: float, device: str) -> None:
    clean = torch.randn(2, 8, 8, generator=torch.Generator().manual_seed(2)).to(device)
    dirty = clean.masked_fill(torch.ones_like(clean).tril(-1).bool(), garbage)
    dirty[1, :, 5:] = garbage
    lengths = torch.tensor([8, 5])
    assert best_spans(dirty, lengths) == best_spans(clean, lengths)


def test_forbidden_and_extreme_scores(device: str) -> None:
    scores = torch.full((1, 6, 6), -torch.inf, device=device)
    scores[0, 0, 3], scores[0, 2, 5], scores[0, 4, 4] = 1e4, 1e4 + 1, 1e-4
    assert best_spans(scores, torch.tensor([6])) == [[(2, 6), (4, 5)]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_any_floating_point_type_with_gradient(dtype: torch.dtype, device: str) -> None:
    scores = torch.ones(1, 2, 2, dtype=dtype, device=device, requires_grad=True)
    assert best_spans(scores, torch.tensor([2])) == [[(0, 1), (0, 2), (1, 2)]]


@pytest.mark.parametrize("shape", [(0, 4, 4), (2, 0, 0), (2, 3, 3)])
def test_empty_batches_and_sentences(shape: tuple[int, ...], device: str) -> None:
    lengths = torch.zeros(shape[0], dtype=torch.long)
    assert best_spans(torch.ones(shape, device=device), lengths) == [[] for _ in range(shape[0])]


def test_threshold_of_one_half_needs_no_search() -> None:
    scores = 3 * torch.randn(4, 20, 20, generator=torch.Generator().manual_seed(3))
    lengths = torch.tensor([20, 14, 7, 2])
    probability = marginals(scores, lengths)
    likely = [[(i, j + 1) for i, j in (chart > 0.5).nonzero().tolist()] for chart in probability]
    assert best_spans(probability - 0.5, lengths) == likely


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="lengths: expected 0 to 3 tokens"):
        best_spans(torch.zeros(1, 3, 3), torch.tensor([4]))


def test_a_score_that_is_no_number_is_refused() -> None:
    """A span of such a score would be left out in silence; where there is no span, nothing is read."""
    scores = torch.zeros(1, 3, 3)
    scores[0, 2, 0] = torch.nan
    assert best_spans(scores, torch.tensor([3])) == [[]]
    scores[0, 1, 2] = torch.nan
    with pytest.raises(ValueError, match=r"scores\[0, 1, 2\] is nan"):
        best_spans(scores, torch.tensor([3]))
