"""Labelled spans, such as nested entities: one span group, as spaCy's `spancat` writes it.

The group `doc.spans["sc"]` has the spans with their labels in the order of the text; a span with several labels is
there once for each. `attrs["scores"]` has one probability per span. A group under another key has this key in
`attrs["labelled_key"]`, so whoever reads a document finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spacy.tokens import Doc

from .checks import check_labelled, check_once, check_scores
from .groups import LABELLED_NOTE, SCORES, noted_prefixes, read_group, write_group

LABELLED_KEY = "sc"
"""The key that spaCy's `spancat` has by default."""


class LabelledSpan(NamedTuple):
    """A span with a label: token offsets, end exclusive."""

    start: int
    end: int
    label: str


def has_labelled_spans_annotated(doc: Doc, key: str = LABELLED_KEY) -> bool:
    """Check whether a document is annotated with labelled spans: it has their group, which may be empty."""
    return key in doc.spans


def find_labelled_key(doc: Doc) -> str:
    """Find the key of the labelled spans of a document: the default, or else the first that is noted."""
    return LABELLED_KEY if LABELLED_KEY in doc.spans else next(iter(noted_prefixes(doc, LABELLED_NOTE)), LABELLED_KEY)


def get_labelled_spans(doc: Doc, key: str = LABELLED_KEY) -> list[LabelledSpan]:
    """Read the labelled spans of a document, in the order of their group."""
    return [LabelledSpan(span.start, span.end, span.label_) for span in read_group(doc, key)]


def set_labelled_spans(
    doc: Doc, spans: Sequence[tuple[int, int, str]], scores: Sequence[float] | None = None, *, key: str = LABELLED_KEY
) -> None:
    """Replace the labelled spans of a document.

    spans (Sequence[tuple[int, int, str]]): Token offsets and labels, in any order: they are sorted here. No span may
        have a label twice.
    """
    checked = check_labelled(doc, spans, "spans", "label")
    check_once(doc, checked, "spans", "document")
    order = sorted(range(len(checked)), key=checked.__getitem__)
    attrs: dict[str, object] = {} if key == LABELLED_KEY else {LABELLED_NOTE: key}
    if scores is not None:
        known = check_scores(doc, scores, "scores", len(checked), "spans")
        attrs[SCORES] = [known[i] for i in order]
    write_group(doc, key, [checked[i] for i in order], attrs)
