import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from spacy_span_selector.models.weights import (
    UNIT,
    check_finite,
    check_shapes,
    compact,
    expand,
    load_weights,
    save_weights,
    stored_as,
)

from ..harmful import MakesFolder, as_by_default_before_torch_2_6, saved

CPU = torch.device("cpu")


def test_weights_are_loaded() -> None:
    layer = nn.Linear(2, 3)
    weights = load_weights(saved(layer.state_dict()), CPU, "it")
    torch.testing.assert_close(weights, dict(layer.state_dict()))


@pytest.mark.parametrize("wrap", [lambda harm: harm, lambda harm: {"weight": harm}, lambda harm: {harm: torch.ones(1)}])
def test_no_code_in_weights_is_run(wrap: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_by_default_before_torch_2_6(monkeypatch)
    harm = tmp_path / "harm"
    harmful = saved(wrap(MakesFolder(harm)))
    with pytest.raises(ValueError, match=r"The weights of it hold something else than tensors.*Nothing of them was"):
        load_weights(harmful, CPU, "it")
    assert not harm.exists()


def test_weights_that_run_code_do_so_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above is one."""
    as_by_default_before_torch_2_6(monkeypatch)
    (tmp_path / "weights").write_bytes(saved({"weight": MakesFolder(tmp_path / "harm")}))
    torch.load(tmp_path / "weights")
    assert (tmp_path / "harm").is_dir()


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", None, pickle.dumps({"weight": 1})], ids=["", "cut", "no", "pickle"]
)
def test_what_is_no_archive_is_an_error(data: Any) -> None:
    with pytest.raises(ValueError, match="The weights of it "):
        load_weights(data, CPU, "it")


@pytest.mark.parametrize("size", [0.1, 0.5, 0.99])
def test_a_damaged_archive_is_an_error(size: float) -> None:
    whole = saved(nn.Linear(20, 30).state_dict())
    with pytest.raises(ValueError, match=r"The weights of it .* Nothing of them was loaded"):
        load_weights(whole[: int(size * len(whole))], CPU, "it")


@pytest.mark.parametrize("weights", [[torch.ones(1)], {"weight": 1.0}, torch.ones(2)])
def test_what_is_not_tensors_by_name_is_an_error(weights: Any) -> None:
    with pytest.raises(ValueError, match="The weights of it are not tensors by name"):
        load_weights(saved(weights), CPU, "it")


def test_weights_of_other_shapes_are_an_error() -> None:
    check_shapes(dict(nn.Linear(2, 3).state_dict()), nn.Linear(2, 3, device="meta"), "it")
    with pytest.raises(ValueError, match=r"of it do not fit .*'weight' is \(3, 2\), expected \(4, 2\); 2 of 2 differ"):
        check_shapes(dict(nn.Linear(2, 3).state_dict()), nn.Linear(2, 4), "it")
    with pytest.raises(ValueError, match=r"'bias' is missing, expected \(3,\); 1 of 2"):
        check_shapes(dict(nn.Linear(2, 3, bias=False).state_dict()), nn.Linear(2, 3), "it")
    with pytest.raises(ValueError, match=r"'bias' is \(3,\), expected nothing of this name"):
        check_shapes(dict(nn.Linear(2, 3).state_dict()), nn.Linear(2, 3, bias=False), "it")


@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf])
def test_weights_that_are_no_numbers_are_an_error(number: float) -> None:
    check_finite({"a": torch.ones(2), "b": torch.ones(2, dtype=torch.long)}, "it")
    with pytest.raises(ValueError, match="There is NaN or infinity in 'b' of it"):
        check_finite({"a": torch.ones(2), "b": torch.tensor([1.0, number])}, "it")


@pytest.fixture
def weights() -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(5, 40, generator=generator) * torch.tensor([1e-4, 1.0, 30.0, 0.0, 2.0])[:, None]
    return {"rows": rows, "cube": rows.view(5, 8, 5), "bias": rows[1], "positions": torch.arange(7)[None]}


def stored(weights: dict[str, Tensor], kind: str) -> dict[str, Tensor]:
    with stored_as(kind):
        return compact(weights)


def test_weights_are_stored_as_they_are_by_default_and_afterwards(weights: dict[str, Tensor]) -> None:
    assert compact(weights) is weights
    with stored_as("int8"):
        pass
    assert compact(weights) is weights
    with pytest.raises(ValueError, match=r"can't be stored as 'int4'; expected one of float32, float16, int8"):
        stored(weights, "int4")


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


def test_units_of_other_rows_or_of_none_are_an_error(weights: dict[str, Tensor]) -> None:
    units = {f"rows{UNIT}": torch.ones(4, 1)}
    with pytest.raises(ValueError, match="the units of 'rows' do not fit its rows"):
        expand({**stored(weights, "int8"), **units})
    with pytest.raises(ValueError, match="there are units of 'rows', but no rows"):
        expand(units)
