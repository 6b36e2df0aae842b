from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from spacy_span_selector.wcfg import log_marginals, sweeps
from spacy_span_selector.wcfg.implementations import sweep_with
from spacy_span_selector.wcfg.inside_outside import FORBIDDEN

from .gpu import DEVICE, needs_cuda

pytest.importorskip("triton", reason="Triton is not installed")

from spacy_span_selector.wcfg import triton_sweeps
from spacy_span_selector.wcfg.triton_sums import Blocks


def random_arcs(tokens: int, batch: int = 2, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(tokens + 1, tokens + 1, batch, dtype=dtype, generator=generator).to(DEVICE)


def plain(weights: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    swept = sweeps.sweep_up(weights)
    return swept[0], sweeps.sweep_down(swept, gradient.clone())


def by_triton(weights: Tensor, gradient: Tensor, blocks: Blocks | None = None) -> tuple[Tensor, Tensor]:
    swept = triton_sweeps.sweep_up(weights, blocks)
    return swept[0], triton_sweeps.sweep_down(swept, gradient, blocks)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "tokens, blocks",
    [(1, None), (2, None), (5, None), (20, None), (3, Blocks(4, 4, 1)), (6, Blocks(2, 4, 1)), (9, Blocks(4, 16, 1))],
)
def test_equals_the_plain_sweeps(tokens: int, blocks: Blocks | None, dtype: torch.dtype) -> None:
    weights, gradient = 3 * random_arcs(tokens, dtype=dtype), random_arcs(tokens, dtype=dtype, seed=1)
    expected = plain(weights.double(), gradient.double())
    tolerance = 1e-4 if dtype == torch.float32 else 1e-11
    for actual, values in zip(by_triton(weights, gradient, blocks), expected, strict=True):
        assert actual.dtype == dtype
        torch.testing.assert_close(actual.double(), values, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extreme_weights_give_finite_results(dtype: torch.dtype) -> None:
    weights = 1e4 * random_arcs(6, dtype=dtype).sign()
    weights[random_arcs(6, seed=1) > 0.3] = FORBIDDEN
    gradient = random_arcs(6, dtype=dtype, seed=2)
    actual = by_triton(weights, gradient, Blocks(4, 4, 1))
    for result, expected in zip(actual, plain(weights, gradient), strict=True):
        assert result.isfinite().all()
        torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-5)


def test_an_empty_batch() -> None:
    for result in by_triton(random_arcs(3, batch=0), random_arcs(3, batch=0)):
        assert result.shape == (4, 4, 0)


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_log_marginals_and_their_gradient_equal_the_plain_ones(scale: float) -> None:
    scores = scale * random_arcs(6)[:-1, :-1].permute(2, 0, 1).contiguous()
    scores[0, 1, 3] = scores[0, 4, 4] = -torch.inf
    scores.requires_grad_()
    results = []
    for implementation in ("triton", "torch"):
        with sweep_with(implementation):
            log_selected, log_unselected = log_marginals(scores, torch.tensor([6, 4]))
        (gradient,) = torch.autograd.grad(log_selected[log_selected.isfinite()].sum(), scores)
        results.append((log_selected, log_unselected, gradient))
    for actual, expected in zip(*results, strict=True):
        assert not actual.isnan().any()
        torch.testing.assert_close(actual, expected, rtol=1e-9, atol=1e-8)


def test_gradients_equal_finite_differences() -> None:
    scores = random_arcs(3, batch=1)[:-1, :-1].permute(2, 0, 1).contiguous().requires_grad_()
    lengths = torch.tensor([3])
    with sweep_with("triton"):
        # A random combination of all gradients: in its interpreter Triton takes long for each.
        assert gradcheck(lambda x: tuple(y[y.isfinite()] for y in log_marginals(x, lengths)), scores, fast_mode=True)


@needs_cuda
@pytest.mark.parametrize("tokens", [31, 32, 64, 100, 128, 200, 300])
def test_long_sentences_equal_the_plain_sweeps(tokens: int) -> None:
    for dtype, tolerance in ((torch.float32, 1e-3), (torch.float64, 1e-9)):
        close = partial(torch.testing.assert_close, rtol=tolerance, atol=tolerance)
        weights, gradient = random_arcs(tokens, dtype=dtype), random_arcs(tokens, dtype=dtype, seed=1) / tokens
        weights -= 3  # so that sums stay near 0, as the level of `inside_outside` sees to
        for actual, expected in zip(by_triton(weights, gradient), plain(weights, gradient), strict=True):
            close(actual, expected)


@needs_cuda
def test_repetitions_are_identical() -> None:
    weights, gradient = random_arcs(200, dtype=torch.float32), random_arcs(200, dtype=torch.float32, seed=1)
    first = by_triton(weights, gradient)
    for _ in range(10):
        assert all(map(torch.equal, by_triton(weights, gradient), first))


@needs_cuda
def test_runs_by_default_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "sweep_up", None)
    assert log_marginals(torch.zeros(1, 3, 3, device=DEVICE), torch.tensor([3]))[0].isfinite().any()
