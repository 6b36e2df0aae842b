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
    """Use an implementation for all sweeps of both grammars in this context, and for their derivatives.

    implementation (str): "torch" or "triton".
    RAISES (ValueError): If it is neither.
    """
    if implementation not in get_args(Implementation):
        raise ValueError(f'the sweeps are implemented with "torch" and with "triton", but not with {implementation!r}')
    token = _forced.set(implementation)
    try:
        yield
    finally:
        _forced.reset(token)


def sweeps_for(chart: Tensor, plain: ModuleType, kernels: str) -> ModuleType:
    """The implementation of the sweeps of a grammar for the device and dtype of a chart.

    chart (Tensor): The chart.
    plain (ModuleType): The sweeps in plain torch.
    kernels (str): The name in this package of the module with the same functions as Triton kernels. It has also
        `try_out(device, dtype)`, which fails where they do.
    RETURNS (ModuleType): One of these modules.
    """
    forced = _forced.get()
    if forced == "triton":
        return import_module(f".{kernels}", __package__)
    if forced == "torch" or not chart.is_cuda:
        return plain
    return _gpu_sweeps(plain, kernels, chart.device, chart.dtype)


@cache
def _gpu_sweeps(plain: ModuleType, kernels: str, device: torch.device, dtype: torch.dtype) -> ModuleType:
    """The Triton sweeps, if they work: Triton needs a C compiler on this machine and a GPU that it supports."""
    try:
        module = import_module(f".{kernels}", __package__)
        module.try_out(device, dtype)
    except ImportError:
        return plain
    except Exception as error:
        warnings.warn(
            f"The span grammar runs without Triton, several times more slowly, because its kernels fail on {device}: "
            f"{error}",
            RuntimeWarning,
            stacklevel=2,
        )
        return plain
    return module
