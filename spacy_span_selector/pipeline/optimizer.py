"""A learning rate for one component, in a pipeline that has one optimizer."""

from __future__ import annotations

from typing import Any, cast

from thinc.api import Model, Optimizer
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


def finish_update(model: Model[Any, Any], sgd: Optimizer, factor: float) -> None:
    """Update the weights of a `torch_head` model: those of its module at `factor` times the optimizer's rate.

    model (Model): The model.
    sgd (Optimizer): The optimizer of the pipeline.
    factor (float): Multiplies its learning rate, for the module alone.
    """
    model.get_ref("tok2vec").finish_update(sgd)
    model.get_ref("head").finish_update(cast(Optimizer, ScaledOptimizer(sgd, factor)))
