"""Working in blocks: hidden activations are computed, used, discarded, and computed again for the gradient.

The activations of every pair of a long document would take far more memory than all else. A block of them is small
enough for the cache of a CPU. What fits into a fixed amount of memory is kept for the gradient all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
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
    """Call a function that draws no random numbers for each block; for most of many, again in the backward pass.

    function (Callable[..., Tensor]): Computes a block.
    blocks (Iterable[tuple]): Its arguments for each block.
    block_elements (int): Activations of a block.
    RETURNS (list[Tensor]): Its result for each block.
    """
    kept = KEPT // max(1, block_elements) if torch.is_grad_enabled() else None
    return [
        function(*arguments)
        if kept is None or number < kept
        else checkpoint(function, *arguments, use_reentrant=False, preserve_rng_state=False)
        for number, arguments in enumerate(blocks)
    ]
