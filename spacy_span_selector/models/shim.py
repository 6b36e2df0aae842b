"""Torch modules as Thinc holds them: evaluated in several threads at once, and scored with averaged weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from thinc.api import PyTorchShim, xp2torch
from torch import nn

Module = TypeVar("Module", bound=nn.Module)


def at_rest(module: Module) -> Module:
    """Put a module into evaluation mode, where training has left it in the other one.

    Thinc puts a module back into training mode after each prediction, which turns on dropout in all other threads
    that are predicting with it. Here prediction never does so: training asks for its mode itself.

    module (nn.Module): The module. Nothing changes if it and all of its parts are in evaluation mode.
    RETURNS (nn.Module): The same module.
    """
    # All parts, not the module alone: another thread may be halfway through them.
    if any(part.training for part in module.modules()):
        module.eval()
    return module


class AveragedShim(PyTorchShim):
    """A torch module whose weights can be replaced by their averages for a while, as `use_averages` promises.

    Thinc's optimizers keep an average of each weight, and spaCy puts averages in place of weights when it scores and
    saves a pipeline. Thinc looks for those of a torch module under other names than its optimizers use, and finds none.
    """

    @contextmanager
    def use_params(self, params: Mapping[Any, Any]) -> Iterator[None]:
        """Use other weights.

        params (Mapping[tuple[int, str], FloatsXd]): Weights by the number of the shim and their names, as in `averages`
            of an optimizer. Weights that are not among them stay.
        """
        module = self._model
        weights = {} if module is None else dict(module.named_parameters())
        own = {name: weight.data for name, weight in weights.items() if (self.id, name) in params}
        try:
            for name, data in own.items():
                weights[name].data = xp2torch(params[self.id, name], device=data.device)
            yield
        finally:
            for name, data in own.items():
                weights[name].data = data
