"""Warnings of what a corpus or a format has no place for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

MOST_NAMES = 5


def warn_left_out(what: str, cases: Sequence[str]) -> None:
    """Warn once of everything that a reader left out, if there is anything.

    what (str): What was left out, in the plural.
    cases (Sequence[str]): A description of each case. The warning has their number and the first one.
    """
    if cases:
        warnings.warn(f"Left out {what}: {len(cases):,}. The first: {cases[0]}", stacklevel=3)


def list_names(names: Iterable[str]) -> str:
    """The first names of documents and the number of the others, for a warning; a name that comes twice counts once."""
    different = list(dict.fromkeys(names))
    more = len(different) - MOST_NAMES
    return ", ".join(different[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
