"""Records, the texts to annotate: how they are made of named values, and how they are cut into parts.

The end of a part depends only on the records, so every run with the same inputs makes the same parts.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from ...annotation import ANNOTATES_KEY, TITLE_KEY
from ...annotation.checks import show
from ...people.transcripts import Turn
from ...pipeline.batches import batch_by_words
from ..formats.plain.schema import Document, check_text

CHARACTERS_PER_WORD = 5  # for an estimate that needs no tokenizer, and that holds for scripts without spaces, too
MOST_LEVELS = 100  # what writes, copies or prints a deeper structure fails at some depth, each at another
RESERVED = frozenset(Document.model_fields)  # keys of the output, which no other field of a record may have
FIELDS = "fields"  # the key or column with all fields, where they can't have keys or columns of their own


@dataclass(frozen=True, slots=True)
class Record:
    """A text to annotate, or what is in the place of one. Its length is about how many words it has, at least 1."""

    id: str  # what the output calls it
    source: str  # where it is: "dump.jsonl:17"
    end: int  # how many bytes of all inputs come before its end, for progress
    content: str | bytes = ""  # the text; or a document, as `Doc.to_bytes` returns it
    words: int = 0  # those of a document; that of a text is estimated
    fields: dict[str, Any] = field(default_factory=dict)  # what else the input says of it, for the output
    speakers: tuple[Turn, ...] = ()  # the turns of a text, if the input says where they are
    version: str = ""  # what differs between documents that differ; a text does so itself
    problem: str = ""  # why it can't be annotated; empty if it can

    def __len__(self) -> int:
        return 1 + (self.words or len(self.content) // CHARACTERS_PER_WORD)


class Part(NamedTuple):
    number: int
    records: list[Record]

    @property
    def end(self) -> int:
        return self.records[-1].end

    @property
    def place(self) -> str:
        return f"from {self.records[0].source} to {self.records[-1].source}"

    def digest(self) -> str:
        """A fingerprint of what is annotated: names, contents and fields."""
        digest = hashlib.blake2b(digest_size=16)
        for record in self.records:
            content = record.content if isinstance(record.content, str) else record.version
            fields, speakers = json.dumps(record.fields, default=str), json.dumps(record.speakers)
            for part in (record.id, content, fields, str(bool(record.problem)), speakers):
                data = part.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()


def cut_into_parts(records: Iterable[Record], words: int) -> Iterator[Part]:
    """Cut records into parts of so many words at most; a longer record is alone in its part."""
    return itertools.starmap(Part, enumerate(batch_by_words(records, words)))


@dataclass
class Reading:
    """The settings with which records are read, and what the output can't have, as it has fields of these names."""

    text_field: str = "text"
    id_field: str | None = None  # each record must have it; without one, it is `id`, or else file and line
    not_passed: dict[str, str] = field(default_factory=dict)  # with the first record that has each, found while reading
    repeated: list[str] = field(default_factory=list)  # the places of records that had the id of an earlier one

    def make_record(self, source: str, end: int, values: Mapping[str, Any]) -> Record:
        """Make a record of named values, of which `end` is the place in bytes; it says so if it has no text."""
        name = source
        try:
            if deep := [key for key, value in values.items() if _is_deeper(value, MOST_LEVELS)]:
                raise ValueError(f"'{deep[0]}' has more than {MOST_LEVELS} levels. Leave it out, or flatten it.")
            name = self._name(source, values)
            text = values.get(self.text_field)
            if not isinstance(text, str):
                raise ValueError(f"{_place(self.text_field, values)}; expected a string. Is --text-field right?")
            check_text(text)
        except ValueError as error:
            return Record(name, source, end, problem=str(error))
        taken = (self.text_field, self.id_field or "id")
        fields = {key: value for key, value in values.items() if key not in taken}
        if speakers := _read_speakers(fields.get("speakers"), text):
            del fields["speakers"]
        return Record(name, source, end, text, fields=self._pass(source, fields), speakers=speakers)

    def read_user_data(self, source: str, user_data: Mapping[Any, Any]) -> dict[str, Any]:
        """What `doc.user_data` says under names of its own, as fields, and the fields that an earlier run put there."""
        own = (TITLE_KEY, ANNOTATES_KEY)
        fields = plain({key: value for key, value in user_data.items() if isinstance(key, str) and key not in own})
        if isinstance(fields.get(FIELDS), dict):
            fields |= fields.pop(FIELDS)
        return self._pass(source, fields)

    def _pass(self, source: str, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields without those that the output can't have, which are noted."""
        for key in RESERVED & fields.keys():
            self.not_passed.setdefault(key, source)
            del fields[key]
        return fields

    def _name(self, source: str, values: Mapping[str, Any]) -> str:
        value = values.get(self.id_field or "id")
        if isinstance(value, float):  # what tables make of whole numbers if some are missing
            value = int(value) if value.is_integer() else None if math.isnan(value) else value
        if value is None and self.id_field is None:
            return source
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            raise ValueError(f"{_place(self.id_field or 'id', values)}; expected a string or a whole number.")
        return check_text(str(value))


def _is_deeper(value: Any, levels: int) -> bool:
    """Check if a value is nested more than so many levels deep."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return levels < 0 or any(_is_deeper(part, levels - 1) for part in parts)


def _read_speakers(value: Any, text: str) -> tuple[Turn, ...]:
    """The turns of a text as plain data has them; none if the value is anything else."""
    try:
        columns = zip(value["speaker"], value["start"], value["end"], strict=True)
        turns = [Turn(check_text(speaker), start, end) for speaker, start, end in columns]
        fit = all(0 <= turn.start < turn.end <= len(text) for turn in turns)
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()
    return tuple(sorted(turns, key=attrgetter("start"))) if fit else ()


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
    """The message of an error of any kind that costs a record, a document or a value."""
    if isinstance(error, MemoryError):  # for which none of them is to blame
        raise error
    return str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"


def require_pyarrow() -> Any:
    """Import pyarrow with what reads and writes Parquet."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        message = "Parquet needs pyarrow. Install it with: python -m pip install 'spacy-span-selector[parquet]'"
        raise ImportError(message) from error
    return pyarrow
