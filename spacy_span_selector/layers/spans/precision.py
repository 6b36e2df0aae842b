"""Computing in bfloat16 at prediction, on the devices that have it."""

from __future__ import annotations

import torch
from torch import Tensor, nn


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
