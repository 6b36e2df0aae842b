"""Records: the texts to annotate, one by one, wherever they come from."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..documents.transcripts import Turn

CHARACTERS_PER_WORD = 5
"""For an estimate that needs no tokenizer, and that holds for scripts without spaces, too."""


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


def digest_records(records: Iterable[Record]) -> str:
    """A fingerprint of what is annotated: names, contents and fields."""
    digest = hashlib.blake2b(digest_size=16)
    for record in records:
        content = record.content if isinstance(record.content, str) else record.version
        parts = [record.id, content, json.dumps(record.fields, default=str), str(bool(record.problem))]
        parts += [json.dumps(record.speakers)] if record.speakers else []
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


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
