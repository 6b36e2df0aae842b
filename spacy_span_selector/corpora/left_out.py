"""Warnings about annotation that is left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

MOST_NAMES = 5


def warn_left_out(what: str, cases: Sequence[str]) -> None:
    """Warn once about everything that a reader left out, if there is anything.

    what (str): What was left out, in the plural.
    cases (Sequence[str]): A description of each case. The warning quotes their number and the first one.
    """
    if cases:
        warnings.warn(f"Left out {what}: {len(cases):,}. The first: {cases[0]}", stacklevel=3)


def list_names(names: Iterable[str]) -> str:
    """List the first names of documents in a warning, and count the others. Repeated names count once."""
    different = list(dict.fromkeys(names))
    more = len(different) - MOST_NAMES
    return ", ".join(different[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
