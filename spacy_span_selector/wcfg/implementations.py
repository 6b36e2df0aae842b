"""The choice of implementation for the sweeps of the laminar grammar: Triton kernels on a GPU that can run them, plain
torch elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Literal, get_args

import torch
from torch import Tensor

Implementation = Literal["torch", "triton"]
MODULES: dict[Implementation, str] = {"torch": f"{__package__}.laminar", "triton": f"{__package__}.triton_laminar"}
"""These have the same functions; that of kernels has `try_out(device, dtype)`, too, which fails where they do."""

_forced: ContextVar[Implementation | None] = ContextVar("_forced", default=None)


@contextmanager
def sweep_with(implementation: Implementation) -> Iterator[None]:
    """Use an implementation for all sweeps in this context, and for their derivatives."""
    if implementation not in get_args(Implementation):
        raise ValueError(f'the sweeps are implemented with "torch" and with "triton", but not with {implementation!r}')
    token = _forced.set(implementation)
    try:
        yield
    finally:
        _forced.reset(token)


def sweeps_for(chart: Tensor) -> ModuleType:
    """The module with the sweeps for the device and dtype of a chart."""
    implementation = _forced.get() or (_best_on_gpu(chart.device, chart.dtype) if chart.is_cuda else "torch")
    return import_module(MODULES[implementation])


@cache
def _best_on_gpu(device: torch.device, dtype: torch.dtype) -> Implementation:
    """Triton, if it works: it needs a C compiler on this machine and a GPU that it supports."""
    try:
        import_module(MODULES["triton"]).try_out(device, dtype)
    except ImportError:
        return "torch"
    except Exception as error:
        warnings.warn(
            f"The span grammar runs without Triton, several times more slowly, because its kernels fail on {device}: "
            f"{error}",
            RuntimeWarning,
            stacklevel=2,
        )
        return "torch"
    return "triton"
