"""What components find, by the thousand: looked at together, where `checks` would return each value as it is."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import isfinite
from typing import Any

from spacy.tokens import Doc


def are_offsets(doc: Doc, spans: Sequence[Any]) -> bool:
    """Tell whether all of these are tuples of two of Python's integers that `check_offsets` takes."""
    if not spans:
        return True
    if {*map(type, spans)} != {tuple} or {*map(len, spans)} != {2}:
        return False
    starts, ends = zip(*spans, strict=True)
    are_plain = {*map(type, starts), *map(type, ends)} == {int}
    return are_plain and min(starts) >= 0 and max(ends) <= len(doc) and all(map(operator.lt, starts, ends))


def are_scores(values: Sequence[Any]) -> bool:
    """Tell whether all of these are finite floats."""
    return {*map(type, values)} <= {float} and all(map(isfinite, values))


def are_texts(values: Sequence[Any]) -> bool:
    """Tell whether all of these are strings that can be saved, as far as that is easily seen."""
    return {*map(type, values)} <= {str} and "".join(values).isascii()
