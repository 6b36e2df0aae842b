"""Weights for labels that come after training: a row for each label, of which the old ones stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

NEW = -1
"""What stands for the row of a label that is new."""

NEW_BIAS = -5.0
"""The score of a role before anything has been learnt of it: so low that annotation stays as it was."""


def take_rows(weight: Tensor, rows: Sequence[int], new: Tensor | float) -> nn.Parameter:
    """Weights with rows of others.

    weight (Tensor): The weights. Shape: (rows, ...)
    rows (Sequence[int]): The number of the row that each new one is copied from, or NEW.
    new (Tensor | float): What rows that are NEW have.
    RETURNS (nn.Parameter): Shape: (len(rows), ...)
    """
    old = weight.detach()
    padded = torch.cat([old, torch.zeros_like(old[:1]) + new])  # NEW, which is -1, is the last row
    return nn.Parameter(padded[torch.tensor(rows, device=old.device)])
