from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spacy import registry

import spacy_span_selector
from spacy_span_selector.signatures import check_types, takes_settings


@dataclass(frozen=True, kw_only=True)
class Settings:
    width: int
    kind: str | None = "a"

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"'width' is {self.width}.")


@takes_settings(Settings)
def make(name: str, settings: Settings, depth: int = 2) -> tuple[str, Settings, int]:
    """Makes something."""
    return name, settings, depth


def test_fields_become_arguments() -> None:
    assert make("net", width=3) == ("net", Settings(width=3), 2)
    assert make(name="net", depth=4, width=3, kind=None) == ("net", Settings(width=3, kind=None), 4)


def test_arguments_with_defaults_come_last() -> None:
    assert list(inspect.signature(make).parameters) == ["name", "width", "depth", "kind"]
    assert make("net", 3, 4, "b") == ("net", Settings(width=3, kind="b"), 4)


def test_an_argument_of_the_function_takes_the_place_of_a_field() -> None:
    @takes_settings(Settings)
    def own_kind(settings: Settings, kind: int = 0) -> tuple[Settings, int]:
        return settings, kind

    assert own_kind(width=1, kind=7) == (Settings(width=1), 7)


def test_the_function_keeps_name_and_docstring() -> None:
    assert (make.__name__, make.__doc__) == ("make", "Makes something.")


@pytest.mark.parametrize("given", [{}, {"width": 1, "height": 1}], ids=["too few", "unknown"])
def test_wrong_arguments_are_errors(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"missing a required argument: 'width'|unexpected keyword argument 'height'"):
        make("net", **given)


def test_checks_are_those_of_the_settings() -> None:
    with pytest.raises(ValueError, match="'width' is 0"):
        make("net", width=0)


@pytest.mark.parametrize(("value", "good"), [(3, True), (1.5, False)])
def test_a_config_is_checked_by_the_types_of_the_fields(value: Any, good: bool) -> None:
    registry.misc("signatures_test.make.v1", func=make)
    config = {"net": {"@misc": "signatures_test.make.v1", "name": "net", "width": value}}
    if good:
        assert registry.resolve(config)["net"] == ("net", Settings(width=3), 2)
    else:
        with pytest.raises(ValueError, match="width"):
            registry.resolve(config)


def test_a_config_is_filled_with_the_defaults_of_the_fields() -> None:
    registry.misc("signatures_test.make.v1", func=make)
    filled = registry.fill({"net": {"@misc": "signatures_test.make.v1", "name": "net", "width": 1}})
    assert filled["net"]["kind"] == "a"


@dataclass(kw_only=True)
class Plain:
    width: int = 1
    rate: float = 1.0
    kind: str | None = None
    is_on: bool = False
    sizes: dict[str, str] | None = None


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"width": "1"}, "'width' of 'net' is '1'; it must be a whole number."),
        ({"width": 1.0}, "'width' of 'net' is 1.0; it must be a whole number."),
        ({"width": True}, "'width' of 'net' is True; it must be a whole number."),
        ({"rate": "0.5"}, "'rate' of 'net' is '0.5'; it must be a number."),
        ({"rate": None}, "'rate' of 'net' is None; it must be a number."),
        ({"rate": False}, "'rate' of 'net' is False; it must be a number."),
        ({"kind": 1}, "'kind' of 'net' is 1; it must be a string or null."),
        ({"is_on": 1}, "'is_on' of 'net' is 1; it must be true or false."),
    ],
)
def test_a_value_of_another_type_is_an_error_that_names_it(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        check_types(Plain, values, "'net'")


def test_values_of_the_types_are_accepted() -> None:
    for values in (
        {"width": 3, "rate": 1, "kind": None, "is_on": True},
        {"width": np.int64(3), "rate": np.float32(0.5), "kind": "a"},
        {"sizes": 7},  # not a plain type
    ):
        check_types(Plain, values, "'net'")


def test_types_are_checked_before_the_settings_are_made() -> None:
    with pytest.raises(ValueError, match="'width' of 'net' is '3'; it must be a whole number"):
        make("net", width="3")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"name": 7}, "'name' of 7 is 7; it must be a string"),
        ({"depth": "2"}, "'depth' of 'net' is '2'; it must be a who"),
    ],
)
def test_arguments_of_the_function_are_checked(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        make(**{"name": "net", "width": 3, **values})


def test_class_variables_say_their_type() -> None:
    """Before Python 3.11 annotations with a bare ClassVar can't be resolved, and then nothing can be imported."""
    files = [*Path(spacy_span_selector.__file__).parent.rglob("*.py")]
    bare = [path.name for path in files if re.search(r": ClassVar\b(?!\[)", path.read_text(encoding="utf-8"))]
    assert files and not bare
