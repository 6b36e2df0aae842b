from __future__ import annotations

from typing import Any

import pytest
from pydantic.dataclasses import dataclass

from spacy_span_selector.layers.selection.network import Dropout, NetworkSettings, Size
from spacy_span_selector.signatures import CHECKED


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Settings(NetworkSettings):
    """The settings of some network, with a dropout and a number of its own."""

    word_dropout: Dropout = 0.0
    layers: Size = 1


@pytest.mark.parametrize("name", ["dropout", "word_dropout"])
@pytest.mark.parametrize("value", [-0.1, 1.0, 2, float("nan")])
def test_a_dropout_out_of_range_is_an_error(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"\n{name}\n  Input should be "):
        Settings(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 0.0, 0.5, 0.999])
def test_every_dropout_may_be_from_0_to_below_1(value: float) -> None:
    settings = Settings(dropout=value, word_dropout=value)
    assert (settings.dropout, settings.word_dropout) == (value, value)


@pytest.mark.parametrize("value", [0, float("nan"), float("inf")])
def test_any_other_number_below_1_or_not_finite_is_an_error(value: Any) -> None:
    with pytest.raises(ValueError, match=r"\nlayers\n  Input should be "):
        Settings(layers=value)


def test_what_is_no_selector_is_an_error() -> None:
    selector: Any = "sigmoid"
    with pytest.raises(ValueError, match=r"\nselector\n  Input should be an instance of Selector"):
        Settings(selector=selector)
