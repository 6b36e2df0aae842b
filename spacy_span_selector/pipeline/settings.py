"""Checking the settings of a component."""

from __future__ import annotations

import re
from collections.abc import Sequence


def check_choice(name: str, setting: str, value: str | None, choices: Sequence[str | None]) -> None:
    """Raise a ValueError that names component and setting unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"'{setting}' of '{name}' is {value!r}; it must be one of {', '.join(map(repr, choices))}.")


def check_range(name: str, setting: str, value: float, least: float, greatest: float | None = None) -> None:
    """Raise a ValueError that names component and setting unless the value lies within the limits."""
    if not value >= least or (greatest is not None and value > greatest):
        limits = f"at least {least}" if greatest is None else f"from {least} to {greatest}"
        raise ValueError(f"'{setting}' of '{name}' is {value}; it must be {limits}.")


def check_keys(name: str, prefix: str, **keys: str) -> None:
    """Raise a ValueError that names them unless keys in `doc.spans` differ from each other and from those of a prefix.

    name (str): Name of the component.
    prefix (str): Its setting `prefix`, that of numbered keys.
    keys (str): Its other keys, by setting.
    """
    numbered = re.compile(re.escape(prefix) + r"_\d+")
    if len({*keys.values()}) < len(keys) or any(map(numbered.fullmatch, keys.values())):
        settings = " and ".join(f"'{setting}' {key!r}" for setting, key in {"prefix": prefix, **keys}.items())
        raise ValueError(
            f"'{name}' would read what it has written: {settings} name the same groups of doc.spans. "
            "Give each a name of its own."
        )
