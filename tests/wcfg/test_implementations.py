from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from spacy_span_selector import wcfg
from spacy_span_selector.wcfg import sweeps
from spacy_span_selector.wcfg.implementations import _gpu_sweeps, sweep_with, sweeps_for

CPU = torch.device("cpu")


@pytest.fixture
def forgetful() -> Iterator[None]:
    _gpu_sweeps.cache_clear()
    yield
    _gpu_sweeps.cache_clear()


def test_plain_sweeps_on_a_cpu() -> None:
    assert sweeps_for(torch.zeros(2, 2, 1)) is sweeps


def test_implementation_is_set_within_its_context_only() -> None:
    other = type(sweeps)("other")
    with sweep_with(other):
        with sweep_with(sweeps):
            assert sweeps_for(torch.zeros(2, 2, 1)) is sweeps
        assert sweeps_for(torch.zeros(2, 2, 1)) is other
    assert sweeps_for(torch.zeros(2, 2, 1)) is sweeps


@pytest.mark.usefixtures("forgetful")
def test_kernels_that_fail_are_reported_once_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(weights: Tensor) -> None:
        raise RuntimeError("Failed to find C compiler")

    monkeypatch.setattr(wcfg, "triton_sweeps", SimpleNamespace(sweep_up=fail), raising=False)
    with pytest.warns(RuntimeWarning, match="without Triton.*Failed to find C compiler"):
        assert _gpu_sweeps(CPU, torch.float32) is sweeps
    assert _gpu_sweeps(CPU, torch.float32) is sweeps


@pytest.mark.usefixtures("forgetful")
def test_kernels_that_work_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wcfg, "triton_sweeps", sweeps, raising=False)
    assert _gpu_sweeps(CPU, torch.float64) is sweeps
    working = SimpleNamespace(sweep_up=sweeps.sweep_up)
    monkeypatch.setattr(wcfg, "triton_sweeps", working, raising=False)
    assert _gpu_sweeps(CPU, torch.float32) is working
