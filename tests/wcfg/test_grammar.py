"""What all grammars promise, for each of them."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from spacy_span_selector.wcfg import LAMINAR, LAMINAR_BAND, TREES, Grammar
from spacy_span_selector.wcfg import grammar as grammars

from .charts import random_scores
from .reference import Scores, enumerate_selections, enumerate_sets

Function = Callable[[Tensor, Tensor], Tensor]


@pytest.fixture(params=[TREES, LAMINAR], ids=["trees", "laminar"])
def grammar(request: pytest.FixtureRequest) -> Grammar:
    """Every grammar in turn."""
    found: Grammar = request.param
    return found


every_grammar = pytest.mark.parametrize("grammar", [TREES, LAMINAR, LAMINAR_BAND], ids=["trees", "laminar", "band"])


@pytest.fixture(params=["log_partition", "marginals"])
def function(request: pytest.FixtureRequest, grammar: Grammar) -> Function:
    """Functions from scores and lengths to one tensor."""
    method: Function = getattr(grammar, request.param)
    return method


def enumerated(grammar: Grammar, scores: Scores) -> tuple[float, Scores]:
    """log Z and the marginals by enumeration."""
    if grammar is LAMINAR:
        log_partition, log_selected, _ = enumerate_sets(scores)
        return log_partition, np.exp(log_selected)
    partition, selected = enumerate_selections(scores)
    return float(np.log(partition)), selected


def losses(grammar: Grammar, scores: Tensor, lengths: Tensor) -> list[tuple[Tensor, Tensor]]:
    """The functions used in training, each with its gradient with respect to the scores."""
    log_selected, log_unselected = grammar.log_marginals(scores, lengths)
    values = [
        grammar.log_partition(scores, lengths).sum(),
        grammar.marginals(scores, lengths).square().sum(),
        log_selected[log_selected.isfinite()].sum(),
        log_unselected.sum(),
    ]
    return [(value, torch.autograd.grad(value, scores, retain_graph=True)[0]) for value in values]


def test_the_probability_that_a_span_is_selected_can_be_had_alone(grammar: Grammar, device: str) -> None:
    scores, lengths = random_scores(4, 5, 5).to(device), torch.tensor([5, 1, 3, 2], device=device)
    alone, nothing = grammar.log_marginals(scores, lengths, both=False)
    assert torch.equal(alone, grammar.log_marginals(scores, lengths)[0])
    assert not len(nothing)


@pytest.mark.parametrize("lengths", [[1], [2], [6], [5, 1, 3, 2]])
def test_gradients_equal_finite_differences(grammar: Grammar, lengths: list[int], device: str) -> None:
    many = max(lengths) > 2  # a random combination of these gradients is compared, not each, which takes long
    sizes = torch.tensor(lengths, device=device)
    scores = random_scores(len(lengths), max(lengths), max(lengths)).to(device).requires_grad_()
    assert gradcheck(lambda x: grammar.log_partition(x, sizes), scores, fast_mode=many)
    assert gradgradcheck(lambda x: grammar.log_partition(x, sizes), scores, fast_mode=many)
    assert gradcheck(lambda x: grammar.marginals(x, sizes), scores, fast_mode=many)
    assert gradcheck(lambda x: tuple(y[y.isfinite()] for y in grammar.log_marginals(x, sizes)), scores, fast_mode=many)


def test_backward_may_run_twice(grammar: Grammar) -> None:
    scores = random_scores(2, 6, 6).requires_grad_()
    loss = grammar.marginals(scores, torch.tensor([6, 5])).square().sum()
    (first,) = torch.autograd.grad(loss, scores, retain_graph=True)
    (second,) = torch.autograd.grad(loss, scores)
    assert torch.equal(first, second)


@every_grammar
def test_second_derivative_of_marginals_is_an_error(grammar: Grammar) -> None:
    scores = random_scores(1, 4, 4).requires_grad_()
    with pytest.raises(RuntimeError, match="differentiated once"):
        torch.autograd.grad(grammar.marginals(scores, torch.tensor([4])).square().sum(), scores, create_graph=True)


def test_batch_equals_one_by_one(grammar: Grammar, device: str) -> None:
    lengths = torch.tensor([7, 1, 12, 2, 0, 5])
    scores = random_scores(6, 12, 12).to(device).requires_grad_()
    batched = grammar.marginals(scores, lengths)
    partitions = grammar.log_partition(scores, lengths)
    (gradient,) = torch.autograd.grad(batched.square().sum(), scores)
    for sentence, length in enumerate(lengths.tolist()):
        alone = scores[sentence : sentence + 1, :length, :length].detach().requires_grad_()
        single = grammar.marginals(alone, lengths[sentence : sentence + 1])
        (single_gradient,) = torch.autograd.grad(single.square().sum(), alone)
        torch.testing.assert_close(batched[sentence, :length, :length], single[0])
        torch.testing.assert_close(gradient[sentence, :length, :length], single_gradient[0])
        torch.testing.assert_close(
            partitions[sentence], grammar.log_partition(alone, lengths[sentence : sentence + 1])[0]
        )


@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf, 1e30])
def test_values_outside_the_sentence_are_never_read(grammar: Grammar, garbage: float, device: str) -> None:
    clean = random_scores(2, 5, 5).to(device)
    lengths = torch.tensor([5, 3])
    outside = torch.ones(2, 5, 5, dtype=torch.bool, device=device).tril(-1)
    outside[1, :, 3:] = True
    dirty = clean.masked_fill(outside, garbage).requires_grad_()
    assert torch.equal(grammar.log_partition(dirty, lengths), grammar.log_partition(clean, lengths))
    assert torch.equal(grammar.marginals(dirty, lengths), grammar.marginals(clean, lengths))
    assert not grammar.marginals(dirty, lengths)[outside].any()
    for _, gradient in losses(grammar, dirty, lengths):
        assert gradient.isfinite().all()
        assert not gradient[outside].any()


def test_minus_infinity_forbids_a_span(grammar: Grammar, device: str) -> None:
    scores = random_scores(1, 6, 6).to(device)
    scores[0, 1, 3] = scores[0, 2, 2] = scores[0, 0, 5] = -torch.inf
    almost = scores.clamp(min=-700)
    lengths = torch.tensor([6])
    forbidden = scores.isinf()
    scores.requires_grad_()
    assert (grammar.marginals(scores, lengths)[forbidden] == 0).all()
    assert (grammar.log_marginals(scores, lengths)[1][forbidden] == 0).all()
    torch.testing.assert_close(grammar.marginals(scores, lengths), grammar.marginals(almost, lengths))
    for _, gradient in losses(grammar, scores, lengths):
        assert gradient.isfinite().all()


@every_grammar
@pytest.mark.parametrize("shape", [(0, 4, 4), (2, 0, 0), (0, 0, 0), (2, 3, 3)])
def test_empty_batches_and_sentences(grammar: Grammar, shape: tuple[int, ...], device: str) -> None:
    scores = torch.zeros(shape, device=device, requires_grad=True)
    for function in (grammar.log_partition, grammar.marginals):
        result = function(scores, torch.zeros(shape[0], dtype=torch.long))
        assert not result.any()
        (gradient,) = torch.autograd.grad(result.sum(), scores)
        assert gradient.shape == shape


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extreme_scores_stay_exact_and_finite(grammar: Grammar, seed: int, dtype: torch.dtype, device: str) -> None:
    scores = 1e4 * random_scores(2, 30, 30, seed=seed).sign()
    lengths = torch.tensor([30, 17])
    given_scores = scores.to(device, dtype).requires_grad_()
    probability = grammar.marginals(given_scores, lengths)
    tolerance = 2e-2 if dtype == torch.float32 else 1e-8
    torch.testing.assert_close(probability.double().cpu(), grammar.marginals(scores, lengths), rtol=0, atol=tolerance)
    assert probability.max() <= 1
    for loss, gradient in losses(grammar, given_scores, lengths):
        assert loss.isfinite()
        assert gradient.isfinite().all()


@pytest.mark.parametrize("score", [-1e4, -50.0, 0.0, 50.0, 1e4])
def test_equal_scores_give_finite_gradients(grammar: Grammar, score: float, device: str) -> None:
    scores = torch.full((2, 20, 20), score, device=device, requires_grad=True)
    for loss, gradient in losses(grammar, scores, torch.tensor([20, 2])):
        assert loss.isfinite()
        assert gradient.isfinite().all()


def test_log_marginals_are_precise_where_probabilities_round(grammar: Grammar, device: str) -> None:
    scores = torch.zeros(1, 4, 4, device=device)
    scores[0, 0, 1] = 300.0
    scores[0, 0, 3] = 60.0
    lengths = torch.tensor([4])
    log_selected, log_unselected = grammar.log_marginals(scores, lengths)
    expected, _ = grammar.log_marginals(scores.double(), lengths)
    assert grammar.marginals(scores, lengths)[0, 1, 2] == 0
    assert log_selected[0, 1, 2].item() == pytest.approx(expected[0, 1, 2].item(), rel=1e-6)
    assert grammar.marginals(scores, lengths)[0, 0, 3] == 1
    assert log_unselected[0, 0, 3].item() == pytest.approx(-60.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_span_that_is_almost_certain_is_unselected_for_its_rival(
    grammar: Grammar, dtype: torch.dtype, device: str
) -> None:
    scores = torch.full((1, 3, 3), -torch.inf, device=device, dtype=dtype)
    scores[0, 0, 1], scores[0, 1, 2] = 60.0, 40.0
    scores.requires_grad_()
    _, log_unselected = grammar.log_marginals(scores, torch.tensor([3]))
    (gradient,) = torch.autograd.grad(log_unselected[0, 0, 1], scores)
    assert log_unselected[0, 0, 1].item() == pytest.approx(-20.0, abs=1e-4)
    assert gradient[0, 0, 1].item() == pytest.approx(-1.0)
    assert gradient[0, 1, 2].item() == pytest.approx(1.0)


@pytest.mark.parametrize("at_once", [1, grammars.AT_ONCE])
@pytest.mark.parametrize("scale", [10.0, 30.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_unselected_spans_and_their_gradients_equal_enumeration(
    grammar: Grammar, seed: int, scale: float, at_once: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammars, "AT_ONCE", at_once)
    scores = scale * (2 * torch.rand(2, 4, 4, generator=torch.Generator().manual_seed(seed)) - 1)
    given_scores = scores.clone().to(device).requires_grad_()
    _, log_unselected = grammar.log_marginals(given_scores, torch.tensor([4, 3]))
    for sentence, length in enumerate((4, 3)):
        own = scores[sentence, :length, :length].double().numpy()
        log_partition, selected = enumerated(grammar, own)
        for start in range(length):
            for last in range(start, length):
                without = own.copy()
                without[start, last] = -1e9
                rest, others = enumerated(grammar, without)
                found = log_unselected[sentence, start, last]
                (gradient,) = torch.autograd.grad(found, given_scores, retain_graph=True)
                expected = torch.from_numpy(others - selected).triu()
                torch.testing.assert_close(found.item(), rest - log_partition, rtol=0, atol=0.02)
                torch.testing.assert_close(
                    gradient[sentence, :length, :length].cpu().double(), expected, rtol=0, atol=0.02
                )


def test_hardly_any_span_needs_a_chart_of_its_own(grammar: Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    """With scores as after training: one sum over all derivations, and one more for the spans that are certain."""
    scores = random_scores(2, 30, 30, dtype=torch.float32, scale=3.0) - 12
    sums: list[int] = []
    sum_over = grammar.sum_over_chords

    def counted(scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        sums.append(len(scores))
        return sum_over(scores, chord, lengths)

    monkeypatch.setattr(grammar, "sum_over_chords", counted)
    scores[0, 3, 6] = 6.0
    grammar.log_marginals(scores, torch.tensor([30, 30]))
    scores[0, 3, 6] = 16.0
    grammar.log_marginals(scores, torch.tensor([30, 30]))
    assert sums == [2, 2, 1]


@every_grammar
@pytest.mark.parametrize("place", [(1, 0, 0), (1, 0, 1), (1, 0, 3)], ids=["word", "inside", "sentence"])
@pytest.mark.parametrize(
    ("score", "dtype", "message"),
    [
        (torch.nan, torch.float32, r"scores\[1, 0, \d\] is nan; expected a finite number, or -inf"),
        (torch.inf, torch.float64, r"scores\[1, 0, \d\] is inf; expected a finite number, or -inf"),
        (3e38, torch.float32, r"scores\[1\] go up to 3e\+38, .*; expected at most 5\.24e\+05"),
        (1e6, torch.float32, r"scores\[1\] go up to 1e\+06, .* 1e\+06; expected at most 5\.24e\+05"),
        (1e15, torch.float64, r"scores\[1\] go up to 1e\+15, .* 1e\+15; expected at most 2\.81e\+14"),
    ],
)
def test_scores_that_leave_rounding_errors_alone_are_refused(
    grammar: Grammar, place: tuple[int, int, int], score: float, dtype: torch.dtype, message: str, device: str
) -> None:
    scores = torch.zeros(2, 4, 4, dtype=dtype, device=device)  # a band as well
    scores[place] = score
    for compute in (grammar.log_partition, grammar.marginals, grammar.log_marginals):
        with pytest.raises(ValueError, match=message):
            compute(scores, torch.tensor([4, 4]))


@pytest.mark.parametrize("scale, offset", [(1.0, 0.0), (3.0, -8.0), (0.1, 0.0)])
def test_single_precision_suffices_for_long_sentences(
    grammar: Grammar, scale: float, offset: float, device: str
) -> None:
    scores = random_scores(1, 200, 200, dtype=torch.float32, scale=scale).add(offset).to(device).requires_grad_()
    double = scores.detach().double().requires_grad_()
    lengths = torch.tensor([200])
    torch.testing.assert_close(
        grammar.log_partition(scores, lengths).double(), grammar.log_partition(double, lengths), rtol=1e-6, atol=0
    )
    single_log, double_log = grammar.log_marginals(scores, lengths)[0], grammar.log_marginals(double, lengths)[0]
    torch.testing.assert_close(single_log.double(), double_log, rtol=2e-6, atol=1e-4)
    (gradient,) = torch.autograd.grad(grammar.marginals(scores, lengths).square().sum(), scores)
    (expected,) = torch.autograd.grad(grammar.marginals(double, lengths).square().sum(), double)
    torch.testing.assert_close(gradient.double(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single(function: Function, dtype: torch.dtype, device: str) -> None:
    scores = random_scores(2, 12, 12, dtype=torch.float32).to(device, dtype).requires_grad_()
    lengths = torch.tensor([12, 7])
    result = function(scores, lengths)
    assert torch.equal(result, function(scores.detach().float(), lengths))
    result.sum().backward()
    assert scores.grad is not None
    assert scores.grad.dtype == dtype


def test_autocast_does_not_affect_the_chart(function: Function, device: str) -> None:
    scores = random_scores(2, 12, 12, dtype=torch.float32).to(device)
    lengths = torch.tensor([12, 7])
    with torch.autocast(device, dtype=torch.bfloat16):
        result = function(scores, lengths)
    assert result.dtype == torch.float32
    assert torch.equal(result, function(scores, lengths))


def test_memory_is_quadratic(grammar: Grammar) -> None:
    scores = random_scores(1, 80, 80, dtype=torch.float32).requires_grad_()
    saved: list[int] = []

    def pack(tensor: Tensor) -> Tensor:
        saved.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        grammar.marginals(scores, torch.tensor([80]))
    assert sum(saved) < 25 * 81**2


@pytest.mark.parametrize(
    "scores, lengths, message",
    [
        (torch.zeros(3, 3), torch.tensor([3]), r"scores: expected shape \(batch, n, n\)"),
        (torch.zeros(1, 3, 4), torch.tensor([3]), r"scores: expected shape \(batch, n, n\)"),
        (torch.zeros(1, 3, 3).long(), torch.tensor([3]), "scores: expected a floating-point tensor"),
        (torch.zeros(2, 3, 3), torch.tensor([3]), r"lengths: expected shape \(2,\)"),
        (torch.zeros(1, 3, 3), torch.tensor([3.0]), "lengths: expected an integer tensor"),
        (torch.zeros(1, 3, 3), torch.tensor([4]), "lengths: expected 0 to 3 tokens.*got 4 to 4"),
        (torch.zeros(2, 3, 3), torch.tensor([1, -1]), "lengths: expected 0 to 3 tokens.*got -1 to 1"),
    ],
)
def test_bad_arguments_are_named(function: Function, scores: Tensor, lengths: Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(scores, lengths)
