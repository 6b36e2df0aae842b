"""Settings as arguments: config entries whose names, types and defaults are the fields of a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache, wraps
from numbers import Integral, Real
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Made = TypeVar("Made")

PLAIN: dict[type[Any], tuple[str, type[Any]]] = {
    bool: ("true or false", bool),
    int: ("a whole number", Integral),
    float: ("a number", Real),
    str: ("a string", str),
    type(None): ("null", type(None)),
}
"""What the values of plain types are called in messages, and what they are in Python: numbers of NumPy, too."""

PLAIN_NAMES = {"bool": bool, "int": int, "float": float, "str": str, "None": type(None)}

Kinds = dict[str, tuple[type[Any], ...]]
"""The types that a value may have, by its name."""


def takes_settings(settings: type[Any]) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    """Let a registered function take settings one by one, and get them as one object, its argument `settings`.

    spaCy reads what an entry of a config may contain from the signature of the registered function.

    settings (type): A dataclass. Each of its fields becomes an argument, unless the function has one of that name.
    """

    def decorate(make: Callable[..., Made]) -> Callable[..., Made]:
        arguments = dict(inspect.signature(make).parameters)
        del arguments["settings"]
        types = get_type_hints(settings)
        own = {field.name: field.default for field in fields(settings) if field.name not in arguments}
        arguments |= {name: _parameter(name, types[name], default) for name, default in own.items()}
        signature = inspect.Signature(sorted(arguments.values(), key=_has_default))

        @wraps(make)
        def function(*given: Any, **named: Any) -> Made:
            bound = signature.bind(*given, **named)
            bound.apply_defaults()
            whose = repr(bound.arguments.get("name", make.__name__))
            values = {name: bound.arguments.pop(name) for name in own}
            check_types(settings, values, whose)
            _check(_plain_arguments(make), bound.arguments, whose)
            return make(**bound.arguments, settings=settings(**values))

        vars(function)["__signature__"] = signature
        function.__annotations__ = {**make.__annotations__, **{name: types[name] for name in own}}
        return function

    return decorate


def check_types(settings: type[Any], values: Mapping[str, Any], whose: str) -> None:
    """Check that settings of plain types have values of these types: spaCy lets a string pass for a number.

    settings (type): The dataclass. Fields of other types, such as functions, are not checked.
    values (Mapping[str, Any]): Values by the names of fields.
    whose (str): What has the settings, for the message.
    RAISES (ValueError): If a value is of another type.
    """
    _check(_plain_fields(cast(Any, settings)), values, whose)


def _check(plain: Kinds, values: Mapping[str, Any], whose: str) -> None:
    for name, kinds in plain.items():
        if name in values and not any(_is_a(values[name], kind) for kind in kinds):
            expected = " or ".join(PLAIN[kind][0] for kind in kinds)
            raise ValueError(f"'{name}' of {whose} is {values[name]!r}; it must be {expected}.")


@cache
def _plain_fields(settings: type[Any]) -> Kinds:
    """The types that the value of a field may have, for fields of plain types."""
    hints = get_type_hints(settings)
    kinds = {field.name: _options(hints[field.name]) for field in fields(settings)}
    return {name: options for name, options in kinds.items() if PLAIN.keys() >= set(options)}


@cache
def _plain_arguments(make: Callable[..., Any]) -> Kinds:
    """The same for the arguments of a function that are written as names of plain types, such as "int | None"."""
    kinds = {name: str(hint).split(" | ") for name, hint in make.__annotations__.items()}
    return {
        name: tuple(PLAIN_NAMES[option] for option in options)
        for name, options in kinds.items()
        if PLAIN_NAMES.keys() >= set(options)
    }


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _is_a(value: Any, kind: type[Any]) -> bool:
    return isinstance(value, PLAIN[kind][1]) and (kind is bool or not isinstance(value, bool))


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind, default=default)


def _has_default(argument: inspect.Parameter) -> bool:
    return argument.default is not inspect.Parameter.empty
