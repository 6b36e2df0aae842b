"""The state of a training beside the weights: random number generators, and what the optimizer has learnt.

Everything is a plain value, or an array under a name that is the same in every process.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import torch
from spacy.language import Language
from thinc.api import CupyOps, Model, Optimizer, get_current_ops, to_numpy
from thinc.shims.pytorch import PyTorchShim

Item = TypeVar("Item")


def data_random_state() -> dict[str, Any]:
    """The states of the generators of Python and NumPy, from which readers draw."""
    version, numbers, gauss = random.getstate()
    name, keys, *rest = np.random.get_state()
    return {"python": [version, list(numbers), gauss], "numpy": [name, np.asarray(keys).tolist(), *rest]}


def set_data_random_state(state: dict[str, Any]) -> None:
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    name, keys, *rest = state["numpy"]
    np.random.set_state((name, np.asarray(keys, dtype=np.uint32), *rest))


def restart_cupy(seed: int) -> None:
    """Begin new random numbers of CuPy, if it computes: the state of its generator can't be read, nor saved."""
    ops = get_current_ops()
    if isinstance(ops, CupyOps):
        ops.xp.random.seed(seed)


def with_own_randomness(items: Iterator[Item], own: dict[str, Any]) -> Iterator[Item]:
    """Let an iterator draw random numbers of its own, first in the state `own`, as `data_random_state` returns it; they
    do not depend on what is drawn between its items."""
    while True:
        others = data_random_state()
        set_data_random_state(own)
        try:
            item = next(items)
        except StopIteration:
            return
        finally:
            own = data_random_state()
            set_data_random_state(others)
        yield item


@contextmanager
def keeping_randomness() -> Iterator[None]:
    """Let what is drawn in the block change nothing of what is drawn behind it."""
    others = data_random_state()
    with torch.random.fork_rng():
        yield
    set_data_random_state(others)


PARTS = ("mom1", "mom2", "averages")  # of an optimizer, whose schedules follow from the number of steps

Key = tuple[int, str]
"""By which an optimizer knows a weight: the number of a layer or module in this process, and the name of the weight."""

Arrays = dict[str, np.ndarray[Any, Any]]


def training_state(nlp: Language, optimizer: Optimizer) -> tuple[dict[str, Any], Arrays]:
    """All that the next steps depend on beside weights and data: plain values, and arrays of the optimizer by name."""
    names = {key: name for name, key, _, _ in _weights(nlp)}
    unknown = sorted(set(optimizer.nr_update) - set(names))
    if unknown:
        found = f"{len(unknown)} weights were updated, such as {unknown[0][1]!r}, that are in no component's 'model'"
        raise ValueError(f"No checkpoint can be made: {found}. Train this pipeline with 'spacy train'.")
    arrays: Arrays = {}
    for part in PARTS:
        arrays |= {f"{part}/{names[key]}": to_numpy(array) for key, array in (getattr(optimizer, part) or {}).items()}
    state = {
        "random": {
            **data_random_state(),
            "torch": torch.get_rng_state().tolist(),
            "cuda": [of_gpu.tolist() for of_gpu in torch.cuda.get_rng_state_all()] if torch.cuda.is_available() else [],
        },
        "updates": {names[key]: count for key, count in optimizer.nr_update.items()},
        # The scale and the age of each gradient scaler, which training in float16 has.
        "scalers": [[float(scaler._scale), int(scaler._growth_tracker)] for scaler in _scalers(nlp)],
    }
    return state, arrays


def set_training_state(nlp: Language, optimizer: Optimizer, state: dict[str, Any], arrays: Arrays) -> None:
    """Set what `training_state` has returned, for the same pipeline in this process.

    A weight that was ever updated has a gradient, be it 0, and so its momentum moves it at each step. It gets one here.
    """
    for name, key, node, shim in _weights(nlp):
        if name not in state["updates"]:
            continue
        optimizer.nr_update[key] = state["updates"][name]
        for part in PARTS:
            if f"{part}/{name}" in arrays:
                getattr(optimizer, part)[key] = node.ops.xp.array(arrays[f"{part}/{name}"])
        if shim is None:
            node.set_grad(key[1], node.ops.xp.zeros_like(node.get_param(key[1])))
        else:
            weight = shim._model.get_parameter(key[1])
            weight.grad = torch.zeros_like(weight)
    for scaler, (scale, age) in zip(_scalers(nlp), state["scalers"], strict=True):
        scaler._scale.fill_(scale)
        scaler._growth_tracker.fill_(int(age))
    set_data_random_state(state["random"])
    torch.set_rng_state(torch.tensor(state["random"]["torch"], dtype=torch.uint8))
    for device, numbers in enumerate(state["random"]["cuda"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(torch.tensor(numbers, dtype=torch.uint8), device)


def _layers(nlp: Language) -> Iterator[tuple[str, Model[Any, Any]]]:
    for component, pipe in nlp.components:
        model = getattr(pipe, "model", None)
        if isinstance(model, Model):
            yield from ((f"{component}/{number}", node) for number, node in enumerate(model.walk()))


def _weights(nlp: Language) -> Iterator[tuple[str, Key, Model[Any, Any], PyTorchShim | None]]:
    """The weights of all components: name, key, layer, and what holds the torch module that they are in, if any."""
    for place, node in _layers(nlp):
        for weight in node.param_names:
            yield f"{place}/{weight}", (node.id, weight), node, None
        for number, shim in enumerate(node.shims):
            if isinstance(shim, PyTorchShim) and shim._model is not None:
                for weight, _ in shim._model.named_parameters():
                    yield f"{place}.{number}/{weight}", (shim.id, weight), node, shim


def _scalers(nlp: Language) -> Iterator[Any]:
    for _, node in _layers(nlp):
        yield from (shim._grad_scaler for shim in node.shims if isinstance(shim, PyTorchShim))
