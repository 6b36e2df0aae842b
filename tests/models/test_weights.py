from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from spacy_span_selector.models.weights import check_finite, check_shapes, load_weights

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
    with pytest.raises(
        ValueError, match=r"The weights of it hold something else than tensors.*Nothing of them was loa"
    ):
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
