"""Which implementation of the sweeps runs: the Triton kernels on a GPU that can run them, plain torch elsewhere."""

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
    """Within this context all sweeps up, and the sweeps down that belong to them, run as told.

    implementation (ModuleType): `wcfg.sweeps`, plain torch, or `wcfg.triton_sweeps`.
    """
    token = _forced.set(implementation)
    try:
        yield
    finally:
        _forced.reset(token)


def sweeps_for(arcs: Tensor) -> ModuleType:
    """The implementation for tensors on the device and of the dtype of `arcs`: the module with its two functions."""
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
