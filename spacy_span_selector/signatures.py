"""Settings as arguments: config entries whose names, types and defaults are the fields of a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from typing import Any, TypeVar, get_type_hints

Made = TypeVar("Made")


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
            values = {name: bound.arguments.pop(name) for name in own}
            return make(**bound.arguments, settings=settings(**values))

        vars(function)["__signature__"] = signature
        function.__annotations__ = {**make.__annotations__, **{name: types[name] for name in own}}
        return function

    return decorate


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind, default=default)


def _has_default(argument: inspect.Parameter) -> bool:
    return argument.default is not inspect.Parameter.empty
