"""The formats of output files. Documents are added one by one, and none is kept as it is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ...annotation import get_title, set_title
from ..formats.commands import read_spacy_file
from ..formats.plain import to_dict
from ..formats.registry import Format, all_formats, formats
from ..rendering import Page
from .flat_tables import TABLES, FlatTables, find_rows
from .pipelines import Job, only_prefixes
from .records import Record, plain
from .tables import FIELDS, make_row, table_schema, write_rows

TRANSFORMER_OUTPUT = ("._.", "trf_data", None, None)
"""Where spacy-transformers keeps all that an encoder computed: megabytes that nothing needs after annotation."""


class Settings(NamedTuple):
    """The settings of writers.

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
        self.lines.append(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n")

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


class Written(Docs):
    """All documents in a format that `export` has, written at the end of the file."""

    def __init__(self, settings: Settings, write: Callable[[Sequence[Doc]], str]) -> None:
        super().__init__(settings)
        self.write = write

    def add(self, record: Record, doc: Doc) -> None:
        title = get_title(doc)
        doc.user_data = {}  # components may leave there what can't be saved, and no format has it
        set_title(doc, title)
        super().add(record, doc)

    def finish(self) -> bytes:
        return self.write(list(self.doc_bin.get_docs(Vocab()))).encode()


JSONL = Format(name="jsonl", title="plain data, a line for each document", suffixes=(".jsonl",), writer=JsonLines)
PARQUET = Format(
    name="parquet",
    title="plain data, a row for each document",
    suffixes=(".parquet",),
    writer=Table,
    is_compressed=True,
)
SPACY = Format(
    name="spacy",
    title="spaCy's binary format",
    suffixes=(".spacy",),
    read=read_spacy_file,
    writer=Docs,
    is_compressed=True,
)
HTML = Format(name="html", title="an HTML page", suffixes=(".html",), writer=Html, part_words=20_000)


def output_formats() -> dict[str, Format]:
    """Return the formats of output files by name."""
    return {format_.name: format_ for format_ in all_formats() if format_.is_output}


class WithTables:
    """A writer that adds documents to flat tables, too."""

    def __init__(self, writer: Writer, tables: FlatTables, keys: dict[str, str]) -> None:
        self.writer = writer
        self.tables = tables
        self.keys = keys

    def add(self, record: Record, doc: Doc) -> None:
        rows = find_rows(doc, self.keys)
        self.writer.add(record, doc)
        self.tables.add(rows)

    def finish(self) -> bytes:
        """The content of the file of documents."""
        return self.writer.finish()


def make_writer(format_: Format, settings: Settings) -> Writer:
    """Return a writer of one file in a format."""
    if format_.writer is not None:
        writer: Writer = format_.writer(settings)
        return writer
    if format_.write is None:
        raise ValueError(f"The format {format_.name!r} can't be written. Take one of {', '.join(output_formats())}.")
    return Written(settings, format_.write)


def output_suffixes(job: Job) -> dict[str, str]:
    """How the names of the files of a part end: of that of its documents, named "", and of each flat table."""
    format_: Format = formats.get(job.format)
    gz = ".gz" if job.gzip else ""
    suffixes = {"": format_.suffix + ("" if format_.is_compressed else gz)}
    if job.tables:
        suffixes |= dict.fromkeys(TABLES, job.tables + ("" if job.tables == "parquet" else gz))
    return suffixes


def compress(content: bytes, suffix: str) -> bytes:
    """Compress the content of a file if its name ends in `.gz`; equal contents become equal files."""
    return gzip.compress(content, compresslevel=6, mtime=0) if suffix.endswith(".gz") else content
