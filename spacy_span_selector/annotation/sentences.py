"""The sentences of a document, with or without sentence boundaries."""

from __future__ import annotations

from spacy.tokens import Doc, Span


def get_sentences(doc: Doc) -> list[Span]:
    """The sentences of a document. A document without sentence boundaries is one sentence."""
    return list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
