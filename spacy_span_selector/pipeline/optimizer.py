"""A learning rate for one component, in a pipeline that has one optimizer."""

from __future__ import annotations

from typing import Any

from thinc.api import Optimizer
from thinc.types import FloatsXd


class ScaledOptimizer:
    """An optimizer whose learning rate is multiplied by a factor.

    Thinc's optimizers take such a factor at every call; this passes it on from models, which don't.

    sgd (Optimizer): The optimizer of the pipeline.
    factor (float): Multiplies its learning rate.
    """

    def __init__(self, sgd: Optimizer, factor: float) -> None:
        self.sgd = sgd
        self.factor = factor

    def __call__(
        self, key: tuple[int, str], weights: FloatsXd, gradient: FloatsXd, *, lr_scale: float = 1.0
    ) -> tuple[FloatsXd, FloatsXd]:
        updated: Any = self.sgd(key, weights, gradient, lr_scale=lr_scale * self.factor)
        return updated
