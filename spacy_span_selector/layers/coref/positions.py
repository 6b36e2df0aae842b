"""Distances of mentions: how many others stand between two of them, each as far as it is one."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ..spans.features import DISTANCE_BUCKETS, bucket_counts

UNIT_BITS = 8
"""Weights are added up in units of 1 / 256: sums of whole numbers are the same in any batch."""


class Positions(NamedTuple):
    """Where mentions stand, if each takes as much room as it weighs, in the unit of `UNIT_BITS`.

    before (Tensor): The weight of all earlier mentions, and of half a mention, for rounding. Shape: (mentions,)
    after (Tensor): The weight of all earlier mentions and of itself, less that of a whole one. Shape: (mentions,)
    """

    before: Tensor
    after: Tensor

    @classmethod
    def of(cls, weights: Tensor) -> Positions:
        """The positions of mentions of these weights, from 0 to 1. Shape: (mentions,)"""
        whole = 1 << UNIT_BITS
        units = (weights * whole).round().int()
        total = units.cumsum(0, dtype=torch.int32)
        return cls(total - units + whole // 2, total - whole)

    def distance(self, mention: Tensor, antecedent: Tensor) -> Tensor:
        """The bucket of one more than the weight between two mentions, rounded: of 1 for the mention before.

        mention, antecedent (Tensor): Indices, which are broadcast.
        """
        between = (self.before[mention] - self.after[antecedent]) >> UNIT_BITS
        return bucket_counts(between, DISTANCE_BUCKETS)
