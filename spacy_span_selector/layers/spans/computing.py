"""How networks compute: in blocks, so that memory is bounded, and in bfloat16, on the devices that have it.

Hidden activations of a block are computed, used, discarded, and computed again for the gradient: those of every pair of
a long document would take far more memory than all else. A block of them is small enough for the cache of a CPU. What
fits into a fixed amount of memory is kept for the gradient all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint

ELEMENTS = {"cpu": 1 << 19, "cuda": 1 << 26}
"""Activations held at once, by device; a GPU is kept busy by more of them."""

KEPT = 1 << 25
"""Activations that are kept for the backward pass instead of computing them again."""


def rows_at_once(row_elements: int, device: torch.device) -> int:
    """The number of rows of a block, at least one."""
    return max(1, ELEMENTS["cuda" if device.type == "cuda" else "cpu"] // max(1, row_elements))


def compute_blocks(
    function: Callable[..., Tensor], blocks: Iterable[tuple[Any, ...]], block_elements: int
) -> list[Tensor]:
    """Call a function that draws no random numbers for each block; for most of many, again in the backward pass."""
    kept = KEPT // max(1, block_elements) if torch.is_grad_enabled() else None
    return [
        function(*arguments)
        if kept is None or number < kept
        else checkpoint(function, *arguments, use_reentrant=False, preserve_rng_state=False)
        for number, arguments in enumerate(blocks)
    ]


def has_bfloat16(device: torch.device) -> bool:
    """Tell whether a device has instructions for bfloat16: without them it takes longer than float32."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    # Early versions of torch 2 cannot tell.
    has_instructions = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return device.type == "cpu" and has_instructions is not None and bool(has_instructions())


def prediction_dtype(module: nn.Module, bfloat16: bool, vectors: Tensor) -> torch.dtype:
    """The type that a module multiplies vectors by weights in: theirs in training, or if the device has no other."""
    return torch.bfloat16 if bfloat16 and not module.training and has_bfloat16(vectors.device) else vectors.dtype


def multiply(layer: nn.Linear, vectors: Tensor, dtype: torch.dtype) -> Tensor:
    """Apply a layer to vectors, its products computed in a type and everything else in that of the vectors."""
    if dtype == vectors.dtype:
        return layer(vectors)
    product = nn.functional.linear(vectors.to(dtype), layer.weight.to(dtype)).to(vectors.dtype)
    return product if layer.bias is None else product.add_(layer.bias)


@contextmanager
def in_bfloat16(device: torch.device) -> Iterator[None]:
    """A context in which torch computes in bfloat16 what it can, but for attention on a CPU in training."""
    attention = _Float32Attention() if torch.is_grad_enabled() and device.type == "cpu" else nullcontext()
    with torch.autocast(device.type, torch.bfloat16), attention:
        yield


class _Float32Attention(TorchFunctionMode):
    """On a CPU, the gradient of attention takes three times as long in bfloat16 as in float32."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is not scaled_dot_product_attention:
            return func(*args, **kwargs)
        with torch.autocast("cpu", enabled=False):
            return func(*map(_exact, args), **{name: _exact(value) for name, value in kwargs.items()})


def _exact(value: Any) -> Any:
    return value.float() if isinstance(value, Tensor) and value.is_floating_point() else value
