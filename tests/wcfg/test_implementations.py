import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch
from torch import Tensor

from spacy_span_selector.wcfg import LAMINAR, laminar
from spacy_span_selector.wcfg.implementations import _best_on_gpu, sweep_with, sweeps_for

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


def set_kernels(monkeypatch: pytest.MonkeyPatch, kernels: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "spacy_span_selector.wcfg.triton_laminar", kernels)


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    _best_on_gpu.cache_clear()
    yield
    _best_on_gpu.cache_clear()


def test_implementation_is_set_within_its_context_only(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = Kernels()
    set_kernels(monkeypatch, kernels)
    with sweep_with("triton"):
        with sweep_with("torch"):
            assert sweeps_for(CHART) is laminar
        assert sweeps_for(CHART) is kernels
    assert sweeps_for(CHART) is laminar


def test_other_implementations_are_an_error() -> None:
    with pytest.raises(ValueError, match="'numpy'"), sweep_with("numpy"):  # type: ignore[arg-type]
        pass


def test_kernels_are_used_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Tensor) -> None:
        raise NotImplementedError("kernels")

    kernels = ModuleType("kernels")
    vars(kernels)["sweep"] = fail
    set_kernels(monkeypatch, kernels)
    with sweep_with("triton"), pytest.raises(NotImplementedError, match="kernels"):
        LAMINAR.marginals(torch.zeros(1, 3, 3), torch.tensor([3]))


def test_kernels_that_fail_are_reported_once_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    set_kernels(monkeypatch, Kernels(RuntimeError("Failed to find C compiler")))
    with pytest.warns(RuntimeWarning, match="without Triton.*Failed to find C compiler"):
        assert _best_on_gpu(CPU, torch.float32) == "torch"
    assert _best_on_gpu(CPU, torch.float32) == "torch"


def test_without_triton_plain_sweeps_run_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    set_kernels(monkeypatch, None)  # an ImportError
    assert _best_on_gpu(CPU, torch.float32) == "torch"


def test_kernels_that_work_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = Kernels()
    set_kernels(monkeypatch, kernels)
    assert _best_on_gpu(CPU, torch.float32) == "triton"
