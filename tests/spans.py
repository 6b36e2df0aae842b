"""Spans that are put into documents without any check, as other software may do."""

from typing import Any

from spacy.tokens import Doc, Span, SpanGroup


def put_spans(doc: Doc, key: str, *spans: tuple[int, int] | tuple[int, int, str], **attrs: Any) -> None:
    """Replace a group of `doc.spans`: (start, end) or (start, end, label), which may have no tokens."""
    doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, *span) for span in spans], attrs=attrs)
