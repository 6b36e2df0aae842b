"""The kernels against plain torch, on a GPU or in Triton's interpreter on the CPU."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from spacy_span_selector.wcfg import LAMINAR, laminar
from spacy_span_selector.wcfg.grammar import FORBIDDEN
from spacy_span_selector.wcfg.implementations import sweep_with
from spacy_span_selector.wcfg.triangle import chart_to_spans, spans_to_chart

from .charts import random_scores

pytest.importorskip("triton", reason="Triton is not installed")

from spacy_span_selector.wcfg import triton_laminar
from spacy_span_selector.wcfg.triton_laminar import Blocks

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
needs_cuda = pytest.mark.skipif(DEVICE == "cpu", reason="no CUDA device: the interpreter is too slow for this")


class Case:
    """Log weights of selected spans, and for both implementations the log sum over all sets, `log_free` and the
    gradients, of spans of two words or more. Shape: (batch, n, n)"""

    def __init__(self, scores: Tensor) -> None:
        batch, tokens, _ = scores.shape
        self.selected = spans_to_chart(scores.triu(1), FORBIDDEN)
        self.either = torch.logaddexp2(self.selected, torch.zeros_like(self.selected))
        self.words, self.grad_total, grad_free = (
            random_scores(*shape, seed=seed).to(scores)
            for seed, shape in enumerate([(tokens, batch), (batch,), (batch, tokens, tokens)], start=1)
        )
        self.grad_free = spans_to_chart(grad_free.triu(1), 0.0)

    def plain(self, dtype: torch.dtype = torch.float64) -> list[Tensor]:
        total, free, *swept = laminar.sweep(*(x.to(dtype) for x in (self.selected, self.either, self.words)))
        gradients = laminar.sweep_back(tuple(swept), self.grad_total.to(dtype), self.grad_free.to(dtype))
        return [total, *(chart_to_spans(chart).triu(1) for chart in (free, *gradients))]

    def by_triton(self, blocks: Blocks | None = None) -> list[Tensor]:
        total, free, *swept = triton_laminar.sweep(self.selected, self.either, self.words, blocks)
        gradients = triton_laminar.sweep_back(tuple(swept), self.grad_total, self.grad_free, blocks)
        return [total, *(chart_to_spans(chart).triu(1) for chart in (free, *gradients))]


def make(tokens: int, batch: int = 2, dtype: torch.dtype = torch.float64) -> Case:
    return Case(random_scores(batch, tokens, tokens, scale=3.0).to(DEVICE, dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "tokens, blocks",
    [(1, None), (2, None), (7, None), (3, Blocks(4, 4, 1)), (8, Blocks(2, 4, 1)), (9, Blocks(4, 16, 1))],
)
def test_equals_the_plain_sweeps(tokens: int, blocks: Blocks | None, dtype: torch.dtype) -> None:
    made = make(tokens, dtype=dtype)
    tolerance = 1e-4 if dtype == torch.float32 else 1e-11
    for actual, expected in zip(made.by_triton(blocks), made.plain(), strict=True):
        assert actual.dtype == dtype
        torch.testing.assert_close(actual.double(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extreme_weights_give_finite_results(dtype: torch.dtype) -> None:
    scores = 1e4 * random_scores(3, 6, 6, dtype=dtype).sign()
    scores[random_scores(3, 6, 6, seed=1) > 0.3] = FORBIDDEN
    scores[2] = FORBIDDEN
    made = Case(scores.to(DEVICE))
    for actual, expected in zip(made.by_triton(Blocks(4, 4, 1)), made.plain(dtype), strict=True):
        assert actual.isfinite().all()
        torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-2)


def test_an_empty_batch() -> None:
    made = make(3, batch=0)
    assert [found.shape for found in made.by_triton()] == [expected.shape for expected in made.plain()]


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_log_marginals_and_their_gradient_equal_the_plain_ones(scale: float) -> None:
    scores = random_scores(2, 6, 6, scale=scale).to(DEVICE)
    scores[0, 1, 3] = scores[0, 4, 4] = -torch.inf
    scores.requires_grad_()
    results = []
    for implementation in ("triton", "torch"):
        with sweep_with(implementation):
            log_selected, log_unselected = LAMINAR.log_marginals(scores, torch.tensor([6, 4]))
        (gradient,) = torch.autograd.grad(log_selected[log_selected.isfinite()].sum(), scores)
        results.append((log_selected, log_unselected, gradient))
    for actual, expected in zip(*results, strict=True):
        assert not actual.isnan().any()
        torch.testing.assert_close(actual, expected, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("score", [-1e4, 1.0, 1e4])
def test_a_span_alone_has_the_sigmoid_of_its_score(score: float) -> None:
    scores = torch.full((1, 6, 6), -torch.inf, device=DEVICE)
    scores[0, 1, 3] = score
    with sweep_with("triton"):
        found = LAMINAR.log_marginals(scores, torch.tensor([6]))
    for values, expected in zip(found, (logsigmoid(scores), logsigmoid(-scores)), strict=True):
        torch.testing.assert_close(values[0, 1, 3], expected[0, 1, 3])


@needs_cuda
@pytest.mark.parametrize("tokens", [31, 32, 64, 100, 128, 200, 300])
def test_long_sentences_equal_the_plain_sweeps(tokens: int) -> None:
    scores = random_scores(2, tokens, tokens).to(DEVICE)
    lengths = torch.tensor([tokens, tokens // 2])
    for dtype, tolerance in ((torch.float32, 1e-3), (torch.float64, 1e-9)):
        results = []
        for implementation in ("triton", "torch"):
            own = scores.to(dtype).requires_grad_()
            with sweep_with(implementation):
                p = LAMINAR.marginals(own, lengths)
                (gradient,) = torch.autograd.grad(p.square().sum(), own)
            results.append((p, gradient))
        for actual, expected in zip(*results, strict=True):
            partial(torch.testing.assert_close, rtol=tolerance, atol=tolerance)(actual, expected)


@needs_cuda
def test_repetitions_are_identical() -> None:
    made = make(200, dtype=torch.float32)
    first = made.by_triton()
    for _ in range(10):
        assert all(map(torch.equal, made.by_triton(), first))


@needs_cuda
def test_runs_by_default_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laminar, "sweep", None)
    assert LAMINAR.log_marginals(torch.zeros(1, 3, 3, device=DEVICE), torch.tensor([3]))[0].isfinite().any()


def test_all_kernels_compile(tmp_path: Path) -> None:
    """In a new process, as this one may have Triton's interpreter."""
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path)}
    environment.pop("TRITON_INTERPRET", None)
    command = [sys.executable, "-m", "tests.wcfg.compile_kernels"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
