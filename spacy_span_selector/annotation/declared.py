"""What a document is annotated for: the types of spans of which all are marked. Of other types nothing is known.

`doc.user_data["annotates"]` lists them. One that is written "LOC|FAC|GPE" stands for several that the annotation does
not tell apart: a span of this type is one of them, and nobody knows which. Without a list, every type is annotated.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc

from .checks import check_list, check_text

ANNOTATES_KEY = "annotates"
ONE_OF = "|"


def types_of(label: str) -> list[str]:
    """The types that a label may stand for."""
    return label.split(ONE_OF)


def as_declared(label: str, annotates: Sequence[str] | None) -> str | None:
    """What a label is called where these types are annotated, such as "LOC|FAC|GPE" for "LOC"; None if it is none."""
    if annotates is None or label in annotates:
        return label
    return next((one for one in annotates if label in types_of(one)), None)


def get_annotates(doc: Doc) -> list[str] | None:
    """The types that a document is annotated for; None for all."""
    found = doc.user_data.get(ANNOTATES_KEY)
    return [label for label in found if isinstance(label, str)] if isinstance(found, list | tuple) else None


def set_annotates(doc: Doc, types: Sequence[str]) -> None:
    """Say what types a document is annotated for: all spans of these are marked, in clusters and as labelled spans.

    RAISES (ValueError): If they are no strings. The document is as it was.
    """
    types = check_list(doc, types, ANNOTATES_KEY, "strings")
    doc.user_data[ANNOTATES_KEY] = [check_text(doc, label, f"{ANNOTATES_KEY}[{i}]") for i, label in enumerate(types)]
