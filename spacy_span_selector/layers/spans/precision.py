"""Computing in bfloat16, on the devices that have it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode


def has_bfloat16(device: torch.device) -> bool:
    """Tell whether a device has instructions for bfloat16: without them it takes longer than float32."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    # Early versions of torch 2 cannot tell.
    has_instructions = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return device.type == "cpu" and has_instructions is not None and bool(has_instructions())


def prediction_dtype(module: nn.Module, bfloat16: bool, vectors: Tensor) -> torch.dtype:
    """The type that a module multiplies vectors by its weights in.

    module (nn.Module): The module; in training, the type is that of the vectors.
    bfloat16 (bool): Whether it should be bfloat16, if the device can.
    vectors (Tensor): The vectors.
    """
    return torch.bfloat16 if bfloat16 and not module.training and has_bfloat16(vectors.device) else vectors.dtype


def multiply(layer: nn.Linear, vectors: Tensor, dtype: torch.dtype) -> Tensor:
    """Apply a layer to vectors, its products computed in a type and everything else in that of the vectors.

    layer (nn.Linear): The layer, with a bias or without.
    vectors (Tensor): Its input. Shape: (..., width)
    dtype (torch.dtype): The type of the products.
    RETURNS (Tensor): Its output, of the type of the vectors. Shape: (..., width of the output)
    """
    if dtype == vectors.dtype:
        output: Tensor = layer(vectors)
        return output
    product = nn.functional.linear(vectors.to(dtype), layer.weight.to(dtype)).to(vectors.dtype)
    return product if layer.bias is None else product.add_(layer.bias)


@contextmanager
def in_bfloat16(device: torch.device) -> Iterator[None]:
    """A context in which torch computes in bfloat16 what it can, but for attention on a CPU if gradients are enabled.

    device (torch.device): The device, which `has_bfloat16`.
    """
    attention = _Float32Attention() if torch.is_grad_enabled() and device.type == "cpu" else nullcontext()
    with torch.autocast(device.type, torch.bfloat16), attention:
        yield


class _Float32Attention(TorchFunctionMode):
    """On a CPU, the gradient of attention takes three times as long in bfloat16 as in float32."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute attention in float32, and do anything else as ever."""
        kwargs = kwargs or {}
        if func is not scaled_dot_product_attention:
            return func(*args, **kwargs)
        with torch.autocast("cpu", enabled=False):
            return func(*map(_exact, args), **{name: _exact(value) for name, value in kwargs.items()})


def _exact(value: Any) -> Any:
    return value.float() if isinstance(value, Tensor) and value.is_floating_point() else value
