"""What plain data must look like to be read, and the errors where it does not.

It is what the JSON schema describes, and a little more: `null` counts as missing where a key may be missing, because
tables have nothing else for it. Keys that the format does not have are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NoReturn

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ...annotation.checks import show

Format = Literal["spacy_span_selector.Doc.v1"]
FORMAT: Format = "spacy_span_selector.Doc.v1"


def check_text(text: str) -> str:
    """Check that a string can be saved.

    RAISES (ValueError): If it has half of a character, as `json.loads` may return it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("expected a string without surrogates, which can't be saved") from None
    return text


Text = Annotated[str, AfterValidator(check_text)]
Number = Annotated[int, Field(ge=0)]
Score = Annotated[float, Field(allow_inf_nan=False)]


class Record(BaseModel):
    """A JSON object. Nothing in it is converted: `"1"` is no number."""

    model_config = ConfigDict(strict=True)


class Place(Record):
    """A span: character offsets, end exclusive, and its text, if given."""

    start: Number
    end: Number
    text: Text | None = None


class Scored(Place):
    """A span with a probability, if known."""

    score: Score | None = None


class Turn(Place):
    """The turn of a speaker."""

    speaker: Text


class Mention(Scored):
    """A mention of a cluster. Without the key `antecedent`, nobody knows what it was linked to."""

    link_score: Score | None = None
    antecedent: Number | None = None
    reason: Text | None = None

    @property
    def knows_antecedent(self) -> bool:
        return "antecedent" in self.model_fields_set


class Cluster(Record):
    """A cluster. Its representative mention is computed from the document, so it is not read."""

    mentions: Annotated[list[Mention], Field(min_length=1)]
    name: Text | None = None
    entity_label: Text | None = None


class Argument(Scored):
    """An argument with its role."""

    role: Text
    description: Text | None = None


class Frame(Record):
    """A predicate with its arguments."""

    predicate: Scored
    arguments: list[Argument]
    roleset: Text | None = None
    roleset_name: Text | None = None


class Quotation(Scored):
    """A quotation. The clusters of speaker and addressee are those of the mentions, so they are not read."""

    speaker_mention: Place | None = None
    addressee_mention: Place | None = None
    cue: Place | None = None

    def others(self) -> dict[str, Place | None]:
        """The other spans that belong to it, as far as they are known, by their keys."""
        return {key: getattr(self, key) for key in ("speaker_mention", "addressee_mention", "cue")}


class Document(Record):
    """A document. Its characters are computed from its clusters, so they are not read."""

    format: Format
    text: Text
    id: Text | None = None
    sentences: list[Place] | None = None
    tokens: list[Place] | None = None
    speakers: list[Turn] | None = None
    speaker_markers: list[Place] | None = None
    clusters: list[Cluster] | None = None
    unlinked_mentions: list[Scored] | None = None
    frames: list[Frame] | None = None
    quotations: list[Quotation] | None = None

    @property
    def name(self) -> str:
        """What messages call the document."""
        return _name(self.id, self.text)

    def fail(self, place: str, found: object, expected: str) -> NoReturn:
        """Raise the error about something in the data.

        RAISES (ValueError): Always.
        """
        raise ValueError(f"Can't read {self.name}: {place} is {show(found)}; expected {expected}.")

    def check_gap(self, start: int, end: int, between: str) -> None:
        """Check that there is nothing but white space between what should cover all words."""
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


def read_document(data: Any) -> Document:
    """Check plain data.

    data (Any): What should be the data of a document.
    RETURNS (Document): The same, with all that is missing as None.
    RAISES (ValueError): If a key is missing, or a value is of another kind than expected, or offsets are not those of
        some characters, an antecedent is no earlier mention of the cluster, sentences do not follow each other, or
        something is said twice that there is once; with the key, what was found, and what was expected.
    """
    try:
        document = Document.model_validate(data)
    except ValidationError as error:
        raise ValueError(_describe(data, error)) from None
    length = len(document.text)
    for path, place in _places(document):
        if not place.start < place.end <= length:
            expected = f"start < end <= {length}, which is the length of the text; the end is exclusive"
            document.fail(f"(start, end) of {path}", (place.start, place.end), expected)
    _check_sentences(document)
    _check_repeated(document)
    for i, cluster in enumerate(document.clusters or ()):
        for j, mention in enumerate(cluster.mentions):
            if mention.antecedent is not None and not _is_earlier(mention.antecedent, mention, cluster.mentions):
                expected = "null or the number of a mention of the cluster that is earlier in the text"
                document.fail(f"clusters[{i}].mentions[{j}].antecedent", mention.antecedent, expected)
    return document


def _check_sentences(document: Document) -> None:
    """Check that sentences follow each other from the first word to the last."""
    if document.sentences is None:
        return
    end = 0
    for i, sentence in enumerate(document.sentences):
        if sentence.start < end:
            document.fail(f"sentences[{i}].start", sentence.start, f"at least {end}, where the sentence before it ends")
        document.check_gap(end, sentence.start, "sentences")
        end = sentence.end
    document.check_gap(end, len(document.text), "sentences")


def _check_repeated(document: Document) -> None:
    """Check that each mention is in its cluster once, and each argument in its frame; that no mention of a cluster is
    unlinked; and that a role has one description."""
    linked: set[tuple[int, int]] = set()
    for i, cluster in enumerate(document.clusters or ()):
        mentions = [(mention.start, mention.end) for mention in cluster.mentions]
        document.check_once(f"clusters[{i}].mentions", mentions, "another mention than those before it")
        linked.update(mentions)
    unlinked = [(mention.start, mention.end) for mention in document.unlinked_mentions or ()]
    document.check_once("unlinked_mentions", unlinked, "another mention than those before it")
    for i, place in enumerate(unlinked):
        if place in linked:
            document.fail(f"(start, end) of unlinked_mentions[{i}]", place, "a mention that is in no cluster")
    for i, frame in enumerate(document.frames or ()):
        arguments = [(argument.start, argument.end, argument.role) for argument in frame.arguments]
        document.check_once(f"frames[{i}].arguments", arguments, "another argument than those before it")
        described: dict[str, str] = {}
        for j, argument in enumerate(frame.arguments):
            if argument.description:
                first = described.setdefault(argument.role, argument.description)
                if first != argument.description:
                    path = f"frames[{i}].arguments[{j}].description"
                    document.fail(path, argument.description, f"{first!r}, as another argument with its role has")


def _places(document: Document) -> Iterator[tuple[str, Place]]:
    """All spans of a document, and where they are in the data."""
    for key in ("sentences", "tokens", "speakers", "speaker_markers", "unlinked_mentions"):
        for i, place in enumerate(getattr(document, key) or ()):
            yield f"{key}[{i}]", place
    for i, cluster in enumerate(document.clusters or ()):
        for j, mention in enumerate(cluster.mentions):
            yield f"clusters[{i}].mentions[{j}]", mention
    for i, frame in enumerate(document.frames or ()):
        yield f"frames[{i}].predicate", frame.predicate
        for j, argument in enumerate(frame.arguments):
            yield f"frames[{i}].arguments[{j}]", argument
    for i, quotation in enumerate(document.quotations or ()):
        yield f"quotations[{i}]", quotation
        for key, other in quotation.others().items():
            if other is not None:
                yield f"quotations[{i}].{key}", other


def _is_earlier(number: int, mention: Mention, mentions: Sequence[Mention]) -> bool:
    if number >= len(mentions):
        return False
    antecedent = mentions[number]
    return (antecedent.start, antecedent.end) < (mention.start, mention.end)


def _describe(data: Any, error: ValidationError) -> str:
    """The message about the first of some errors, and the number of the others."""
    first, *others = error.errors(include_url=False, include_context=False)
    path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"]).removeprefix(".")
    expected = first["msg"].replace("Input should be", "expected").removeprefix("Value error, ")
    expected = expected.split(" or instance of ")[0]  # of a class, which JSON has not
    problem = f"{path or 'it'} is {show(first['input'])}; {expected}"
    if first["type"] == "missing":
        problem = f"{path} is missing"
    more = f" Errors in all: {1 + len(others)}." if others else ""
    name = _name(data.get("id"), data.get("text")) if isinstance(data, dict) else "a document"
    return f"Can't read {name}: {problem}.{more}"


def _name(title: object, text: object) -> str:
    if isinstance(title, str) and title:
        return f"document {title!r}"
    return f"document starting {text[:40]!r}" if isinstance(text, str) and text else "a document without text"
