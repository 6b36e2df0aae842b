"""Weights between those of two trainings."""

from __future__ import annotations

from typing import Any

import torch
from thinc.api import Model

from .finite import has_module


def interpolate(after: Any, before: Any, share: float) -> None:
    """Move the weights of a trained component back towards those that it had before a training.

    Half way, a pipeline that was fine-tuned on little keeps most of what it learnt and forgets little of what it knew
    (Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022). Weights whose number has changed
    with new labels stay as they are: of these nothing was known before.

    after, before (TrainablePipe): The component after the training, which is changed, and the same before it.
    share (float): How much of the way from the one before is kept: 0 for its weights, 1 for no change.
    """
    models: list[Model[Any, Any]] = [after.model, before.model]
    for node, old in zip(*(model.walk() for model in models), strict=True):
        for name in node.param_names:
            if node.has_param(name) and node.get_param(name).shape == old.get_param(name).shape:
                first = old.get_param(name)
                node.set_param(name, first + share * (node.get_param(name) - first))
        for shim, old_shim in zip(node.shims, old.shims, strict=True):
            if has_module(shim) and has_module(old_shim):
                weights = old_shim._model.state_dict()
                for name, weight in shim._model.state_dict().items():
                    if weight.is_floating_point() and weight.shape == weights[name].shape:
                        weight.copy_(torch.lerp(weights[name], weight, share))
