"""The choice of implementation for the sweeps: Triton kernels on a GPU that can run them, plain torch elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import ModuleType

import torch
from torch import Tensor

from . import sweeps

_forced: ContextVar[ModuleType | None] = ContextVar("_forced", default=None)


@contextmanager
def sweep_with(implementation: ModuleType) -> Iterator[None]:
    """Use an implementation for all upward sweeps in this context, and for their downward sweeps.

    implementation (ModuleType): `wcfg.sweeps`, plain torch, or `wcfg.triton_sweeps`.
    """
    token = _forced.set(implementation)
    try:
        yield
    finally:
        _forced.reset(token)


def sweeps_for(arcs: Tensor) -> ModuleType:
    """The implementation for the device and dtype of `arcs`: a module with `sweep_up` and `sweep_down`."""
    forced = _forced.get()
    if forced is not None:
        return forced
    return _gpu_sweeps(arcs.device, arcs.dtype) if arcs.is_cuda else sweeps


@cache
def _gpu_sweeps(device: torch.device, dtype: torch.dtype) -> ModuleType:
    """The Triton sweeps, if they work: Triton needs a C compiler on this machine and a GPU that it supports."""
    try:
        from . import triton_sweeps

        triton_sweeps.sweep_up(torch.zeros(2, 2, 1, device=device, dtype=dtype))
    except ImportError:
        return sweeps
    except Exception as error:
        warnings.warn(
            f"The span grammar runs without Triton, several times more slowly, because its kernels fail on {device}: "
            f"{error}",
            RuntimeWarning,
            stacklevel=2,
        )
        return sweeps
    return triton_sweeps
