"""Flat tables of what is found in documents: events, entities, mentions and quotations, with a row for each.

The models declare their columns. Rows of all tables name their `document`, and `cluster` is the number of an entity in
it, so that tables can be joined.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

from pydantic import BaseModel
from spacy.tokens import Doc

from ...annotation import get_title
from ...extensions import Cluster, doc_clusters
from ...extensions.mention_types import mention_type
from ...people.characters import find_entities
from ...people.events import Event, find_events
from ...people.quotations import find_quotations
from ..formats.plain.schema import rounded
from ..formats.plain.writer import mention_rows
from .pipelines import TableKind
from .tables import record_schema, write_objects

AGENT, PATIENT = "ARG0", "ARG1"


class EventRow(BaseModel):
    """A participant of an event; an event without participants has a row, too."""

    document: str | None
    event: int
    predicate: str
    predicate_start: int
    roleset: str | None
    roleset_name: str | None
    negated: bool
    modal: str | None
    role: str | None
    description: str | None
    name: str | None
    cluster: int | None
    entity_label: str | None
    entity_id: str | None
    text: str | None
    start: int | None
    end: int | None


class Deed(BaseModel):
    """A predicate of which an entity is the agent or the patient."""

    predicate: str
    roleset: str | None
    start: int


class NameCount(BaseModel):
    """A proper name of an entity, and how many mentions have it."""

    name: str
    count: int


class EntityRow(BaseModel):
    """A cluster."""

    document: str | None
    cluster: int
    name: str
    person: bool
    gender: str | None
    count: int
    names: list[NameCount]
    entity_label: str | None
    entity_id: str | None
    agent: list[Deed]
    patient: list[Deed]


class MentionRow(BaseModel):
    """A mention of a cluster."""

    document: str | None
    mention: int
    cluster: int
    type: str
    text: str
    start: int
    end: int
    score: float | None
    link_score: float | None
    antecedent: int | None


class QuotationRow(BaseModel):
    """A quotation."""

    document: str | None
    text: str
    speaker: str | None
    speaker_cluster: int | None
    addressee: str | None
    addressee_cluster: int | None
    cue: str | None
    score: float | None
    level: int
    start: int
    end: int


TABLES: Mapping[str, type[BaseModel]] = {
    "events": EventRow,
    "entities": EntityRow,
    "mentions": MentionRow,
    "quotations": QuotationRow,
}
"""The tables by name, with what their rows have."""

Rows = dict[str, list[dict[str, Any]]]


def find_rows(doc: Doc, keys: Mapping[str, str]) -> Rows:
    """The rows of all tables that a document adds.

    doc (Doc): The document.
    keys (Mapping[str, str]): Where annotation is, as arguments of `to_dict`.
    """
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


class FlatTables:
    """Makes the files of all tables."""

    def __init__(self, kind: TableKind) -> None:
        """Begin the tables.

        kind (TableKind): The kind of files.
        """
        self.kind = kind
        self.rows: Rows = {name: [] for name in TABLES}

    def add(self, rows: Rows) -> None:
        """Add the rows of a document, as `find_rows` returns them."""
        for name, found in rows.items():
            self.rows[name] += found

    def finish(self) -> dict[str, bytes]:
        """The content of the file of each table.

        RAISES (Exception): If a value does not fit in its column, of many kinds.
        """
        write = _write_csv if self.kind == "csv" else _write_parquet
        return {name: write(self.rows[name], model) for name, model in TABLES.items()}


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
            "agent": deeds.get((AGENT, entity.number), []),
            "patient": deeds.get((PATIENT, entity.number), []),
        }


def _mention_rows(clusters: list[Cluster]) -> Iterator[dict[str, Any]]:
    mentions = (mention for cluster in clusters for mention in cluster)
    for number, (mention, row) in enumerate(zip(mentions, mention_rows(clusters), strict=True)):
        yield {"mention": number, **row, "text": mention.text, "type": mention_type(mention)}


def _write_parquet(rows: list[dict[str, Any]], model: type[BaseModel]) -> bytes:
    return write_objects(rows, record_schema(model))


def _write_csv(rows: list[dict[str, Any]], model: type[BaseModel]) -> bytes:
    """A table with a line of names. Lists are JSON, what is not known is empty."""
    stream = StringIO()
    writer = csv.writer(stream)  # lines end in CR LF: of other ends, Python does not quote both in a text
    writer.writerow(model.model_fields)
    writer.writerows([_cell(row.get(name)) for name in model.model_fields] for row in rows)
    return stream.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
