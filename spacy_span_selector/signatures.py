"""Settings: a frozen dataclass that pydantic checks, whose fields are the arguments of an entry in a config."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, TypeVar

from pydantic import ConfigDict, ValidationError, validate_call

Made = TypeVar("Made")

CHECKED = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True)
"""How settings are checked: spaCy lets a string pass for a number. Used as `@dataclass(frozen=True, config=CHECKED)`
with the decorator of pydantic."""


def takes_settings(
    settings: type[Any], owner: str | None = None
) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    """Let a registered function take settings one by one, and get them as one object, its argument `settings`.

    spaCy reads from the signature of a registered function what its entry in a config may contain.

    settings (type): A dataclass. Each of its fields becomes an argument, unless the function has one of that name.
    owner (str | None): What has the settings, for messages; None for the argument `name`.
    """

    def decorate(make: Callable[..., Made]) -> Callable[..., Made]:
        arguments = dict(inspect.signature(make).parameters)
        del arguments["settings"]
        own = {field.name: _argument(field) for field in fields(settings) if field.name not in arguments}
        blocks = {field.name for field in fields(settings) if is_dataclass(field.default)}
        every = [*arguments.values(), *own.values()]
        signature = inspect.Signature(sorted(every, key=lambda one: one.default is not one.empty))

        @wraps(make)
        def function(*given: Any, **named: Any) -> Made:
            bound = signature.bind(*given, **named)
            bound.apply_defaults()
            values = {name: bound.arguments.pop(name) for name in own}
            values = {name: value for name, value in values.items() if value is not None or name not in blocks}
            with naming(owner or repr(bound.arguments.get("name", make.__name__))):
                checked = settings(**values)
            return make(**bound.arguments, settings=checked)

        vars(function)["__signature__"] = signature
        function.__annotations__ = {**make.__annotations__, **dict.fromkeys(own, Any)}
        return function

    return decorate


def checks_arguments(owner: str) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    """Let a function check the types of its arguments, as those of settings are checked."""

    def decorate(make: Callable[..., Made]) -> Callable[..., Made]:
        checked = validate_call(config=CHECKED)(make)

        @wraps(make)
        def function(*given: Any, **named: Any) -> Made:
            with naming(owner):
                return checked(*given, **named)

        return function

    return decorate


@contextmanager
def naming(whose: str) -> Iterator[None]:
    """Let errors of pydantic be errors that name the setting, what has it, what it is and what it must be.

    RAISES (ValueError): If pydantic raises one.
    """
    try:
        yield
    except ValidationError as error:
        raise ValueError(_describe(error, whose)) from None


def _describe(error: ValidationError, whose: str) -> str:
    """The first setting that is wrong. It has several problems if it may be of several types."""
    first, *others = error.errors(include_url=False)
    if not first["loc"]:
        return f"{whose} {first['ctx']['error']}"
    setting, *place = first["loc"]
    name = "".join([str(setting), *(f"[{index}]" for index in place if isinstance(index, int))])
    if first["type"] == "unexpected_keyword_argument":
        return f"{whose} has no setting '{name}'."
    same = [first, *(problem for problem in others if problem["loc"][0] == setting)]
    expected = " or ".join(
        str(problem["ctx"]["error"])
        if problem["type"] == "value_error"
        else problem["msg"].partition(" be ")[2].replace("a valid tuple", "a list").replace("a valid list", "a list")
        for problem in same
    )
    return f"'{name}' of {whose} is {first['input']!r:.200}; it must be {expected}."


def _argument(field: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    if isinstance(default, tuple):
        default = [*default]  # as configs have it
    if is_dataclass(default):
        default = None  # a block of its own in a config
    return inspect.Parameter(field.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Any, default=default)
