"""Weights between those of two trainings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from spacy.tokens import Doc
from thinc.api import Model

from ..layers.selection.network import new_rows
from .finite import has_module


def interpolate(after: Any, before: Any, share: float, docs: Iterable[Doc] = ()) -> None:
    """Move the weights of a trained component back towards those that it had before a training.

    Half way, a pipeline that was fine-tuned on little keeps most of what it learnt and forgets little of what it knew
    (Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022). Weights of new labels stay as they are: of
    these nothing was known before.

    after, before (TrainablePipe): The component after the training, which is changed, and the same before it, which
        gets the labels that were added from `docs`.
    share (float): How much of the way from the one before is kept: 0 for its weights, 1 for no change.
    """
    models: list[Model[Any, Any]] = [after.model, before.model]
    for node, old in zip(*(model.walk() for model in models), strict=True):
        for name in node.param_names:
            if node.has_param(name) and node.get_param(name).shape == old.get_param(name).shape:
                first = old.get_param(name)
                node.set_param(name, first + share * (node.get_param(name) - first))
    modules = [
        (shim._model, old._model)
        for node, old_node in zip(*(model.walk() for model in models), strict=True)
        for shim, old in zip(node.shims, old_node.shims, strict=True)
        if has_module(shim) and has_module(old)
    ]
    shapes = [{name: weight.shape for name, weight in old.state_dict().items()} for _, old in modules]
    if hasattr(before, "add_labels"):
        before.add_labels(docs)
    for (module, old), known in zip(modules, shapes, strict=True):
        weights = old.state_dict()
        for name, weight in module.state_dict().items():
            if weight.is_floating_point() and weight.shape == weights[name].shape:
                between = torch.lerp(weights[name], weight, share)
                grown = weight.shape != known[name]
                weight.copy_(torch.where(new_rows(weights[name]), weight, between) if grown else between)
