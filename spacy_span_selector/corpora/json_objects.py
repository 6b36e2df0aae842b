"""A line of JSON that should be an object."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn

from .files import decode

ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
LONGEST_VALUE = 60


class RepeatedKeyError(ValueError):
    """An object has a key twice. Python's reader would take the last one."""


def read_object(line: bytes, place: str, *, numbers_only: bool = False) -> dict[str, Any]:
    """Read a line of JSON.

    line (bytes): The line.
    place (str): What errors call it: file and line.
    numbers_only (bool): Whether `NaN` and `Infinity` are errors. JSON does not have them, but Python's writer does.
    RETURNS (dict[str, Any]): The object.
    RAISES (ValueError): If it is not UTF-8, not JSON or no object, or has half of a character or a key twice.
    """
    text = decode(line, place)
    try:
        record = json.loads(text, parse_constant=_fail if numbers_only else None, object_pairs_hook=_to_dict)
        if ESCAPED_SURROGATE.search(text):
            json.dumps(record, ensure_ascii=False).encode("utf-8")  # for its error: half a character is none
        if not isinstance(record, dict):
            found = show_json(record)
    except UnicodeEncodeError as error:
        raise ValueError(f"{place}: found half of a character that JSON writes in two parts ({error}).") from error
    except RepeatedKeyError as error:
        raise ValueError(f"{place}: {error}. Leave one out.") from error
    except RecursionError as error:
        raise ValueError(f"{place}: its lists are nested too deeply, expected a document.") from error
    except ValueError as error:  # also of an integer with thousands of digits
        raise ValueError(f"{place}: not JSON: {error}. Expected one object per line.") from error
    if not isinstance(record, dict):
        raise ValueError(f"{place}: found {found}, expected an object, `{{...}}`.")
    return record


def show_json(value: object) -> str:
    """A value as messages show it, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def _to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise RepeatedKeyError(f"an object has the key {show_json(twice)} twice")
    return found


def _fail(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}, which is no number of JSON; write null for a value that is not known")
