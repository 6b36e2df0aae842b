"""The formats of output files: each is written document by document, and keeps none of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from spacy.tokens import Doc, DocBin

from ..corpora.bracketed import BracketedText
from ..corpora.plain import to_dict
from ..rendering import Page
from .keys import only_prefixes
from .records import Record, plain
from .tables import FIELDS, make_row, table_schema, write_rows

TRANSFORMER_OUTPUT = ("._.", "trf_data", None, None)
"""Where spacy-transformers keeps all that an encoder computed: megabytes that nothing needs after annotation."""


class Settings(NamedTuple):
    """What writers must know.

    keys (dict[str, str]): The arguments of `to_dict` that say where the pipeline puts its annotation.
    tokens (bool): Whether plain data says where tokens are.
    columns (bytes | None): The columns that tables pass on to tables.
    """

    keys: dict[str, str]
    tokens: bool = False
    columns: bytes | None = None

    def to_dict(self, doc: Doc) -> dict[str, Any]:
        """A document as plain data."""
        keys: dict[str, Any] = self.keys
        return to_dict(doc, tokens=self.tokens, **keys)


class Writer(Protocol):
    """Makes the content of a file."""

    def add(self, record: Record, doc: Doc) -> None:
        """Add an annotated document, all of it or, with an error, nothing."""

    def finish(self) -> bytes:
        """The content of the file with all that was added."""


class JsonLines:
    """A line of plain data for each document, with the fields of its record."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lines: list[bytes] = []

    def add(self, record: Record, doc: Doc) -> None:
        data = {**self.settings.to_dict(doc), **plain(record.fields)}
        self.lines.append(json.dumps(data, ensure_ascii=False, allow_nan=False).encode() + b"\n")

    def finish(self) -> bytes:
        return b"".join(self.lines)


class Table:
    """A row of plain data for each document, with the fields of its record."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.schema = table_schema(settings.columns)
        self.rows: list[Any] = []

    def add(self, record: Record, doc: Doc) -> None:
        row = {**self.settings.to_dict(doc), FIELDS: record.fields}
        self.rows.append(make_row(row, self.settings.columns, self.schema))

    def finish(self) -> bytes:
        return write_rows(self.rows, self.schema)


class Docs:
    """Documents with all their annotation, and the fields of their record as `doc.user_data["fields"]`."""

    def __init__(self, settings: Settings) -> None:
        self.doc_bin = DocBin(store_user_data=True)

    def add(self, record: Record, doc: Doc) -> None:
        user_data: dict[Any, Any] = doc.user_data
        user_data.pop(TRANSFORMER_OUTPUT, None)
        if record.fields:
            doc.user_data[FIELDS] = plain(record.fields)
        single = DocBin(docs=[doc], store_user_data=True)  # user data that can't be written is found halfway
        self.doc_bin.merge(single)

    def finish(self) -> bytes:
        return self.doc_bin.to_bytes()


class Html:
    """A page of all documents."""

    def __init__(self, settings: Settings) -> None:
        self.page = Page(**only_prefixes(settings.keys))

    def add(self, record: Record, doc: Doc) -> None:
        self.page.add(doc)

    def finish(self) -> bytes:
        return self.page.finish().encode()


class Bracketed:
    """All documents in the bracketed format."""

    def __init__(self, settings: Settings) -> None:
        self.text = BracketedText()

    def add(self, record: Record, doc: Doc) -> None:
        self.text.add(doc)

    def finish(self) -> bytes:
        self.text.warn()
        return self.text.finish().encode()


class Format(NamedTuple):
    """A format.

    suffix (str): How the names of its files end.
    writer (Callable): Makes a writer of one file.
    part_words (int): About how many words a file has by default.
    """

    suffix: str
    writer: Callable[[Settings], Writer]
    part_words: int = 100_000


FORMATS = {
    "jsonl": Format("jsonl", JsonLines),
    "parquet": Format("parquet", Table),
    "spacy": Format("spacy", Docs),
    "html": Format("html", Html, 20_000),
    "bracketed": Format("txt", Bracketed),
}
"""The formats by name."""
