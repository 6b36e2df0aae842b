"""Spans as plain data."""

from __future__ import annotations

from typing import Any

from spacy.tokens import Span


def span_to_dict(span: Span) -> dict[str, Any]:
    """A span as plain data: its character offsets in the text of the document, end exclusive, and its text."""
    return {"start": span.start_char, "end": span.end_char, "text": span.text}
