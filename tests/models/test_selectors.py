from __future__ import annotations

from typing import Any

import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_span_selector.layers.selection.selectors import GreedySelector, MultitaskSelector

from ..selectors import SELECTORS, selector_block


def resolve(block: dict[str, Any]) -> Any:
    return registry.resolve({"selector": block})["selector"]


@pytest.mark.parametrize("name", SELECTORS)
def test_selectors_are_registered(name: str) -> None:
    assert resolve(selector_block(name)) == SELECTORS[name]()


@pytest.mark.parametrize("name", SELECTORS)
def test_selectors_survive_the_text_of_a_config(name: str) -> None:
    config = Config().from_str(Config({"selector": selector_block(name, ratio=0.3)}).to_str())
    assert resolve(config["selector"]) == resolve(selector_block(name, ratio=0.3))


def test_settings_reach_the_selectors() -> None:
    assert resolve(selector_block("greedy", 0.3)) == GreedySelector(ratio=0.3)
    assert resolve({**selector_block("multitask", 0.3), "weight": 0.5}) == MultitaskSelector(ratio=0.3, weight=0.5)


@pytest.mark.parametrize("name", ["greedy", "multitask"])
@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan"), float("inf")])
def test_a_ratio_that_is_not_above_0_or_not_finite_is_an_error(name: str, ratio: float) -> None:
    with pytest.raises(ValueError, match=rf"'ratio' of the greedy selector is {ratio}; it must be above 0 and finite"):
        resolve(selector_block(name, ratio))


@pytest.mark.parametrize("setting", ["ratio", "weight"])
def test_a_number_in_quotation_marks_is_an_error(setting: str) -> None:
    problem = f"'{setting}' of 'spacy_span_selector.MultitaskSelector.v1' is '0.5'; it must be a number"
    with pytest.raises(ValueError, match=problem):
        resolve({**selector_block("multitask"), setting: "0.5"})


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf")])
def test_a_weight_below_0_or_not_finite_is_an_error(weight: float) -> None:
    with pytest.raises(ValueError, match=rf"'weight' of the multitask selector is {weight}; it must be at least 0"):
        resolve({**selector_block("multitask"), "weight": weight})


def test_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(ValueError, match="ratio"):
        resolve({**selector_block("structured"), "ratio": 0.4})
