"""Checking the settings of a component."""

from __future__ import annotations

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
