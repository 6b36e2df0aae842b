"""Plain data of version 2, declared once: its JSON schema, the columns of tables and the keys that are reserved follow
from here.

A list of spans is written as columns, `{"start": [0, 10], "end": [3, 13], "score": [0.9, 1.0]}`: a third of the size
of an object for each, and a table as it is. What is said of a roleset is written once. `pack` makes columns of objects;
to be read, columns become the objects of `records` again, which are checked there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from .records import (
    FORMAT_1,
    Computed,
    Count,
    DocumentFacts,
    Label,
    Number,
    Record,
    Score,
    Text,
    Written,
    written_schema,
)
from .records import Document as Records

Format = Literal["spacy_span_selector.Doc.v2"]
FORMAT: Format = "spacy_span_selector.Doc.v2"
SCORE_DIGITS = 4
SPOTS = {"speaker_mention": "speaker", "addressee_mention": "addressee", "cue": "cue"}
"""What belongs to a quotation, and how the names of its columns begin."""

Scores = list[Score | None]
Numbers = list[Number | None]
Texts = list[Text]
Labels = list[Label | None]


class Columns(Record):
    """A list of things: under each key a value for each of them, in the same order."""

    @model_validator(mode="after")
    def check_lengths(self) -> Columns:
        """Check that all columns are of the same length."""
        lengths = {name: len(values) for name, values in self if isinstance(values, list)}
        if len({*lengths.values()}) > 1:
            found = ", ".join(f"{length} of '{name}'" for name, length in lengths.items())
            raise ValueError(f"expected as many values under each key; found {found}")
        return self

    def rows(self) -> list[dict[str, Any]]:
        """An object for each of them."""
        columns = {name: values for name, values in self if isinstance(values, list)}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


class Places(Columns):
    """Spans of the text."""

    start: list[Number]
    """The first character of each."""
    end: list[Annotated[int, Field(ge=0, json_schema_extra={"minimum": 1})]]
    """The character after the last one of each."""


class ScoredPlaces(Places):
    """Spans with probabilities."""

    score: Scores | None = None
    """The probability of each."""


class Spoken(Columns):
    """By whom things are said."""

    speaker: Texts
    """The speaker of each."""


class Turns(Places, Spoken):  # the keys of the last base come first, as they are written
    """The turns of speakers."""


class Clusters(Columns):
    """The entities of a document."""

    representative: Annotated[Computed[list[Number]], Written.ALWAYS] = None
    """The mention that stands for each cluster, such as a name: its number in `mentions`, from 0."""
    name: Labels | None = None
    """The name of each in the corpus, or null."""
    entity_label: Labels | None = None
    """The kind of entity, such as person, in the corpus or by named-entity recognition, or null."""
    entity_id: Computed[Labels] = None
    """The identifier of the entity in a knowledge base, or null."""


class InClusters(Columns):
    """The clusters of mentions."""

    cluster: list[Number]
    """The number of the cluster of each, from 0."""


class Mentions(ScoredPlaces, InClusters):
    """The mentions of all clusters. `score` is the selection probability: that the span is a mention."""

    link_score: Scores | None = None
    """The probability of the antecedent that each was linked to; for a mention that was linked to none, the probability
    of having none."""
    antecedent: Numbers | None = None
    """The earlier mention of its cluster that each was linked to: its number among these, from 0. A mention that was
    linked to none has its own number; null if unknown, as in annotation by hand."""
    reason: Labels | None = None
    """Why each was joined or kept apart against what the network alone would do, in words, or null."""


class Characters(Columns):
    """The people among the clusters."""

    name: Texts
    """The main name of each or, without one, the representative mention."""
    gender: Labels | None = None
    """The gender that pronouns, titles and nouns clearly tell, female or male, or null."""
    cluster: list[Number]
    """The number of the cluster of each in `clusters`, from 0."""
    count: list[Count]
    """The number of mentions."""
    names: list[Annotated[dict[Text, Count], BeforeValidator(lambda value: _to_dict(value))]]
    """The proper names that each has in the text, the most frequent first, with the number of mentions that have it."""


class Frames(ScoredPlaces):
    """Predicates. `score` is the probability that each is one: 1 if it was given."""

    roleset: Labels | None = None
    """The sense of each, such as give.01, or null."""
    roleset_name: Labels | None = None
    """The meaning of the roleset, or null, where `rolesets` does not say it."""


class WithRoles(Columns):
    """The roles of arguments."""

    frame: list[Number]
    """The number of the frame of each, from 0."""
    role: Texts
    """The role of each, such as ARG0, ARGM-TMP or C-ARG1."""


class Arguments(ScoredPlaces, WithRoles):
    """The arguments of all frames. `score` is the probability of the role."""

    cluster: Computed[Numbers] = None
    """The number of the cluster in `clusters`, from 0, of which each is a mention, or null."""
    description: Labels | None = None
    """The meaning of each role, or null, where `rolesets` does not say it."""


class Rolesets(Columns):
    """The rolesets of a document and what a lexicon says of them."""

    roleset: Texts
    """The roleset, such as give.01."""
    name: Labels
    """The meaning of each, such as transfer, or null."""
    roles: list[Annotated[dict[Text, Label | None], BeforeValidator(lambda value: _to_dict(value))]]
    """The meanings of the roles of each that occur, such as giver for ARG0. R-ARG0 and C-ARG0 are there only if they
    have another one than ARG0, or none."""

    @staticmethod
    def base(role: str) -> str:
        """The role that a reference or a continuation belongs to; another role itself."""
        return role.removeprefix("R-").removeprefix("C-")


class Quotations(ScoredPlaces):
    """The words that are quoted, with their marks. `score` is the probability of the speaker. What is not known of one
    is null."""

    speaker: Computed[Numbers] = None
    """The speaker of each: the number of a cluster in `clusters`, from 0."""
    speaker_start: Numbers | None = None
    """The first character of a mention of the speaker."""
    speaker_end: Numbers | None = None
    """The character after the last one of this mention."""
    addressee: Computed[Numbers] = None
    """The person spoken to: the number of a cluster in `clusters`, from 0."""
    addressee_start: Numbers | None = None
    """The first character of a mention of the person spoken to."""
    addressee_end: Numbers | None = None
    """The character after the last one of this mention."""
    cue_start: Numbers | None = None
    """The first character of the words that introduce the quotation, such as `said the elder`."""
    cue_end: Numbers | None = None
    """The character after the last one of these words."""


class WithLabels(Columns):
    """Labels of spans."""

    label: Texts
    """The label of each, such as person."""


class LabelledSpans(ScoredPlaces, WithLabels):
    """Spans with labels, such as nested entities. `score` is the probability of the label."""


class Document(DocumentFacts):
    """The data that spacy_span_selector.to_dict(doc) returns. All offsets count the characters (Unicode code points) of
    `text` from 0; `end` is exclusive. A list of spans has its keys, and under each a value for every span. What is not
    known is left out. New keys may be added to this version: ignore those that you don't know."""

    format: Format
    """Name and version of this schema."""
    id: Text | None = None
    """The title of the document."""
    text: Text
    """The whole text."""
    sentences: Places | None = None
    """The sentences, in order. Left out if nobody knows where they start."""
    tokens: Places | None = None
    """The tokens, in order; only if asked for. Between them is only white space."""
    speakers: Turns | None = None
    """The turns of a dialogue."""
    speaker_markers: Places | None = None
    """Words of the text that nobody said: they tell who speaks."""
    clusters: Clusters | None = None
    """The clusters, in the order of their first mentions. Left out if the document is not annotated for coreference."""
    mentions: Mentions | None = None
    """The mentions of all clusters, those of a cluster in the order of the text. Left out as `clusters`."""
    characters: Computed[Characters] = None
    """The people among the clusters, those with most mentions first. Left out if there are none."""
    unlinked_mentions: ScoredPlaces | None = None
    """The spans that were selected as mentions, but are in no cluster. `score` is the selection probability."""
    frames: Frames | None = None
    """The predicates, in the order of the text. Left out if the document is not annotated for semantic roles."""
    arguments: Arguments | None = None
    """The arguments of all frames, those of a frame in the order of the text. Left out as `frames`."""
    rolesets: Rolesets | None = None
    """The meanings of rolesets and roles. Left out if none is known."""
    quotations: Quotations | None = None
    """The quotations, in the order of the text, outer ones before those within them. Left out if the document is not
    annotated for quotations."""
    labelled_spans: LabelledSpans | None = None
    """The labelled spans, in the order of the text; a span with several labels is there once for each. Left out if the
    document is not annotated with labelled spans."""

    def to_records(self) -> Records:
        """Turn columns into objects, as version 1 has them.

        RETURNS (Records): The same document.
        RAISES (ValueError): If an argument belongs to no frame, a mention or an antecedent to no cluster or another
            one, or only one end of a mention of a speaker or of a cue is known.
        """
        places = ("sentences", "tokens", "speakers", "speaker_markers", "unlinked_mentions", "labelled_spans")
        data: dict[str, Any] = {"format": FORMAT_1, "id": self.id, "text": self.text}
        for key in places:
            columns = getattr(self, key)
            data[key] = None if columns is None else columns.rows()
        data["clusters"] = self._clusters()
        data["frames"] = self._frames()
        if self.quotations is not None:
            data["quotations"] = [self._quotation(i, row) for i, row in enumerate(self.quotations.rows())]
        return Records.model_validate(data)

    def _clusters(self) -> list[dict[str, Any]] | None:
        if self.mentions is None:
            return None
        rows = self.mentions.rows()
        count = max((row["cluster"] + 1 for row in rows), default=0)
        known = self.clusters.rows() if self.clusters else []
        if count > len(rows) or (known and count != len(known)):
            expected = f"those of {len(known)} clusters, from 0, each with a mention" if known else "as many mentions"
            self.fail("the highest number of mentions.cluster", count - 1, expected)
        clusters = [{**(known[i] if known else {}), "mentions": list[dict[str, Any]]()} for i in range(count)]
        places: list[tuple[int, int]] = []  # of each mention, its cluster and its number there
        for row in rows:
            mentions = clusters[row["cluster"]]["mentions"]
            places.append((row["cluster"], len(mentions)))
            mentions.append(row)
        for i, row in enumerate(rows):
            antecedent = row.pop("antecedent", None)
            if antecedent is not None:
                cluster, number = places[antecedent] if antecedent < len(rows) else (None, 0)
                if cluster != row["cluster"]:
                    self.fail(f"mentions.antecedent[{i}]", antecedent, "the number of a mention of the same cluster")
                row["antecedent"] = None if antecedent == i else number
        return clusters

    def _frames(self) -> list[dict[str, Any]] | None:
        if self.frames is None:
            return None
        known = {row["roleset"]: row for row in (self.rolesets.rows() if self.rolesets else ())}
        frames = []
        for row in self.frames.rows():
            said = known.get(row.get("roleset"), {})
            names = {"roleset": row.get("roleset"), "roleset_name": row.get("roleset_name") or said.get("name")}
            frames.append({"predicate": row, **names, "arguments": list[dict[str, Any]]()})
        for i, row in enumerate(self.arguments.rows() if self.arguments else ()):
            number = row["frame"]
            if number >= len(frames):
                self.fail(
                    f"arguments.frame[{i}]", number, f"the number of a frame, from 0, of which there are {len(frames)}"
                )
            roles = known.get(frames[number]["roleset"], {}).get("roles", {})
            role = row["role"]
            row["description"] = row.get("description") or roles.get(role, roles.get(Rolesets.base(role)))
            frames[number]["arguments"].append(row)
        return frames

    def _quotation(self, number: int, row: dict[str, Any]) -> dict[str, Any]:
        for key, spot in SPOTS.items():
            place = {edge: row.pop(f"{spot}_{edge}", None) for edge in ("start", "end")}
            if (place["start"] is None) != (place["end"] is None):
                found = place["start"], place["end"]
                self.fail(f"({spot}_start, {spot}_end) of quotations, number {number}", found, "both or none")
            row[key] = None if place["start"] is None else place
        return row


def pack(rows: Sequence[Mapping[str, Any]], model: type[Columns]) -> dict[str, list[Any]]:
    """Write objects as columns. Probabilities are rounded.

    rows (Sequence[Mapping[str, Any]]): The objects; keys that the model does not have are left out.
    model (type[Columns]): The columns. Those that need not be there are left out if no object has them.
    RETURNS (dict[str, list[Any]]): The columns.
    """
    fields = model.model_fields.items()
    names = [
        name
        for name, field in fields
        if field.is_required() or Written.ALWAYS in field.metadata or any(name in row for row in rows)
    ]
    return {name: [rounded(row.get(name)) for row in rows] for name in names}


def json_schema(version: Literal[1, 2] = 2) -> dict[str, Any]:
    """The JSON schema of a document as `to_dict` writes it, in the 2020-12 draft.

    version (Literal[1, 2]): That of the format. The `$defs` of the first have `Cluster`, `Character`, `Frame` and
        `Quotation`, which `to_dict()` of each writes.
    RETURNS (dict[str, Any]): The schema.
    """
    return deepcopy(_schema(version))  # whoever gets it may change it


@cache
def _schema(version: int) -> dict[str, Any]:
    return written_schema(Records if version == 1 else Document)


def rounded(value: Any) -> Any:
    """A value of a column: a probability is rounded."""
    return round(value, SCORE_DIGITS) if isinstance(value, float) else value


def _to_dict(value: Any) -> Any:
    """An object; tables have pairs of keys and values for one."""
    return dict(value) if isinstance(value, list) else value
