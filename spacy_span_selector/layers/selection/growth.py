"""More labels for a network that has been trained: what was learnt of the others stays."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

NEW = -1
"""Marks the row of a new label."""

NEW_BIAS = -5.0
"""The score of a label before anything has been learnt of it: so low that annotation stays as it was."""


def take_rows(weight: Tensor, rows: Sequence[int], new: Tensor | float) -> nn.Parameter:
    """Make weights whose rows are those of others.

    weight (Tensor): The weights. Shape: (rows, ...)
    rows (Sequence[int]): The number of the row that each new one is copied from, or NEW.
    new (Tensor | float): What rows that are NEW have.
    RETURNS (nn.Parameter): Shape: (len(rows), ...)
    """
    old = weight.detach()
    padded = torch.cat([old, torch.zeros_like(old[:1]) + new])  # NEW, which is -1, is the last row
    return nn.Parameter(padded[torch.tensor(rows, device=old.device)])


def grow_output(output: nn.Linear, rows: Sequence[int]) -> nn.Linear:
    """Make a layer of scores for other labels; those that are NEW have NEW_BIAS for all that is scored.

    output (nn.Linear): The layer, a row for each label.
    rows (Sequence[int]): The number of the row of each label in it, or NEW.
    """
    grown = nn.Linear(output.in_features, len(rows), device=output.weight.device)
    grown.weight, grown.bias = take_rows(output.weight, rows, 0.0), take_rows(output.bias, rows, NEW_BIAS)
    return grown
