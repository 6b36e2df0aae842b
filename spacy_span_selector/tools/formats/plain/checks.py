"""Checking plain data before it is read, and the errors that say what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from ....annotation.checks import show
from . import columns
from .records import FORMAT_1, Document, Mention, Place, name_document


def read_document(data: Any) -> Document:
    """Check plain data of either version.

    data (Any): What should be the data of a document.
    RETURNS (Document): The same, with an object for each span, and all that is missing as None.
    RAISES (ValueError): If a key is missing, or a value is of another kind than expected, or offsets are not those of
        some characters, an antecedent is no earlier mention of the cluster, sentences do not follow each other, or
        something is said twice that there is once; with the key, what was found, and what was expected.
    """
    try:
        if isinstance(data, dict) and data.get("format") == FORMAT_1:
            document = Document.model_validate(data)
        else:
            document = columns.Document.model_validate(data).to_records()
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
    """Check that each mention is in its cluster once, each argument in its frame, and each label at its span; that no
    mention of a cluster is unlinked; and that a role has one description."""
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
    labelled = [(span.start, span.end, span.label) for span in document.labelled_spans or ()]
    document.check_once("labelled_spans", labelled, "another labelled span than those before it")
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
    for key in ("sentences", "tokens", "speakers", "speaker_markers", "unlinked_mentions", "labelled_spans"):
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
    name = name_document(data.get("id"), data.get("text")) if isinstance(data, dict) else "a document"
    return f"Can't read {name}: {problem}.{more}"
