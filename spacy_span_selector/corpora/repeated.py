"""Documents that come twice: in one conversion, in one part of a corpus, or in two parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spacy.tokens import Doc

from ..annotation import get_title
from .left_out import Report

REPEATED = "documents that come a second time"
SAME_TITLE = "Kept different documents of the same name"
IN_TWO_PARTS = "Found documents in two parts of a corpus, so that what is scored may have been trained on"


def leave_out_repeated(docs: Sequence[Doc], places: Sequence[str], report: Report) -> list[Doc]:
    """Leave out documents that have the title and the words of an earlier one.

    Different texts may have the same title by chance: they are kept, and reported. Documents without a title may repeat
    each other.

    docs (Sequence[Doc]): The documents.
    places (Sequence[str]): Where each is, for messages.
    report (Report): Gets the repeated documents.
    RETURNS (list[Doc]): The documents, each once.
    """
    first: dict[str, tuple[Doc, str]] = {}
    kept: list[Doc] = []
    for doc, place in zip(docs, places, strict=True):
        title = get_title(doc)
        same, before = first.setdefault(title, (doc, place))
        if not title or same is doc:
            kept.append(doc)
        elif [token.orth for token in doc] == [token.orth for token in same]:
            report.leave_out(REPEATED, f"{place}: document {title!r}, as in {before}.")
        else:
            report.add(SAME_TITLE, f"{place}: document {title!r}, as in {before}. Rename one.")
            kept.append(doc)
    return kept


def check_parts(parts: Mapping[str, Sequence[str]], source: object, report: Report) -> dict[str, list[str]]:
    """Check that each document is listed once.

    parts (Mapping[str, Sequence[str]]): The names of the documents of each part, such as `train`.
    source (object): The file or folder that lists them, for messages.
    report (Report): Gets the names that are listed twice.
    RETURNS (dict[str, list[str]]): The names of each part, each once. A name in two parts stays in both.
    """
    first: dict[str, str] = {}
    for part, names in parts.items():
        seen: set[str] = set()
        for name in names:
            if name in seen:
                report.leave_out(REPEATED, f"{source}: {name!r} in {part}.")
            elif first.setdefault(name, part) != part:
                report.add(IN_TWO_PARTS, f"{source}: {name!r} in {first[name]} and {part}. Remove it from one.")
            seen.add(name)
    return {part: list(dict.fromkeys(names)) for part, names in parts.items()}
