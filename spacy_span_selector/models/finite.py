"""NaN and infinity in vectors, losses and gradients: found before an optimizer makes them weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

from thinc.api import Model, PyTorchShim, Shim, xp2torch
from torch import Tensor, nn


class NotFinite(ValueError):
    """There is NaN or infinity in what training or prediction needs. The message says where."""


def first_not_finite(named: Iterable[tuple[str, Tensor]]) -> str | None:
    """The name of the first tensor that has NaN or infinity; None if all are finite."""
    tensors = list(named)
    # One pass and, on a GPU, one wait for all. Sums show NaN and infinity; they may overflow without them.
    if math.isfinite(float(sum(tensor.sum() for _, tensor in tensors))):
        return None
    return next((name for name, tensor in tensors if not tensor.isfinite().all()), None)


def model_gradients(model: Model[Any, Any]) -> Iterator[tuple[str, Tensor]]:
    """The gradients of a model's weights, and of those of the torch modules in it, by name."""
    for node in model.walk():
        for name in node.grad_names:
            yield f"{node.name}.{name}", xp2torch(node.get_grad(name))
        for shim in node.shims:
            # Gradients in float16 may overflow: Thinc's scaler then leaves out the update.
            if has_module(shim) and not shim._grad_scaler.found_inf:
                yield from module_gradients(shim._model)


def module_gradients(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """The gradients of a module's weights, by name."""
    for name, weight in module.named_parameters():
        if weight.grad is not None:
            yield name, weight.grad


def discard_gradients(model: Model[Any, Any]) -> None:
    """Forget the gradients that a model, and the torch modules in it, have accumulated."""
    for node in model.walk():
        for name in node.grad_names:
            node.get_grad(name).fill(0)  # times 0, NaN would stay
        for shim in node.shims:
            if has_module(shim):
                shim._model.zero_grad(set_to_none=True)


def has_module(shim: Shim) -> TypeGuard[PyTorchShim]:
    """Check whether a shim holds a module of torch that has been built."""
    return isinstance(shim, PyTorchShim) and isinstance(shim._model, nn.Module)
