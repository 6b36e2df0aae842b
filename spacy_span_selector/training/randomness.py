"""The states of the random number generators that training draws from, as plain values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
import torch
from thinc.api import CupyOps, get_current_ops

Item = TypeVar("Item")


def data_random_state() -> dict[str, Any]:
    """The states of the generators of Python and NumPy, from which readers draw."""
    version, numbers, gauss = random.getstate()
    name, keys, *rest = np.random.get_state()
    return {"python": [version, list(numbers), gauss], "numpy": [name, np.asarray(keys).tolist(), *rest]}


def set_data_random_state(state: dict[str, Any]) -> None:
    """Set what `data_random_state` has returned."""
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    name, keys, *rest = state["numpy"]
    np.random.set_state((name, np.asarray(keys, dtype=np.uint32), *rest))


def random_state() -> dict[str, Any]:
    """The states of the generators of Python, NumPy and torch, those of its GPUs included."""
    cuda = [state.tolist() for state in torch.cuda.get_rng_state_all()] if torch.cuda.is_available() else []
    return {**data_random_state(), "torch": torch.get_rng_state().tolist(), "cuda": cuda}


def set_random_state(state: dict[str, Any]) -> None:
    """Set what `random_state` has returned; a GPU that was not there keeps its own."""
    set_data_random_state(state)
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    for device, numbers in enumerate(state["cuda"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(torch.tensor(numbers, dtype=torch.uint8), device)


def restart_cupy(seed: int) -> None:
    """Begin new random numbers of CuPy, if it computes: the state of its generator can't be read, nor saved.

    seed (int): Where they begin.
    """
    ops = get_current_ops()
    if isinstance(ops, CupyOps):
        ops.xp.random.seed(seed)


def with_own_randomness(items: Iterator[Item], own: dict[str, Any]) -> Iterator[Item]:
    """Let an iterator draw random numbers of its own, which do not depend on what is drawn between its items.

    items (Iterator[Item]): Draws from the generators of Python and NumPy.
    own (dict[str, Any]): In which state it finds them first, as by `data_random_state`.
    YIELDS (Item): Its items.
    """
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
