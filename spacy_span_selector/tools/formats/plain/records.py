"""Plain data with an object for each span: version 1, and what version 2 becomes when it is read.

Clusters, characters, frames and quotations are written alone in this form, with texts. The models are what is read and
a little more than is written: `null` counts as missing where a key may be missing, because tables have nothing else for
it, and keys that can be computed need not be there. Keys that the format does not have are ignored. The schema is that
of what is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any, Literal, NoReturn, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WrapValidator

from ....annotation.checks import show

Format1 = Literal["spacy_span_selector.Doc.v1"]
FORMAT_1: Format1 = "spacy_span_selector.Doc.v1"


class Written(Enum):
    """The way in which an optional key is written; without it, the key is left out if it is not known."""

    ALWAYS = "always"
    AS_NULL = "null if there is nothing; left out if that is not known"


def check_text(text: str) -> str:
    """Check that a string can be saved.

    RAISES (ValueError): If it has half of a character, as `json.loads` may return it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("expected a string without surrogates, which can't be saved") from None
    return text


def describe_written(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Turn the JSON schema of what is read into that of what is written."""
    always = [name for name, field in model.model_fields.items() if field.is_required()]
    for name, field in model.model_fields.items():
        value = schema["properties"][name]
        value.pop("title", None)
        value.pop("default", None)
        if "anyOf" in value and Written.AS_NULL not in field.metadata:
            value.update(*(kind for kind in value.pop("anyOf") if kind != {"type": "null"}))
        if Written.ALWAYS in field.metadata:
            always.append(name)
    schema["required"] = always


Value = TypeVar("Value")
Computed = Annotated[Value | None, WrapValidator(lambda value, check: value)]
"""Written for other readers. `from_dict` computes it again, so there it may be anything."""

Text = Annotated[str, AfterValidator(check_text)]
Label = Annotated[Text, Field(json_schema_extra={"minLength": 1})]
Number = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Score = Annotated[float, Field(allow_inf_nan=False)]


class Record(BaseModel):
    """A JSON object. Nothing in it is converted: `"1"` is no number."""

    model_config = ConfigDict(strict=True, use_attribute_docstrings=True, json_schema_extra=describe_written)


class Place(Record):
    """Characters of the text."""

    start: Number
    """The first character."""
    end: Annotated[Number, Field(json_schema_extra={"minimum": 1})]
    """The character after the last one."""


class Span(Place):
    """Characters of the text, with the text."""

    text: Annotated[Label | None, Written.ALWAYS] = None
    """The text from `start` to `end`."""


class ScoredSpan(Span):
    """A span with a probability."""

    score: Score | None = None
    """A probability."""


class Spoken(Record):
    """By whom something is said."""

    speaker: Text
    """The speaker."""


class Turn(Place, Spoken):  # the keys of the last base come first, as they are written
    """The turn of a speaker."""


class Mention(ScoredSpan):
    """A mention of an entity. `score` is the selection probability: that the span is a mention."""

    link_score: Score | None = None
    """The probability of the antecedent that the mention was linked to; for a mention that was linked to none, the
    probability of having none."""
    antecedent: Annotated[Number | None, Written.AS_NULL] = None
    """The earlier mention that the mention was linked to: its number in `mentions`, from 0; null for a mention that was
    linked to none. Left out if unknown, as in annotation by hand."""
    reason: Label | None = None
    """Why the mention was joined or kept apart against what the network alone would do, in words."""

    @property
    def knows_antecedent(self) -> bool:
        return "antecedent" in self.model_fields_set


class Cluster(Record):
    """Mentions of the same entity."""

    representative: Annotated[Computed[Number], Written.ALWAYS] = None
    """The mention that stands for the cluster, such as a name: its number in `mentions`, from 0."""
    name: Label | None = None
    """The name of the cluster in the corpus."""
    entity_label: Label | None = None
    """The kind of entity, such as person, in the corpus or by named-entity recognition."""
    entity_id: Computed[Label] = None
    """The identifier of the entity in a knowledge base or an EntityRuler."""
    mentions: Annotated[list[Mention], Field(min_length=1)]
    """The mentions, in the order of the text."""


class CharacterName(Record):
    """A proper name of a person."""

    name: Text
    """The name, without a possessive ending."""
    count: Count
    """The number of mentions that have it, in upper or lower case."""


class Character(Record):
    """A person among the clusters."""

    name: Text
    """The main name of the person or, without one, the representative mention."""
    gender: Label | None = None
    """The gender that pronouns, titles and nouns clearly tell: female or male."""
    cluster: Number
    """The number of the person's cluster in `clusters`, from 0."""
    count: Count
    """The number of mentions."""
    names: list[CharacterName]
    """The proper names that the person has in the text, the most frequent first."""


class WithRole(Record):
    """The role of an argument."""

    role: Text
    """The role, such as ARG0, ARGM-TMP or C-ARG1."""
    description: Label | None = None
    """The meaning of the role with this roleset, such as giver."""


class Argument(ScoredSpan, WithRole):
    """An argument. `score` is the probability of the role."""


class Frame(Record):
    """A predicate and its arguments: who did what to whom."""

    predicate: ScoredSpan
    """The predicate. `score` is the probability that it is one: 1 if it was given."""
    roleset: Label | None = None
    """The sense of the predicate, such as give.01."""
    roleset_name: Label | None = None
    """The meaning of the roleset, such as transfer."""
    arguments: list[Argument]
    """The arguments, in the order of the text."""


class Quotation(ScoredSpan):
    """The words that are quoted, with their marks. `score` is the probability of the speaker."""

    speaker: Computed[Number] = None
    """The speaker: the number of the cluster of `speaker_mention` in `clusters`, from 0."""
    speaker_mention: Span | None = None
    """A mention of the speaker."""
    addressee: Computed[Number] = None
    """The person spoken to: the number of the cluster of `addressee_mention` in `clusters`, from 0."""
    addressee_mention: Span | None = None
    """A mention of the person spoken to."""
    cue: Span | None = None
    """The words that introduce the quotation, such as `said the elder`."""

    def others(self) -> dict[str, Span | None]:
        """The other spans that belong to it, as far as they are known, by their keys."""
        return {key: getattr(self, key) for key in ("speaker_mention", "addressee_mention", "cue")}


class LabelledSpan(ScoredSpan):
    """A span with a label, such as a nested entity. `score` is the probability of the label."""

    label: Text
    """The label, such as person."""


class DocumentFacts(Record):
    """A document without annotation."""

    format: str
    """Name and version of this schema."""
    id: Text | None = None
    """The title of the document."""
    text: Text
    """The whole text."""

    @property
    def name(self) -> str:
        """The name of the document in messages."""
        return name_document(self.id, self.text)

    def fail(self, place: str, found: object, expected: str) -> NoReturn:
        """Raise the error about something in the data.

        RAISES (ValueError): Always.
        """
        raise ValueError(f"Can't read {self.name}: {place} is {show(found)}; expected {expected}.")


class Document(DocumentFacts):
    """A document of version 1. All offsets count the characters (Unicode code points) of `text` from 0; `end` is
    exclusive. What is not known is left out."""

    format: Format1
    """Name and version of this schema."""
    sentences: list[Place] | None = None
    """The sentences, in order. Left out if nobody knows where they start."""
    tokens: list[Place] | None = None
    """The tokens, in order; only if asked for. Between them is only white space."""
    speakers: list[Turn] | None = None
    """The turns of a dialogue."""
    speaker_markers: list[Span] | None = None
    """Words of the text that nobody said: they tell who speaks."""
    clusters: list[Cluster] | None = None
    """The clusters, in the order of their first mentions. Left out if the document is not annotated for coreference."""
    characters: Computed[list[Character]] = None
    """The people among the clusters, those with most mentions first. Left out if there are none."""
    unlinked_mentions: list[ScoredSpan] | None = None
    """The spans that were selected as mentions, but are in no cluster. `score` is the selection probability."""
    frames: list[Frame] | None = None
    """The frames, in the order of their predicates. Left out if the document is not annotated for semantic roles."""
    quotations: list[Quotation] | None = None
    """The quotations, in the order of the text, outer ones before those within them. Left out if the document is not
    annotated for quotations."""
    labelled_spans: list[LabelledSpan] | None = None
    """The labelled spans, in the order of the text; a span with several labels is there once for each. Left out if the
    document is not annotated with labelled spans."""

    def check_gap(self, start: int, end: int, between: str) -> None:
        """Check that there is only white space between what should cover all words."""
        gap = self.text[start:end]
        if gap and not gap.isspace():
            self.fail(f"the text between {between} at {start}", gap, "white space")

    def check_once(self, path: str, values: Sequence[tuple[Any, ...]], expected: str) -> None:
        """Check that nothing is in a list a second time."""
        seen: set[tuple[Any, ...]] = set()
        for i, value in enumerate(values):
            if value in seen:
                self.fail(f"{path}[{i}]", value, expected)
            seen.add(value)


def name_document(title: object, text: object) -> str:
    """Name a document in messages by its title, or else by the beginning of its text."""
    if isinstance(title, str) and title:
        return f"document {title!r}"
    return f"document starting {text[:40]!r}" if isinstance(text, str) and text else "a document without text"


def written_schema(model: type[DocumentFacts]) -> dict[str, Any]:
    """The JSON schema of documents as they are written, in the 2020-12 draft."""
    version = get_args(model.model_fields["format"].annotation)[0].rpartition(".")[2]
    return {
        **model.model_json_schema(),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:spacy-span-selector:doc:{version}",
        "title": "Document with coreference clusters, semantic roles, quotations and labelled spans",
    }
