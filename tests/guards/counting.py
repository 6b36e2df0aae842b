"""Counts what torch does, which does not depend on the machine: operations, and bytes of tensors alive at once."""

import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Count(NamedTuple):
    """What a call took.

    operations (int): Operations that reached a kernel; views are not counted.
    megabytes (float): The most that tensors made by the call held at once.
    """

    operations: int
    megabytes: float


class _Counter(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.operations = 0
        self.alive: dict[int, int] = {}  # bytes of each storage
        self.peak = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = {_key(tensor) for tensor in tree_leaves((args, kwargs)) if isinstance(tensor, torch.Tensor)}
        result = function(*args, **(kwargs or {}))
        made = [tensor for tensor in tree_leaves(result) if isinstance(tensor, torch.Tensor)]
        if not function.is_view:
            self.operations += 1
        for tensor in made:
            if _key(tensor) not in given and _key(tensor) not in self.alive:
                storage = tensor.untyped_storage()
                self.alive[_key(tensor)] = storage.nbytes()
                weakref.finalize(storage, self.alive.pop, _key(tensor), None)
        self.peak = max(self.peak, sum(self.alive.values()))
        return result


def _key(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def count(function: Callable[[], object]) -> Count:
    """Call a function and count."""
    with _Counter() as counter:
        function()
    return Count(counter.operations, counter.peak / 1e6)
