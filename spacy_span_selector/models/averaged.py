"""Averaged weights of torch modules, as `use_averages` of spaCy's optimizers promises.

Thinc's optimizers keep an average of each weight, and spaCy puts averages in place of weights when it scores and saves
a pipeline. Thinc looks for those of a torch module under other names than its optimizers use, and finds none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from thinc.api import PyTorchShim, xp2torch


class AveragedShim(PyTorchShim):
    """A torch module whose weights can be replaced by their averages for a while."""

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
