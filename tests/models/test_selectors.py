from __future__ import annotations

from typing import Any

import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_span_selector.layers.selection.selectors import GreedySelector

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


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan"), float("inf")])
def test_a_ratio_that_is_not_above_0_or_not_finite_is_an_error(ratio: float) -> None:
    with pytest.raises(ValueError, match=rf"'ratio' of .* is {ratio}; it must be .*finite"):
        resolve(selector_block("greedy", ratio))


def test_a_number_in_quotation_marks_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'ratio' of 'spacy_span_selector.GreedySelector.v1' is '0.5'; it must be"):
        resolve({**selector_block("greedy"), "ratio": "0.5"})


def test_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(ValueError, match="ratio"):
        resolve({**selector_block("structured"), "ratio": 0.4})
