"""The formats of output files, and flat tables of what is found in documents. No document is kept as it is.

Rows of all flat tables name their `document`, and `cluster` is the number of an entity in it: they can be joined.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ...annotation import anchor_spans, get_title, set_title
from ...extensions import Cluster, doc_clusters
from ...extensions.mention_types import mention_type
from ...people.characters import find_entities
from ...people.events import Event, find_events
from ...people.quotations import find_quotations
from ..formats.commands import read_spacy_file
from ..formats.plain import to_dict
from ..formats.plain.schema import Document, rounded
from ..formats.plain.writer import mention_rows
from ..formats.registry import Format, Write, all_formats
from ..rendering import Page
from .records import FIELDS, RESERVED, Reading, Record, plain, require_pyarrow

if TYPE_CHECKING:
    import pyarrow

    from .inputs import InputFile

PRIMITIVE = {str: "string", int: "int64", float: "float64", bool: "bool"}
TRANSFORMER_OUTPUT: Any = ("._.", "trf_data", None, None)  # megabytes, which nothing needs after annotation

FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""What a spreadsheet would compute, or may have been made from that: it gets a ' before it. page.js has the same."""

TableKind = Literal["parquet", "csv"]


class Settings(NamedTuple):
    keys: dict[str, Any]  # where the pipeline puts its annotation, as arguments of `to_dict`
    tokens: bool = False
    columns: bytes | None = None

    def to_dict(self, doc: Doc) -> dict[str, Any]:
        return to_dict(doc, tokens=self.tokens, **self.keys)


class Writer:
    """Makes the content of a file."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.added: list[Any] = []

    def add(self, record: Record, doc: Doc) -> None:
        """Add an annotated document, all of it or, with an error, nothing."""
        raise NotImplementedError

    def finish(self) -> bytes:
        """The content of the file with all that was added."""
        return b"".join(self.added)


class JsonLines(Writer):
    """A line of plain data for each document, with the fields of its record."""

    def add(self, record: Record, doc: Doc) -> None:
        data = {**self.settings.to_dict(doc), **plain(record.fields)}
        line = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self.added.append(line.encode() + b"\n")


class Table(Writer):
    """A row of plain data for each document, with the fields of its record."""

    def add(self, record: Record, doc: Doc) -> None:
        fields = record.fields
        if self.settings.columns is None:
            fields = {FIELDS: json.dumps(plain(fields), ensure_ascii=False) if fields else None}
        self.added.append({**fields, **self.settings.to_dict(doc)})

    def finish(self) -> bytes:
        return write_table(self.added, table_schema(self.settings.columns))


class Docs(Writer):
    """Documents with all their annotation, and the fields of their record as `doc.user_data["fields"]`."""

    def add(self, record: Record, doc: Doc) -> None:
        doc.user_data.pop(TRANSFORMER_OUTPUT, None)
        if fields := {name: value for name, value in record.fields.items() if name not in doc.user_data}:
            doc.user_data[FIELDS] = plain(fields)
        self.added.append(DocBin(docs=[anchor_spans(doc)], store_user_data=True))

    def finish(self) -> bytes:
        joined = DocBin(store_user_data=True)
        for single in self.added:
            joined.merge(single)
        return joined.to_bytes()


class Written(Docs):
    """All documents in a format that `export` has, written at the end of the file."""

    def __init__(self, settings: Settings, write: Write) -> None:
        super().__init__(settings)
        self.write = write

    def add(self, record: Record, doc: Doc) -> None:
        title = get_title(doc)
        doc.user_data = {}  # components may leave there what can't be saved, and no format has it
        set_title(doc, title)
        super().add(record, doc)

    def finish(self) -> bytes:
        vocab = Vocab()
        return self.write([doc for single in self.added for doc in single.get_docs(vocab)]).encode()


class Html(Writer):
    def __init__(self, settings: Settings) -> None:
        keys = settings.keys
        self.page = Page(cluster_prefix=keys.get("cluster_prefix"), frame_prefix=keys.get("frame_prefix"))

    def add(self, record: Record, doc: Doc) -> None:
        self.page.add(doc)

    def finish(self) -> bytes:
        return self.page.finish().encode()


JSONL = Format(name="jsonl", title="plain data, a line for each document", suffixes=(".jsonl",), writer=JsonLines)
packed = partial(Format, is_compressed=True)
PARQUET = packed(name="parquet", title="plain data, a row for each document", suffixes=(".parquet",), writer=Table)
SPACY = packed(name="spacy", title="spaCy's binary format", suffixes=(".spacy",), read=read_spacy_file, writer=Docs)
HTML = Format(name="html", title="an HTML page", suffixes=(".html",), writer=Html, part_words=20_000)


def output_formats() -> dict[str, Format]:
    return {format_.name: format_ for format_ in all_formats() if format_.writer or format_.write}


def output_format(name: str) -> Format:
    """Return the format of output files with this name; a ValueError says which there are."""
    known = output_formats()
    if name not in known:
        raise ValueError(f"The format {name!r} can't be written. Take one of {', '.join(known)}.")
    return known[name]


def make_writer(format_: Format, settings: Settings) -> Writer:
    if format_.writer is not None:
        return format_.writer(settings)
    if format_.write is not None:
        return Written(settings, format_.write)
    raise ValueError(f"{format_.title} can't be written.")


def passed_columns(files: Iterable[InputFile], reading: Reading) -> bytes:
    """The columns of tables that are passed on to tables: an Arrow schema, which can be pickled."""
    arrow = require_pyarrow()
    taken = {reading.text_field, reading.id_field or "id", *RESERVED}
    schemas = [arrow.schema([])]
    for file in files:
        with suppress(OSError, arrow.ArrowException):  # reading reports it, and names that are repeated
            schema = arrow.unify_schemas([arrow.parquet.read_schema(file.path).remove_metadata()])
            schemas.append(arrow.schema([column for column in schema if column.name not in taken]))
    try:
        kept = arrow.unify_schemas(schemas, promote_options="permissive")
    except arrow.ArrowException as error:
        found = f"The tables have different types in columns of the same name ({error})"
        cure = "Annotate them in separate runs, or take another --format."
        raise ValueError(f"{found}, so there is none for the output. {cure}") from error
    return bytes(kept.serialize().to_pybytes())


def write_table(rows: list[dict[str, Any]], schema: pyarrow.Schema) -> bytes:
    """The content of a Parquet file; keys that are no columns are left out. A value may not fit, with any error."""
    arrow = require_pyarrow()
    stream = BytesIO()
    arrow.parquet.write_table(arrow.Table.from_pylist(rows, schema), stream)
    return stream.getvalue()


def table_schema(columns: bytes | None) -> pyarrow.Schema:
    arrow = require_pyarrow()
    if columns is None:
        return plain_schema().append(arrow.field(FIELDS, arrow.string()))
    return arrow.schema([*plain_schema(), *arrow.ipc.read_schema(arrow.py_buffer(columns))])


@cache
def plain_schema() -> pyarrow.Schema:
    return require_pyarrow().schema(list(_arrow_type(Document)))


def make_schema(types: Mapping[str, Any]) -> pyarrow.Schema:
    return require_pyarrow().schema([(name, _arrow_type(kind)) for name, kind in types.items()])


def _arrow_type(kind: Any) -> pyarrow.DataType:
    """The type of a column for the type of a field."""
    arrow = require_pyarrow()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return arrow.struct(list(make_schema({name: field.annotation for name, field in kind.model_fields.items()})))
    if kind in PRIMITIVE:
        return arrow.type_for_alias(PRIMITIVE[kind])
    if get_origin(kind) is Literal:
        return arrow.string()
    if get_origin(kind) is list:
        return arrow.list_(_arrow_type(get_args(kind)[0]))
    if get_origin(kind) is dict:
        return arrow.map_(*map(_arrow_type, get_args(kind)))
    return _arrow_type(get_args(kind)[0])  # what is annotated, or may be missing


class NameCount(BaseModel):  # a proper name of an entity, and how many mentions have it
    name: str
    count: int


class Deed(BaseModel):  # a predicate of which an entity is the agent or the patient
    predicate: str
    roleset: str | None
    start: int


COLUMNS = {
    "events": "document event predicate predicate_start roleset roleset_name negated modal role description name "
    "cluster entity_label entity_id text start end",
    "entities": "document cluster name person gender count names entity_label entity_id agent patient",
    "mentions": "document mention cluster type text start end score link_score antecedent",
    "quotations": "document text speaker speaker_cluster addressee addressee_cluster cue score level start end",
}
INTEGERS = "antecedent addressee_cluster cluster count end event level mention predicate_start speaker_cluster start"
TYPES: dict[str, Any] = {
    **dict.fromkeys(INTEGERS.split(), int),
    **{"link_score": float, "score": float, "negated": bool, "person": bool},
    **{"names": list[NameCount], "agent": list[Deed], "patient": list[Deed]},
}
"""The types of columns, which are the same in all tables; all others are strings."""

TABLES = {table: {name: TYPES.get(name, str) for name in names.split()} for table, names in COLUMNS.items()}
Rows = dict[str, list[dict[str, Any]]]


def find_rows(doc: Doc, keys: Mapping[str, str]) -> Rows:
    """The rows of all tables that a document adds; `keys` say where its annotation is, as arguments of `to_dict`."""
    clusters = doc_clusters(doc, keys.get("cluster_prefix"), keys.get("labelled_key"))
    events = find_events(doc, clusters, keys.get("frame_prefix"))
    found = {
        "events": list(_event_rows(events)),
        "entities": list(_entity_rows(clusters, events)),
        "mentions": list(_mention_rows(clusters)),
        "quotations": [quotation.row() for quotation in find_quotations(doc, clusters)],
    }
    name = get_title(doc) or None
    return {
        table: [{"document": name, **{key: rounded(value) for key, value in row.items()}} for row in rows]
        for table, rows in found.items()
    }


def write_tables(rows: Rows, kind: TableKind) -> dict[str, bytes]:
    if kind == "csv":
        return {name: _write_csv(rows[name], list(columns)) for name, columns in TABLES.items()}
    return {name: write_table(rows[name], make_schema(columns)) for name, columns in TABLES.items()}


def _event_rows(events: list[Event]) -> Iterator[dict[str, Any]]:
    for number, event in enumerate(events):
        for row in event.rows() or [event.row()]:
            yield {"event": number, **row}


def _entity_rows(clusters: list[Cluster], events: list[Event]) -> Iterator[dict[str, Any]]:
    deeds: dict[tuple[str, int | None], list[dict[str, Any]]] = {}
    for event in events:
        deed = {"predicate": event.predicate.text, "roleset": event.roleset, "start": event.predicate.start_char}
        for participant in event.participants:
            deeds.setdefault((participant.role, participant.number), []).append(deed)
    for entity, is_person in find_entities(clusters):
        yield {
            "cluster": entity.number,
            "name": entity.name,
            "person": is_person,
            "gender": entity.gender if is_person else None,
            "count": entity.count,
            "names": [{"name": name, "count": count} for name, count in entity.names.items()],
            "entity_label": entity.cluster.entity_label or None,
            "entity_id": entity.cluster.entity_id or None,
            "agent": deeds.get(("ARG0", entity.number), []),
            "patient": deeds.get(("ARG1", entity.number), []),
        }


def _mention_rows(clusters: list[Cluster]) -> Iterator[dict[str, Any]]:
    mentions = (mention for cluster in clusters for mention in cluster)
    for number, (mention, row) in enumerate(zip(mentions, mention_rows(clusters), strict=True)):
        yield {"mention": number, **row, "text": mention.text, "type": mention_type(mention)}


def _write_csv(rows: list[dict[str, Any]], columns: list[str]) -> bytes:
    """A table with a line of names. Lists are JSON, what is not known is empty."""
    stream = StringIO()
    writer = csv.writer(stream)  # lines end in CR LF: of other ends, Python does not quote both in a text
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return stream.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if FORMULA.match(value) else value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
