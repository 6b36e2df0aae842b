"""What names and texts of records are, in files that have other fields, too."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from ..annotation.checks import show
from ..corpora.plain.records import check_text
from ..documents.transcripts import Turn
from .records import Record

MOST_LEVELS = 100
"""Deeper structures are refused: what writes, copies or prints one fails at some depth, each at another."""

RESERVED = frozenset(
    {"format", "id", "text", "sentences", "tokens", "speakers", "speaker_markers"}
    | {"clusters", "characters", "unlinked_mentions", "frames", "quotations"}
)
"""Keys of the output, which no other field of a record may have."""


@dataclass
class Reading:
    """How records are read.

    text_field (str): The field, or column, with the text.
    id_field (str | None): The field with the name of the record, which each must have. If None, it is `id`, and a
        record without it is named by file and line.
    not_passed (dict[str, str]): Fields that the output can't have, because it has others of the same name, and the
        first record that has each; found while reading.
    """

    text_field: str = "text"
    id_field: str | None = None
    not_passed: dict[str, str] = field(default_factory=dict)

    def make_record(self, source: str, end: int, values: Mapping[str, Any]) -> Record:
        """Make a record of named values.

        source (str): Where they are.
        end (int): The bytes of all inputs that come before their end.
        values (Mapping[str, Any]): The values.
        RETURNS (Record): The record; it says so if it has no text.
        """
        try:
            _check_values(values)
            name = self._name(source, values)
        except ValueError as error:
            return Record(source, source, end, problem=str(error))
        try:
            text = self._text(values)
        except ValueError as error:
            return Record(name, source, end, problem=str(error))
        taken = (self.text_field, self.id_field or "id")
        fields = {key: value for key, value in values.items() if key not in taken}
        if speakers := _read_speakers(fields.get("speakers"), text):
            del fields["speakers"]
        for key in RESERVED & fields.keys():
            self.not_passed.setdefault(key, source)
            del fields[key]
        return Record(name, source, end, text, fields=fields, speakers=speakers)

    def _name(self, source: str, values: Mapping[str, Any]) -> str:
        value = values.get(self.id_field or "id")
        if isinstance(value, float):  # what tables make of whole numbers if some are missing
            value = int(value) if value.is_integer() else None if math.isnan(value) else value
        if value is None and self.id_field is None:
            return source
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            raise ValueError(f"{_place(self.id_field or 'id', values)}; expected a string or a whole number.")
        return check_text(str(value))

    def _text(self, values: Mapping[str, Any]) -> str:
        text = values.get(self.text_field)
        if not isinstance(text, str):
            raise ValueError(f"{_place(self.text_field, values)}; expected a string. Is --text-field right?")
        return check_text(text)


def _check_values(values: Mapping[str, Any]) -> None:
    """Fail if a value is nested so deeply that it can't go wherever a record goes.

    RAISES (ValueError): If one is, naming it.
    """
    for key, value in values.items():
        level = [value]
        for _ in range(MOST_LEVELS + 1):
            level = [part for value in level if isinstance(value, (dict, list, tuple)) for part in _parts(value)]
            if not level:
                break
        else:
            raise ValueError(f"'{key}' is nested more than {MOST_LEVELS} levels deep. Leave it out, or flatten it.")


def _parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _read_speakers(value: Any, text: str) -> tuple[Turn, ...]:
    """The turns of a text as plain data has them; none if the value is anything else."""
    try:
        turns = [Turn(check_text(turn["speaker"]), turn["start"], turn["end"]) for turn in value]
        fit = all(0 <= turn.start < turn.end <= len(text) for turn in turns)
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()
    return tuple(sorted(turns, key=attrgetter("start"))) if fit else ()


def source_name(path: str) -> str:
    """A path as output can have it: bytes that are no UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def without_place(error: Exception, place: str) -> str:
    """The message of an error without the place that a record names anyway."""
    return str(error).removeprefix(f"{place}: ")


def _place(key: str, values: Mapping[str, Any]) -> str:
    return f"'{key}' is {show(values[key])}" if key in values else f"there is no '{key}' among {show([*values])}"
