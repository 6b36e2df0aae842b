"""Records, the texts to annotate: how they are made of named values, and how they are cut into parts.

A part has the records that one output file is made of. Its end depends only on the records, so every run with the same
inputs makes the same parts, and any process can annotate any of them.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from ...annotation.checks import show
from ...people.transcripts import Turn
from ...pipeline.batches import batch_by_words
from ..formats.plain.schema import Document, check_text

CHARACTERS_PER_WORD = 5
"""For an estimate that needs no tokenizer, and that holds for scripts without spaces, too."""

MOST_LEVELS = 100
"""Deeper structures are refused: what writes, copies or prints one fails at some depth, each at another."""

RESERVED = frozenset(Document.model_fields)
"""Keys of the output, which no other field of a record may have."""


@dataclass(frozen=True, slots=True)
class Record:
    """A text to annotate, or what is in the place of one. Its length is about how many words it has, at least 1.

    id (str): What the output calls it.
    source (str): Where it is: "dump.jsonl:17".
    end (int): How many bytes of all inputs come before its end, for progress.
    content (str | bytes): The text; or a document, as `Doc.to_bytes` returns it.
    words (int): The number of words of a document; that of a text is estimated.
    fields (dict[str, Any]): What else the input says of it, for the output.
    speakers (tuple[Turn, ...]): The turns of a text, if the input says where they are.
    version (str): What tells a document from others that differ; a text tells that itself.
    problem (str): Why it can't be annotated; empty if it can.
    """

    id: str
    source: str
    end: int
    content: str | bytes = ""
    words: int = 0
    fields: dict[str, Any] = field(default_factory=dict)
    speakers: tuple[Turn, ...] = ()
    version: str = ""
    problem: str = ""

    def __len__(self) -> int:
        return 1 + (self.words or len(self.content) // CHARACTERS_PER_WORD)


class Part(NamedTuple):
    """Some records, one after the other.

    number (int): From 0.
    records (list[Record]): The records, one at least.
    """

    number: int
    records: list[Record]

    @property
    def end(self) -> int:
        """The number of bytes of all inputs before its end."""
        return self.records[-1].end

    @property
    def place(self) -> str:
        """The place of its records, for messages."""
        return f"from {self.records[0].source} to {self.records[-1].source}"

    def digest(self) -> str:
        """A fingerprint of its records."""
        return digest_records(self.records)


def cut_into_parts(records: Iterable[Record], words: int) -> Iterator[Part]:
    """Cut records into parts of so many words at most; a longer record is alone in its part."""
    for number, batch in enumerate(batch_by_words(records, words)):
        yield Part(number, batch)


def digest_records(records: Iterable[Record]) -> str:
    """A fingerprint of what is annotated: names, contents and fields."""
    digest = hashlib.blake2b(digest_size=16)
    for record in records:
        content = record.content if isinstance(record.content, str) else record.version
        parts = [
            record.id,
            content,
            json.dumps(record.fields, default=str),
            str(bool(record.problem)),
            json.dumps(record.speakers),
        ]
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@dataclass
class Reading:
    """The settings with which records are read.

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
    """The turns of a text as either version of plain data has them; none if the value is anything else."""
    keys = ("speaker", "start", "end")
    try:
        if isinstance(value, dict):
            found = [*zip(*(value[key] for key in keys), strict=True)]
        else:
            found = [tuple(turn[key] for key in keys) for turn in value]
        turns = [Turn(check_text(speaker), start, end) for speaker, start, end in found]
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


def plain(value: Any) -> Any:
    """A value of a table as JSON has it: NaN is null, and what has no counterpart, such as a date, is a string."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)


def describe(error: Exception) -> str:
    """The message of an error of any kind that costs a record, a document or a value.

    RAISES (MemoryError): If it is a lack of memory, for which no record is to blame.
    """
    if isinstance(error, MemoryError):
        raise error
    return str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
