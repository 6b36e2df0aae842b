import inspect
import math
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass
from spacy import registry

import spacy_span_selector
from spacy_span_selector.signatures import CHECKED, checks_arguments, takes_settings


def even(number: int) -> int:
    if number % 2:
        raise ValueError("even")
    return number


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Settings:
    width: Annotated[int, Field(ge=1)]
    kind: str | None = "a"
    rate: Annotated[float, Field(ge=0, le=1)] = 1.0
    is_on: bool | Literal["later"] = False
    names: Annotated[tuple[str, ...], Field(strict=False)] = ("a",)
    pairs: Annotated[int, AfterValidator(even)] = 2

    def __post_init__(self) -> None:
        if self.kind in self.names[1:]:
            raise ValueError(f"has the kind {self.kind!r} twice.")


@takes_settings(Settings)
def make(name: str, settings: Settings, depth: int = 2) -> tuple[str, Settings, int]:
    """Makes something."""
    return name, settings, depth


def test_fields_become_arguments() -> None:
    assert make("net", width=3) == ("net", Settings(width=3), 2)
    assert make(name="net", depth=4, width=3, kind=None) == ("net", Settings(width=3, kind=None), 4)


def test_arguments_with_defaults_come_last() -> None:
    names = ["name", "width", "depth", "kind", "rate", "is_on", "names", "pairs"]
    assert list(inspect.signature(make).parameters) == names


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


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"width": "1"}, "'width' of 'net' is '1'; it must be a valid integer."),
        ({"width": 1.0}, "'width' of 'net' is 1.0; it must be a valid integer."),
        ({"width": True}, "'width' of 'net' is True; it must be a valid integer."),
        ({"width": 0}, "'width' of 'net' is 0; it must be greater than or equal to 1."),
        ({"rate": "0.5"}, "'rate' of 'net' is '0.5'; it must be a valid number."),
        ({"rate": None}, "'rate' of 'net' is None; it must be a valid number."),
        ({"rate": False}, "'rate' of 'net' is False; it must be a valid number."),
        ({"rate": math.nan}, "'rate' of 'net' is nan; it must be a finite number."),
        ({"kind": 1}, "'kind' of 'net' is 1; it must be a valid string."),
        ({"is_on": 1}, "'is_on' of 'net' is 1; it must be a valid boolean or 'later'."),
        ({"names": "ab"}, "'names' of 'net' is 'ab'; it must be a list."),
        ({"names": ["a", 1]}, "'names[1]' of 'net' is 1; it must be a valid string."),
        ({"pairs": 3}, "'pairs' of 'net' is 3; it must be even."),
        ({"names": ["b", "a"]}, "'net' has the kind 'a' twice."),
    ],
)
def test_a_wrong_value_is_an_error_that_names_it(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        make("net", **{"width": 1, **values})


def test_an_owner_is_named() -> None:
    with pytest.raises(ValueError, match="'width' of the network is 0"):
        takes_settings(Settings, "the network")(lambda settings: settings)(width=0)


def test_values_of_the_types_are_accepted() -> None:
    _, settings, _ = make("net", width=3, rate=1, kind=None, is_on="later", names=["b", "c"])
    assert settings == Settings(width=3, rate=1.0, kind=None, is_on="later", names=("b", "c"))


def resolve(**settings: Any) -> Any:
    registry.misc("signatures_test.make.v1", func=make)
    return registry.resolve({"net": {"@misc": "signatures_test.make.v1", "name": "net", **settings}})["net"]


def test_a_config_is_checked_by_the_types_of_the_fields() -> None:
    assert resolve(width=3) == ("net", Settings(width=3), 2)
    with pytest.raises(ValueError, match=r"'width' of 'net' is 1\.5"):
        resolve(width=1.5)


def test_a_config_is_filled_with_the_defaults_of_the_fields() -> None:
    registry.misc("signatures_test.make.v1", func=make)
    filled = registry.fill({"net": {"@misc": "signatures_test.make.v1", "name": "net", "width": 1}})["net"]
    assert (filled["kind"], filled["names"]) == ("a", ["a"])


def test_arguments_of_a_function_are_checked() -> None:
    @checks_arguments("the reader")
    def read(limit: int = 0) -> int:
        return limit

    assert read(limit=2) == 2
    with pytest.raises(ValueError, match="'limit' of the reader is '2'; it must be a valid integer"):
        read(limit="2")  # type: ignore[arg-type]


def test_class_variables_say_their_type() -> None:
    """Before Python 3.11 annotations with a bare ClassVar can't be resolved, and then nothing can be imported."""
    files = [*Path(spacy_span_selector.__file__).parent.rglob("*.py")]
    bare = [path.name for path in files if re.search(r": ClassVar\b(?!\[)", path.read_text(encoding="utf-8"))]
    assert files and not bare
