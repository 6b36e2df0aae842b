from __future__ import annotations

from itertools import combinations

import pytest
import torch
from torch import Tensor, nn

from spacy_span_selector.layers.spans import pruning
from spacy_span_selector.layers.spans.layout import SpanLayout
from spacy_span_selector.layers.spans.pruning import HiddenLayer, Moments, choose_units, hidden_layers

from ...layouts import layout_of
from .test_scorer import build, represent_plainly

INPUTS, UNITS = 5, 7


class Network(nn.Module):
    """A hidden layer of two parts and a table, and what reads it."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = nn.Linear(INPUTS, UNITS), nn.Linear(INPUTS, UNITS, bias=False)
        self.table = nn.Embedding(3, UNITS)
        self.output = nn.Linear(UNITS, 2)

    def forward(self, x: Tensor) -> Tensor:
        rows = torch.arange(len(x)) % 3
        output: Tensor = self.output(torch.relu(self.first(x) + self.second(x**2) + self.table(rows)))
        return output

    def hidden_layer(self) -> HiddenLayer:
        return HiddenLayer([self.first, self.second], [self.table.weight], self.output)


def inputs() -> Tensor:
    return torch.randn(60, INPUTS, generator=torch.Generator().manual_seed(1))


@pytest.fixture(autouse=True)
def all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "LEAST_DRAWN", 1.0)


def measure(network: nn.Module, x: Tensor) -> tuple[HiddenLayer, Tensor]:
    (layer,) = hidden_layers(network).values()
    with torch.no_grad(), Moments([layer]) as moments:
        network(x)
    return layer, moments.of(layer)


def hidden(network: Network, x: Tensor) -> Tensor:
    """The activations, and a column of ones."""
    rows = torch.arange(len(x)) % 3
    units = torch.relu(network.first(x) + network.second(x**2) + network.table(rows))
    return nn.functional.pad(units, (0, 1), value=1.0).double().detach()


def test_moments_are_sums_of_products_of_units() -> None:
    network = Network()
    _, moments = measure(network, inputs())
    units = hidden(network, inputs())
    torch.testing.assert_close(moments, units.T @ units, rtol=1e-5, atol=1e-5)


def test_what_is_probable_is_looked_at_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "LEAST_DRAWN", 0.1)
    network = Network()
    x = inputs().repeat(100, 1)
    nn.init.zeros_(network.output.weight)
    nn.init.constant_(network.output.bias, -50.0)
    improbable = measure(network, x)[1][-1, -1]
    nn.init.constant_(network.output.bias, 50.0)
    assert measure(network, x)[1][-1, -1] == len(x)
    assert improbable / len(x) == pytest.approx(0.1, abs=0.02)


def error_with(network: Network, x: Tensor, kept: tuple[int, ...]) -> float:
    """The squared error of outputs if only some units are left, with the weights that suit them best."""
    units = hidden(network, x)
    wanted = network(x).double().detach()
    found = units[:, [*kept, UNITS]]
    return float((found @ torch.linalg.lstsq(found, wanted).solution - wanted).square().sum())


def test_the_unit_that_costs_least_goes() -> None:
    network = Network()
    layer, moments = measure(network, inputs())
    costs = {kept: error_with(network, inputs(), kept) for kept in combinations(range(UNITS), UNITS - 1)}
    assert tuple(choose_units(layer, moments, UNITS - 1).kept.tolist()) == min(costs, key=costs.__getitem__)


@pytest.mark.parametrize("units", [1, 3, 6])
def test_what_is_left_is_fitted_as_well_as_it_can_be(units: int) -> None:
    network = Network()
    x = inputs()
    layer, moments = measure(network, x)
    pruned = choose_units(layer, moments, units)
    least = error_with(network, x, tuple(pruned.kept.tolist()))
    before = network(x).detach()
    layer.keep(pruned.kept, pruned.output)
    assert layer.units == len(layer.layers[1].weight) == network.table.weight.shape[1] == units
    assert float((network(x).detach() - before).square().sum()) == pytest.approx(least, rel=1e-3)
    assert pruned.before == UNITS
    assert pruned.error == pytest.approx((least / before.numel()) ** 0.5, rel=1e-3)
    assert pruned.size == pytest.approx(float(before.square().mean().sqrt()), rel=1e-3)


def test_copies_of_units_and_dead_ones_are_not_missed() -> None:
    network = Network()
    with torch.no_grad():
        for part in (network.first.weight, network.second.weight, network.first.bias, network.table.weight.T):
            part[4] = part[1]
            part[5] = 2 * part[2]
            part[6] = -10.0
    network.first.weight.data[6], network.second.weight.data[6] = 0.0, 0.0
    layer, moments = measure(network, inputs())
    before = network(inputs()).detach()
    pruned = choose_units(layer, moments, 4)
    layer.keep(pruned.kept, pruned.output)
    torch.testing.assert_close(network(inputs()), before, rtol=1e-3, atol=1e-3)
    assert pruned.error < 1e-3


def test_moments_of_spans_are_those_of_all_spans() -> None:
    scorer = build().eval()
    layout: SpanLayout = layout_of([[3, 3]])
    tokens = torch.randn(6, 6)
    layer = scorer.hidden_layer()
    with torch.inference_mode(), Moments([layer]) as moments:
        scorer(tokens, layout)
    spans = [(i, j) for first in (0, 3) for i in range(first, first + 3) for j in range(i, first + 3)]
    vectors = torch.stack([represent_plainly(scorer, tokens, *span) for span in spans])
    weight = torch.cat([part.weight for part in layer.layers], dim=1)
    units = nn.functional.pad(torch.relu(vectors @ weight.T + scorer.start.bias), (0, 1), value=1.0).double()
    torch.testing.assert_close(moments.of(layer), units.T @ units, rtol=1e-4, atol=1e-4)
