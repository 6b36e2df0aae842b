from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from spacy_span_selector.layers.selection.candidates import Pruning, TopNonCrossing
from spacy_span_selector.layers.selection.settings import NetworkSettings


@dataclass(frozen=True, kw_only=True)
class Settings(NetworkSettings):
    """The settings of some network, with a dropout and a number of its own."""

    word_dropout: float = 0.0
    layers: int = 1
    network: ClassVar[str] = "test"
    greedy_ratio: ClassVar[float] = 0.4
    pruning: ClassVar[Pruning] = TopNonCrossing


@pytest.mark.parametrize("name", ["dropout", "word_dropout"])
@pytest.mark.parametrize("value", [-0.1, 1.0, 2, float("nan")])
def test_a_dropout_out_of_range_is_an_error(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"'{name}' of the test model is {value}; it must be from 0 to below 1"):
        Settings(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 0.0, 0.5, 0.999])
def test_every_dropout_may_be_from_0_to_below_1(value: float) -> None:
    settings = Settings(dropout=value, word_dropout=value)
    assert (settings.dropout, settings.word_dropout) == (value, value)


@pytest.mark.parametrize("value", [0, float("nan"), float("inf")])
def test_any_other_number_below_1_or_not_finite_is_an_error(value: float) -> None:
    with pytest.raises(ValueError, match=rf"'layers' of the test model is {value}; it must be at least 1, and finite"):
        Settings(layers=value)  # type: ignore[arg-type]
