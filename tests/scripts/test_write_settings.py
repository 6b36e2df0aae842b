from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from scripts.write_settings import rows_of, values, write_page
from spacy_span_selector.layers.coref.network import CorefSettings
from spacy_span_selector.layers.srl.roles import SrlSettings
from spacy_span_selector.people.entity_resolver import EntityResolver
from spacy_span_selector.pipeline.settings import defaults
from spacy_span_selector.pipeline.structured_coref import StructuredCoref
from spacy_span_selector.pipeline.structured_srl import StructuredSrl

PAGE = Path(__file__).parents[2] / "docs/settings.md"


def test_the_page_is_that_of_the_code() -> None:
    """`python scripts/write_settings.py docs/settings.md` writes it again."""
    assert PAGE.read_text(encoding="utf-8") == write_page()


@pytest.mark.parametrize("settings", [CorefSettings, SrlSettings])
def test_every_setting_of_a_network_has_a_row(settings: Any) -> None:
    assert [row[0] for row in rows_of(settings)] == [field.name for field in fields(settings)]


@pytest.mark.parametrize("component", [StructuredCoref, StructuredSrl, EntityResolver])
def test_every_setting_of_a_component_has_a_row(component: Any) -> None:
    assert [row[0] for row in rows_of(component)] == [*defaults(component)]


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (bool, "`true` or `false`"),
        (Annotated[float, Field(ge=0, lt=1)], "number from 0 below 1"),
        (Annotated[int, Field(gt=1)] | None, "whole number above 1 or `null`"),
        (Literal["a", "b"], '`"a"` or `"b"`'),
        (list[str], "list of strings"),
    ],
)
def test_values_are_said_in_words(hint: object, expected: str) -> None:
    assert values(hint) == expected
