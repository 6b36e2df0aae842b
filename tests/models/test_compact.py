from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from spacy_span_selector.models.compact import UNIT, compact, expand, stored_as
from spacy_span_selector.models.weights import load_weights, save_weights

CPU = torch.device("cpu")


@pytest.fixture
def weights() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(5, 40, generator=generator) * torch.tensor([1e-4, 1.0, 30.0, 0.0, 2.0])[:, None]
    return {"rows": rows, "cube": rows.view(5, 8, 5), "bias": rows[1], "positions": torch.arange(7)[None]}


def stored(weights: dict[str, Tensor], kind: str) -> dict[str, Tensor]:
    with stored_as(kind):
        return compact(weights)


def test_weights_are_stored_as_they_are_by_default(weights: dict[str, Tensor]) -> None:
    assert compact(weights) is weights


@pytest.mark.parametrize("name", ["rows", "cube"])
def test_whole_numbers_are_off_by_half_a_unit_of_their_row(weights: dict[str, Tensor], name: str) -> None:
    kept = stored(weights, "int8")
    off = (expand(kept)[name] - weights[name]).abs().flatten(1)
    unit = kept[name + UNIT]
    assert kept[name].dtype == torch.int8
    assert (off <= unit / 2 * (1 + 1e-5)).all()
    torch.testing.assert_close(unit, weights[name].abs().flatten(1).amax(1, keepdim=True) / 127)


def test_half_precision_rounds(weights: dict[str, Tensor]) -> None:
    loaded = expand(stored(weights, "float16"))
    assert loaded["rows"].dtype == torch.float32
    torch.testing.assert_close(loaded["rows"], weights["rows"], rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("kind", ["int8", "float16"])
@pytest.mark.parametrize("name", ["bias", "positions"])
def test_vectors_and_whole_numbers_stay(weights: dict[str, Tensor], kind: str, name: str) -> None:
    assert torch.equal(expand(stored(weights, kind))[name], weights[name])


def test_compact_weights_take_a_quarter() -> None:
    layer = nn.Linear(500, 500)
    whole = save_weights(layer)
    with stored_as("int8"):
        small = save_weights(layer)
    assert len(small) < 0.27 * len(whole)
    loaded = load_weights(small, CPU, "it")
    torch.testing.assert_close(loaded["weight"], layer.weight.data, rtol=0, atol=0.0003)


def test_what_was_compact_is_stored_whole_afterwards(weights: dict[str, Tensor]) -> None:
    with stored_as("int8"):
        pass
    assert compact(weights) is weights


def test_another_kind_is_an_error() -> None:
    with (
        pytest.raises(ValueError, match=r"can't be stored as 'int4'; expected one of float32, float16, int8"),
        stored_as("int4"),
    ):
        pass


def test_units_of_other_rows_are_an_error(weights: dict[str, Tensor]) -> None:
    kept = {**stored(weights, "int8"), f"rows{UNIT}": torch.ones(4, 1)}
    with pytest.raises(ValueError, match="the units of 'rows' do not fit its rows"):
        expand(kept)


def test_units_without_rows_are_an_error() -> None:
    with pytest.raises(ValueError, match="there are units of 'rows', but no rows"):
        expand({f"rows{UNIT}": torch.ones(4, 1)})
