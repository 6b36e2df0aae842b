"""What an optimizer has learnt of the weights of a pipeline, under names that are the same in every process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from spacy.language import Language
from thinc.api import Model, Optimizer, to_numpy
from thinc.shims.pytorch import PyTorchShim

PARTS = ("mom1", "mom2", "averages")

Key = tuple[int, str]
"""By which an optimizer knows a weight: the number of a layer or module in this process, and the name of the weight."""


def optimizer_state(nlp: Language, optimizer: Optimizer) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, int]]:
    """The state of an optimizer.

    nlp (Language): The pipeline whose weights it updates.
    optimizer (Optimizer): The optimizer. Its schedules are not included: they follow from the number of steps.
    RETURNS (tuple): Its arrays by name, and the number of updates of each weight.
    RAISES (ValueError): If it has updated weights that are in no component's model.
    """
    names = {key: name for name, key, _, _ in _weights(nlp)}
    unknown = sorted(set(optimizer.nr_update) - set(names))
    if unknown:
        raise ValueError(
            f"No checkpoint can be made: the optimizer has updated {len(unknown)} weights, such as {unknown[0][1]!r}, "
            "that are in no component's 'model'. Train this pipeline with 'spacy train'."
        )
    arrays = {
        f"{part}/{names[key]}": to_numpy(array)
        for part in PARTS
        for key, array in (getattr(optimizer, part) or {}).items()
    }
    return arrays, {names[key]: count for key, count in optimizer.nr_update.items()}


def set_optimizer_state(
    nlp: Language, optimizer: Optimizer, arrays: dict[str, np.ndarray[Any, Any]], updates: dict[str, int]
) -> None:
    """Set what `optimizer_state` has returned, for the same pipeline in this process.

    A weight that was ever updated has a gradient, be it 0, and so its momentum moves it at each step. It gets one here.
    """
    for name, key, node, shim in _weights(nlp):
        if name not in updates:
            continue
        optimizer.nr_update[key] = updates[name]
        for part in PARTS:
            if f"{part}/{name}" in arrays:
                getattr(optimizer, part)[key] = node.ops.xp.array(arrays[f"{part}/{name}"])
        if shim is None:
            node.set_grad(key[1], node.ops.xp.zeros_like(node.get_param(key[1])))
        else:
            weight = shim._model.get_parameter(key[1])
            weight.grad = torch.zeros_like(weight)


def scaler_state(nlp: Language) -> list[list[float]]:
    """The scale and the age of each gradient scaler, which training in float16 has."""
    return [[float(scaler._scale), int(scaler._growth_tracker)] for scaler in _scalers(nlp)]


def set_scaler_state(nlp: Language, state: list[list[float]]) -> None:
    """Set what `scaler_state` has returned, for the same pipeline in this process."""
    for scaler, (scale, age) in zip(_scalers(nlp), state, strict=True):
        scaler._scale.fill_(scale)
        scaler._growth_tracker.fill_(int(age))


def _nodes(nlp: Language) -> Iterator[tuple[str, Model[Any, Any]]]:
    """The layers of all components, each with a name."""
    for component, pipe in nlp.components:
        model = getattr(pipe, "model", None)
        if isinstance(model, Model):
            yield from ((f"{component}/{number}", node) for number, node in enumerate(model.walk()))


def _weights(nlp: Language) -> Iterator[tuple[str, Key, Model[Any, Any], PyTorchShim | None]]:
    """The weights of all components: name, key, layer, and what holds the torch module that they are in, if any."""
    for place, node in _nodes(nlp):
        for weight in node.param_names:
            yield f"{place}/{weight}", (node.id, weight), node, None
        for number, shim in enumerate(node.shims):
            if isinstance(shim, PyTorchShim) and shim._model is not None:
                for weight, _ in shim._model.named_parameters():
                    yield f"{place}.{number}/{weight}", (shim.id, weight), node, shim


def _scalers(nlp: Language) -> Iterator[Any]:
    for _, node in _nodes(nlp):
        yield from (shim._grad_scaler for shim in node.shims if isinstance(shim, PyTorchShim))
