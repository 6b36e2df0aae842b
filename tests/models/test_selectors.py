from typing import Any

import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_span_selector.layers.selection.selectors import SigmoidSelector

from ..selectors import SELECTORS, selector_block


def resolve(block: dict[str, Any]) -> Any:
    return registry.resolve({"selector": block})["selector"]


@pytest.mark.parametrize("name", SELECTORS)
def test_selectors_are_registered_and_survive_the_text_of_a_config(name: str) -> None:
    config = Config().from_str(Config({"selector": selector_block(name)}).to_str())
    assert resolve(config["selector"]) == resolve(selector_block(name)) == SELECTORS[name]()


def test_settings_reach_the_selectors() -> None:
    assert resolve({**selector_block("sigmoid"), "non_crossing": True}) == SigmoidSelector(non_crossing=True)


@pytest.mark.parametrize(("name", "value"), [("non_crossing", "true"), ("ratio", 0.4)])
def test_a_value_in_quotation_marks_or_an_unknown_setting_is_an_error(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name):
        resolve({**selector_block("sigmoid"), name: value})
