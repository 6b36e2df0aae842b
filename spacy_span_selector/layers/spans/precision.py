"""Which devices compute in bfloat16."""

from __future__ import annotations

import torch


def has_bfloat16(device: torch.device) -> bool:
    """Whether a device has instructions for bfloat16: without them it takes longer than float32."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    # Early versions of torch 2 cannot tell.
    has_instructions = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return device.type == "cpu" and has_instructions is not None and bool(has_instructions())
