"""Working in blocks: hidden activations are computed, used, thrown away, and computed anew for the gradient.

The activations of every span, or of every pair, would take far more memory than all else. A block of
them is small enough for the cache of a CPU, which makes up for computing it twice.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

ELEMENTS = {"cpu": 1 << 18, "cuda": 1 << 26}
"""Activations held at once, by device; a GPU is kept busy by more of them."""


def rows_at_once(row_elements: int, device: torch.device) -> int:
    """How many rows of so many activations make a block: at least one."""
    return max(1, ELEMENTS["cuda" if device.type == "cuda" else "cpu"] // max(1, row_elements))


def compute_block(function: Callable[..., Tensor], *arguments: object) -> Tensor:
    """Call a function that draws no random numbers, and call it again in the backward pass."""
    block: Tensor = checkpoint(function, *arguments, use_reentrant=False, preserve_rng_state=False)
    return block
