import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from torch import Tensor
from torch.nn.functional import logsigmoid

from spacy_span_selector.wcfg import LAMINAR, best_spans

from ..guards.counting import count
from .charts import charts, random_scores
from .reference import cross, enumerate_sets, non_crossing_sets


def alone(tokens: int, start: int, last: int, score: float, dtype: torch.dtype = torch.float32) -> Tensor:
    """Scores of a sentence all of whose spans are forbidden but one. Shape: (1, tokens, tokens)"""
    scores = torch.full((1, tokens, tokens), -torch.inf, dtype=dtype)
    scores[0, start, last] = score
    return scores


@settings(max_examples=60, deadline=None)
@given(charts(longest=5))
def test_equals_enumeration_of_all_sets(chart: tuple[Tensor, Tensor]) -> None:
    scores, lengths = chart
    log_selected, log_unselected = LAMINAR.log_marginals(scores, lengths)
    for sentence, length in enumerate(lengths.tolist()):
        partition, selected, unselected = enumerate_sets(scores[sentence, :length, :length].numpy())
        inside = torch.ones(length, length, dtype=torch.bool).triu()
        assert LAMINAR.log_partition(scores, lengths)[sentence].item() == pytest.approx(partition, rel=1e-10)
        for found, expected in ((log_selected, selected), (log_unselected, unselected)):
            values, expected_values = found[sentence, :length, :length][inside], torch.from_numpy(expected)[inside]
            torch.testing.assert_close(values.exp(), expected_values.exp(), rtol=1e-10, atol=1e-13)
        torch.testing.assert_close(
            log_selected[sentence, :length, :length][inside], torch.from_numpy(selected)[inside], rtol=1e-10, atol=1e-12
        )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("seed", range(5))
def test_logarithms_of_large_scores_equal_enumeration(seed: int, dtype: torch.dtype, device: str) -> None:
    scores = 40 * random_scores(1, 5, 5, seed=seed).sign()
    partition, *logarithms = enumerate_sets(scores[0].numpy())
    given_scores, lengths = scores.to(device, dtype), torch.tensor([5])
    assert LAMINAR.log_partition(given_scores, lengths).item() == pytest.approx(partition)
    inside = torch.ones(5, 5, dtype=torch.bool).triu()
    selected, unselected = (torch.from_numpy(x)[inside] for x in logarithms)
    log_selected, log_unselected = (x[0].double().cpu()[inside] for x in LAMINAR.log_marginals(given_scores, lengths))
    torch.testing.assert_close(log_selected, selected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(log_unselected, unselected, rtol=1e-4, atol=1e-4)


def test_every_set_counts_once() -> None:
    """With all scores 0, Z is the number of sets: the large Schroeder number of the chords, times 2 for each word."""
    for length, sets in ((1, 2), (2, 8), (3, 48), (4, 352)):
        log_partition = LAMINAR.log_partition(torch.zeros(1, length, length).double(), torch.tensor([length]))
        assert log_partition.exp().item() == pytest.approx(sets)
        assert len(non_crossing_sets(length)[1]) == sets


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("score", [-1e4, -40.0, -1.0, 0.0, 5.0, 40.0, 1e4])
@pytest.mark.parametrize(("tokens", "start", "last"), [(6, 1, 3), (50, 0, 2), (50, 20, 40), (50, 1, 48), (51, 50, 50)])
def test_a_span_alone_has_the_sigmoid_of_its_score(
    tokens: int, start: int, last: int, score: float, dtype: torch.dtype, device: str
) -> None:
    scores = alone(tokens, start, last, score, dtype).to(device).requires_grad_()
    own = scores.detach()[0, start, last].requires_grad_()
    found = [x[0, start, last] for x in LAMINAR.log_marginals(scores, torch.tensor([tokens]))]
    for value, expected in zip(found, (logsigmoid(own), logsigmoid(-own)), strict=True):
        torch.testing.assert_close(value, expected)
        (gradient,) = torch.autograd.grad(value, scores, retain_graph=True)
        torch.testing.assert_close(gradient[0, start, last], torch.autograd.grad(expected, own, retain_graph=True)[0])


@settings(max_examples=30, deadline=None)
@given(charts(longest=12), st.data())
def test_without_crossing_spans_every_span_has_the_sigmoid_of_its_score(
    chart: tuple[Tensor, Tensor], data: st.DataObject
) -> None:
    scores, lengths = chart
    sentence = data.draw(st.integers(0, len(lengths) - 1))
    length = int(lengths[sentence])
    start = data.draw(st.integers(0, length - 1))
    last = data.draw(st.integers(start, length - 1))
    for i in range(length):
        for j in range(i, length):
            if cross((i, j + 1), (start, last + 1)):
                scores[sentence, i, j] = -torch.inf
    log_selected, log_unselected = LAMINAR.log_marginals(scores, lengths)
    score = scores[sentence, start, last]
    torch.testing.assert_close(log_selected[sentence, start, last], logsigmoid(score))
    torch.testing.assert_close(log_unselected[sentence, start, last], logsigmoid(-score))


def test_tiny_probabilities_are_precise(device: str) -> None:
    scores = torch.full((1, 40, 40), -torch.inf)
    scores[0, 3, 9], scores[0, 5, 20] = 2000.0, -500.0
    scores = scores.to(device).requires_grad_()
    log_selected, _ = LAMINAR.log_marginals(scores, torch.tensor([40]))
    assert log_selected[0, 5, 20].item() == pytest.approx(-2500.0)
    (gradient,) = torch.autograd.grad(log_selected[0, 5, 20], scores)
    assert gradient[0, 5, 20].item() == pytest.approx(1.0)
    assert gradient[0, 3, 9].item() == pytest.approx(-1.0)


@settings(max_examples=30, deadline=None)
@given(charts(longest=5))
def test_the_best_spans_are_the_most_probable_set(chart: tuple[Tensor, Tensor]) -> None:
    scores, lengths = chart
    for sentence, (length, found) in enumerate(zip(lengths.tolist(), best_spans(scores, lengths), strict=True)):
        (starts, lasts), sets = non_crossing_sets(length)
        weights = torch.from_numpy(sets).double() * scores[sentence, starts, lasts].clamp(min=-1e6)
        best = weights.sum(1).max().item()
        assert sum(scores[sentence, start, end - 1].item() for start, end in found) == pytest.approx(best)


@pytest.mark.parametrize("tokens", [40, 80])
def test_memory_is_quadratic_forward_and_backward(tokens: int) -> None:
    """A chart is a number for each pair of boundaries; the terms of one step are at most a chart and a half."""
    scores = random_scores(1, tokens, tokens, dtype=torch.float32).requires_grad_()

    def step() -> None:
        LAMINAR.marginals(scores, torch.tensor([tokens])).square().sum().backward()

    assert count(step).megabytes * 1e6 <= 35 * 4 * (tokens + 1) ** 2
