from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch
from torch import Tensor

from spacy_span_selector.wcfg import LAMINAR, TREES, Grammar, trees
from spacy_span_selector.wcfg.implementations import _gpu_sweeps, sweep_with, sweeps_for

CPU = torch.device("cpu")
CHART = torch.zeros(2, 2, 1)


class Kernels(ModuleType):
    """A module of kernels that work or fail."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__("kernels")
        self.error = error

    def try_out(self, device: torch.device, dtype: torch.dtype) -> None:
        if self.error is not None:
            raise self.error


def set_kernels(monkeypatch: pytest.MonkeyPatch, kernels: ModuleType | None, name: str = "triton_trees") -> None:
    monkeypatch.setitem(sys.modules, f"spacy_span_selector.wcfg.{name}", kernels)


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    _gpu_sweeps.cache_clear()
    yield
    _gpu_sweeps.cache_clear()


def test_implementation_is_set_within_its_context_only(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = Kernels()
    set_kernels(monkeypatch, kernels)
    with sweep_with("triton"):
        with sweep_with("torch"):
            assert sweeps_for(CHART, "trees") is trees
        assert sweeps_for(CHART, "trees") is kernels
    assert sweeps_for(CHART, "trees") is trees


def test_other_implementations_are_an_error() -> None:
    with pytest.raises(ValueError, match="'numpy'"), sweep_with("numpy"):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize(
    ("grammar", "name", "function"), [(TREES, "triton_trees", "sweep_up"), (LAMINAR, "triton_laminar", "sweep")]
)
def test_each_grammar_has_its_kernels(
    grammar: Grammar, name: str, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Tensor) -> None:
        raise NotImplementedError(name)

    kernels = ModuleType(name)
    setattr(kernels, function, fail)
    set_kernels(monkeypatch, kernels, name)
    with sweep_with("triton"), pytest.raises(NotImplementedError, match=name):
        grammar.marginals(torch.zeros(1, 3, 3), torch.tensor([3]))


def test_kernels_that_fail_are_reported_once_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    set_kernels(monkeypatch, Kernels(RuntimeError("Failed to find C compiler")))
    with pytest.warns(RuntimeWarning, match="without Triton.*Failed to find C compiler"):
        assert _gpu_sweeps("trees", CPU, torch.float32) is trees
    assert _gpu_sweeps("trees", CPU, torch.float32) is trees


def test_without_triton_plain_sweeps_run_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    set_kernels(monkeypatch, None)  # an ImportError
    assert _gpu_sweeps("trees", CPU, torch.float32) is trees


def test_kernels_that_work_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = Kernels()
    set_kernels(monkeypatch, kernels)
    assert _gpu_sweeps("trees", CPU, torch.float32) is kernels
