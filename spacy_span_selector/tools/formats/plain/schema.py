"""Plain data, declared once: its JSON schema, the columns of tables and the keys that are reserved follow from here.

A list of spans is written as columns, `{"start": [0, 10], "end": [3, 13], "score": [0.9, 1.0]}`: a third of the size
of an object for each, and a table as it is. When read, `null` counts as missing, because tables have nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WrapValidator, model_validator

from ....annotation.checks import show

Format = Literal["spacy_span_selector.Doc.v2"]
FORMAT: Format = "spacy_span_selector.Doc.v2"
SCORE_DIGITS = 4
QUOTATION_PLACES = ("speaker", "addressee", "cue")  # each has two columns, such as `cue_start` and `cue_end`
ALWAYS = "always written"  # marks an optional column that is written even if there is nothing in it


def check_text(text: str) -> str:
    """Check that a string can be saved: `json.loads` may return half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("expected a string without surrogates, which can't be saved") from None
    return text


def check_score(score: float) -> float:
    """Check that a number, which may be NaN, is a probability."""
    if not 0 <= score <= 1:
        raise ValueError("expected a probability from 0 to 1; write null if it is not known")
    return score


def _are_pairs(value: Any) -> bool:
    return isinstance(value, list) and all(type(pair) is tuple and isinstance(pair[0], str) for pair in value)


def _describe_written(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Turn the JSON schema of what is read into that of what is written."""
    for value in schema["properties"].values():
        value.pop("title", None)
        value.pop("default", None)
        if "anyOf" in value:
            value.update(*(kind for kind in value.pop("anyOf") if kind != {"type": "null"}))
    schema["required"] = [name for name, field in model.model_fields.items() if _is_always_written(field)]


def _is_always_written(field: Any) -> bool:
    return field.is_required() or ALWAYS in field.metadata


Thing = dict[str, Any]
Place = tuple[int, int]
Value = TypeVar("Value")
Computed = Annotated[Value | None, WrapValidator(lambda value, check: value)]
"""Written for other readers. `from_dict` computes it again, so there it may be anything."""
Mapped = Annotated[Value, BeforeValidator(lambda value: dict(value) if _are_pairs(value) else value)]
"""An object, for which tables have pairs of keys and values."""

Text = Annotated[str, AfterValidator(check_text)]
Label = Annotated[Text, Field(json_schema_extra={"minLength": 1})]
Number = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Score = Annotated[float, AfterValidator(check_score), Field(json_schema_extra={"minimum": 0, "maximum": 1})]
Scores = list[Score | None]
Numbers = list[Number | None]
Texts = list[Text]
Labels = list[Label | None]


class Record(BaseModel):
    """A JSON object. Nothing in it is converted: `"1"` is not a number."""

    model_config = ConfigDict(strict=True, use_attribute_docstrings=True, json_schema_extra=_describe_written)


class Columns(Record):
    """A list of things: under each key a value for each of them, in the same order."""

    @model_validator(mode="after")
    def check_lengths(self) -> Columns:
        lengths = {name: len(values) for name, values in self if isinstance(values, list)}
        if len({*lengths.values()}) > 1:
            found = ", ".join(f"{length} of '{name}'" for name, length in lengths.items())
            raise ValueError(f"expected as many values under each key; found {found}")
        return self

    def rows(self) -> list[Thing]:
        """An object for each of them; what is not known is None."""
        columns = {name: values if isinstance(values, list) else [] for name, values in self}
        return [dict(zip(columns, row, strict=True)) for row in zip_longest(*columns.values())]


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


class Turns(Places):
    """The turns of speakers."""

    speaker: Texts
    """The speaker of each."""


class Clusters(Columns):
    """The entities of a document."""

    representative: Annotated[Computed[list[Number]], ALWAYS] = None
    """The mention that stands for each cluster, such as a name: its number in `mentions`, from 0."""
    name: Labels | None = None
    """The name of each in the corpus, or null."""
    entity_label: Labels | None = None
    """The kind of entity, such as person, in the corpus, as predicted, or by named-entity recognition, or null."""
    entity_id: Computed[Labels] = None
    """The identifier of the entity in a knowledge base, or null."""


class Mentions(ScoredPlaces):
    """The mentions of all clusters. `score` is the selection probability: that the span is a mention."""

    cluster: list[Number]
    """The number of the cluster of each, from 0."""
    link_score: Scores | None = None
    """The probability of the antecedent that each was linked to, or of having none."""
    antecedent: Numbers | None = None
    """The number, from 0, of the earlier mention that each was linked to, its own for none; null if that is unknown."""
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
    names: list[Mapped[dict[Text, Count]]]
    """The proper names that each has in the text, the most frequent first, with the number of mentions that have it."""


class Frames(ScoredPlaces):
    """Predicates. `score` is the probability that each is one: 1 if it was given."""

    roleset: Labels | None = None
    """The sense of each, such as give.01, or null."""
    roleset_name: Labels | None = None
    """The meaning of the roleset, or null, where `rolesets` does not say it."""


class Arguments(ScoredPlaces):
    """The arguments of all frames. `score` is the probability of the role."""

    frame: list[Number]
    """The number of the frame of each, from 0."""
    role: Texts
    """The role of each, such as ARG0, ARGM-TMP or C-ARG1."""
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
    roles: list[Mapped[dict[Text, Label | None]]]
    """The meanings of the roles of each that occur, such as giver for ARG0. R-ARG0 and C-ARG0 are there only if they
    have another one than ARG0, or none."""

    @staticmethod
    def base(role: str) -> str:
        """The role that a reference or a continuation belongs to; another role itself."""
        return role.removeprefix("R-").removeprefix("C-")


class Quotations(ScoredPlaces):
    """The words that are quoted, with their marks. `score` is the probability of the speaker."""

    speaker: Computed[Numbers] = None
    """The speaker of each: the number of a cluster in `clusters`, from 0."""
    speaker_start: Numbers | None = None
    """The first character of a mention of the speaker; `speaker_end` is the one after its last."""
    speaker_end: Numbers | None = None
    addressee: Computed[Numbers] = None
    """The person spoken to: the number of a cluster in `clusters`, from 0."""
    addressee_start: Numbers | None = None
    """The first character of a mention of the person spoken to; `addressee_end` is the one after its last."""
    addressee_end: Numbers | None = None
    cue_start: Numbers | None = None
    """The first character of the words that introduce the quotation, such as `said the elder`; `cue_end` as above."""
    cue_end: Numbers | None = None


class LabelledSpans(ScoredPlaces):
    """Spans with labels, such as nested entities. `score` is the probability of the label."""

    label: Texts
    """The label of each, such as person."""


class Document(Record):
    """The data that spacy_span_selector.to_dict(doc) returns. Offsets count the characters (Unicode code points) of
    `text` from 0. What is not known is left out. New keys may be added: ignore those that you don't know."""

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
    """The quotations, in the order of the text, outer ones first. Left out if the document is not annotated so."""
    labelled_spans: LabelledSpans | None = None
    """The labelled spans, in the order of the text, once for each label. Left out if the document has no such layer."""

    @property
    def name(self) -> str:
        return name_document(self.id, self.text)

    def check_cover(self, key: str, places: Places) -> None:
        """Check that sentences or tokens follow each other from the first word to the last."""
        for i, place in enumerate(zip(places.start, places.end, strict=True)):
            self.check_place(place, f"{key}[{i}]")
        for i, (before, start) in enumerate(zip([0, *places.end], [*places.start, len(self.text)], strict=True)):
            if start < before:
                self.fail(f"{key}.start[{i}]", start, f"at least {before}, where the one before it ends")
            if (gap := self.text[before:start]).strip():
                self.fail(f"the text between {key} at {before}", gap, "white space")

    def check_place(self, place: Place, path: str) -> None:
        """Check that a span has characters of the text; `path` is where it is in the data."""
        if not place[0] < place[1] <= len(self.text):
            expected = f"start < end <= {len(self.text)}, which is the length of the text; the end is exclusive"
            self.fail(f"(start, end) of {path}", place, expected)

    def fail(self, place: str, found: object, expected: str) -> NoReturn:
        raise ValueError(f"Can't read {self.name}: {place} is {show(found)}; expected {expected}.")


def name_document(title: object, text: object) -> str:
    """Name a document in messages by its title, or else by the beginning of its text."""
    if isinstance(title, str) and title:
        return f"document {title!r}"
    return f"document starting {text[:40]!r}" if isinstance(text, str) and text else "a document without text"


def pack(rows: Sequence[Mapping[str, Any]], model: type[Columns]) -> dict[str, list[Any]]:
    """Write objects as columns of a model. Optional columns are left out if no object has a value for them."""
    given = {name for row in rows for name, value in row.items() if value is not None}
    names = [name for name, field in model.model_fields.items() if name in given or _is_always_written(field)]
    return {name: [rounded(row.get(name)) for row in rows] for name in names}


def rounded(value: Any) -> Any:
    """A value of a column: a probability is rounded."""
    return round(value, SCORE_DIGITS) if isinstance(value, float) else value


def json_schema() -> dict[str, Any]:
    """The JSON schema of a document as `to_dict` writes it, in the 2020-12 draft."""
    return {
        **Document.model_json_schema(),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:spacy-span-selector:doc:{FORMAT.rpartition('.')[2]}",
        "title": "Document with coreference clusters, semantic roles, quotations and labelled spans",
    }
