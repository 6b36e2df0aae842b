"""The choice of implementation for the sweeps: Triton kernels on a GPU that can run them, plain torch elsewhere."""

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

_forced: ContextVar[Implementation | None] = ContextVar("_forced", default=None)


@contextmanager
def sweep_with(implementation: Implementation) -> Iterator[None]:
    """Use an implementation for all sweeps of both grammars in this context, and for their derivatives."""
    if implementation not in get_args(Implementation):
        raise ValueError(f'the sweeps are implemented with "torch" and with "triton", but not with {implementation!r}')
    token = _forced.set(implementation)
    try:
        yield
    finally:
        _forced.reset(token)


def sweeps_for(chart: Tensor, grammar: str) -> ModuleType:
    """The implementation of the sweeps of a grammar for the device and dtype of a chart: a module of this package.

    grammar (str): The module in plain torch. That whose name has "triton_" before has the same functions as kernels,
        and `try_out(device, dtype)`, which fails where they do.
    """
    forced = _forced.get()
    if forced == "triton":
        return _module(f"triton_{grammar}")
    if forced == "torch" or not chart.is_cuda:
        return _module(grammar)
    return _gpu_sweeps(grammar, chart.device, chart.dtype)


def _module(name: str) -> ModuleType:
    return import_module(f".{name}", __package__)


@cache
def _gpu_sweeps(grammar: str, device: torch.device, dtype: torch.dtype) -> ModuleType:
    """The Triton sweeps, if they work: Triton needs a C compiler on this machine and a GPU that it supports."""
    try:
        module = _module(f"triton_{grammar}")
        module.try_out(device, dtype)
    except ImportError:
        return _module(grammar)
    except Exception as error:
        warnings.warn(
            f"The span grammar runs without Triton, several times more slowly, because its kernels fail on {device}: "
            f"{error}",
            RuntimeWarning,
            stacklevel=2,
        )
        return _module(grammar)
    return module
