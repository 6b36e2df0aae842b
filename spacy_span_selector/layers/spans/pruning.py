"""Fewer hidden units: those of a trained network that others can stand in for are left out.

Every hidden layer here is a sum of parts behind a rectifier, which one linear layer reads. Networks are trained with
dropout, so many of its units say much the same, and their number decides how long spans and pairs take to score. One
unit after the other goes, each time the one that costs least once the weights of all others are fitted again, so that
the outputs of the linear layer stay as close as they can to what they were, in squares (Hassibi and Stork 1993,
"Second order derivatives for network pruning: Optimal Brain Surgeon", whose Hessian is exact here).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

LEAST_DRAWN = 0.05
"""The share of activations that are looked at of spans and pairs without any probability; of others there are more."""
RIDGE = 1e-6
"""What is added to the second moments of units, as a share of their mean: some units are never active."""


class HiddenLayer(NamedTuple):
    """A hidden layer and what reads it.

    layers (Sequence[nn.Linear]): Those whose outputs are added up.
    tables (Sequence[Tensor]): Vectors that are added, too. Shapes: (vectors, units)
    output (nn.Linear): What reads it, and nothing else does.
    """

    layers: Sequence[nn.Linear]
    tables: Sequence[Tensor]
    output: nn.Linear

    @property
    def units(self) -> int:
        """The number of its units."""
        return self.output.in_features

    def keep(self, kept: Tensor, output: Tensor) -> None:
        """Leave out all but some units, in place.

        kept (Tensor): Their numbers. Shape: (kept,)
        output (Tensor): The new weights of what reads them, and the bias. Shape: (kept + 1, outputs)
        """
        for layer in self.layers:
            for parameter in layer.parameters():
                parameter.data = parameter.data[kept]
            layer.out_features = len(kept)
        for table in self.tables:
            table.data = table.data[:, kept]
        output = output.to(self.output.weight)
        self.output.weight.data, self.output.bias.data = output[:-1].T.contiguous(), output[-1].clone()
        self.output.in_features = len(kept)


def hidden_layers(network: nn.Module) -> dict[str, HiddenLayer]:
    """The hidden layers of a network, by the names of the modules that have a method `hidden_layer`."""
    modules = {name: getattr(module, "hidden_layer", None) for name, module in network.named_modules()}
    return {name: method() for name, method in modules.items() if method is not None}


class Moments(TorchFunctionMode):
    """A context that adds up what second moments hidden layers have, while their networks predict.

    layers (Iterable[HiddenLayer]): The layers.
    """

    def __init__(self, layers: Iterable[HiddenLayer]) -> None:
        super().__init__()
        sums = ((layer.output.weight, layer.units + 1) for layer in layers)
        # A layer is known by where the weights are that read it.
        self._sums = {
            weight.data_ptr(): torch.zeros(size, size, dtype=torch.float64, device=weight.device)
            for weight, size in sums
        }
        self._generator = torch.Generator().manual_seed(0)

    def of(self, layer: HiddenLayer) -> Tensor:
        """The sums of products of two units, and of one with 1, behind them. Shape: (units + 1, units + 1)"""
        return self._sums[layer.output.weight.data_ptr()]

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look at what a linear layer reads, if it is the output of one of the hidden layers."""
        outputs = func(*args, **(kwargs or {}))
        if func is nn.functional.linear and (sums := self._sums.get(args[1].data_ptr())) is not None:
            share = LEAST_DRAWN + (1 - LEAST_DRAWN) * outputs.flatten(0, -2).sigmoid().amax(1)
            drawn = torch.rand(len(share), generator=self._generator).to(share.device) < share
            units = nn.functional.pad(args[0].flatten(0, -2)[drawn], (0, 1), value=1.0)
            sums += units.T @ units
        return outputs


class Pruned(NamedTuple):
    """What became of a hidden layer.

    before (int): The number of its units.
    kept (Tensor): Those that are left. Shape: (kept,)
    output (Tensor): The weights of what reads them, and the bias. Shape: (kept + 1, outputs)
    error (float): How far outputs are off, as a root mean square.
    size (float): The root mean square of outputs.
    """

    before: int
    kept: Tensor
    output: Tensor
    error: float
    size: float


def choose_units(layer: HiddenLayer, moments: Tensor, units: int) -> Pruned:
    """Choose the units that are left.

    layer (HiddenLayer): The layer, which stays as it is.
    moments (Tensor): From `Moments`; there was at least one activation.
    units (int): How many are left, fewer than there are.
    """
    bias = len(moments) - 1
    before = torch.cat([layer.output.weight.detach().T, layer.output.bias.detach()[None]]).double()
    ridge = RIDGE * moments.diagonal().mean()
    inverse = torch.linalg.inv(moments + ridge * torch.eye(len(moments), device=moments.device))
    output = before.clone()
    left = torch.ones(len(moments), dtype=torch.bool, device=moments.device)
    left[bias] = False
    for _ in range(bias - units):
        cost = output.square().sum(1) / inverse.diagonal()
        unit = cost.masked_fill(~left, torch.inf).argmin()
        column = inverse[:, unit] / inverse[unit, unit]
        output = output - column[:, None] * output[unit]
        inverse = inverse - column[:, None] * inverse[unit]
        left[unit], output[unit] = False, 0.0
        inverse[unit], inverse[:, unit], inverse[unit, unit] = 0.0, 0.0, 1.0
    kept = torch.nonzero(left).squeeze(1)
    sizes = [(one * (moments @ one)).sum(0).mean() / moments[bias, bias] for one in (output - before, before)]
    error, size = (float(one.clamp_min(0).sqrt()) for one in sizes)
    return Pruned(bias, kept, output[[*kept.tolist(), bias]], error, size)
