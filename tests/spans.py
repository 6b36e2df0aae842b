"""Spans of documents: what they are, and how they are put there without any check, as other software may do."""

from typing import Any

from spacy.tokens import Doc, Span, SpanGroup


def put_spans(doc: Doc, key: str, *spans: tuple[int, int] | tuple[int, int, str], **attrs: Any) -> None:
    """Replace a group of `doc.spans`: (start, end) or (start, end, label), which may have no tokens."""
    doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, *span) for span in spans], attrs=attrs)


def offsets(doc: Doc, key: str) -> list[tuple[int, int, str]]:
    """The start, the end and the label of each span of a group."""
    return [(span.start, span.end, span.label_) for span in doc.spans[key]]
