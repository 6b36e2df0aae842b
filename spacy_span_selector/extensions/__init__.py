"""Attributes that give clusters and frames without knowing where they are stored.

    doc._.coref_clusters     every cluster, a list of spans each, in the order of first mentions
    span._.coref_cluster     the cluster in which exactly this span is a mention, or None
    token._.coref_clusters   the clusters with a mention over this token, innermost mention first
    doc._.resolved_text      the text with mentions replaced by the main mention of their cluster
    doc._.srl                every frame: a predicate, its roleset and its arguments by role

All are computed from `doc.spans` when they are read, so they follow every change and nothing new
has to be saved with a document.
"""

from __future__ import annotations

from spacy.tokens import Doc, Span, Token

from .clusters import doc_clusters, main_mention, resolved_text, span_cluster, token_clusters
from .frames import SrlFrame, doc_frames

__all__ = ["SrlFrame", "doc_clusters", "doc_frames", "main_mention", "register_extensions"]


def register_extensions() -> None:
    """Register the attributes with spaCy; calling it again changes nothing."""
    Doc.set_extension("coref_clusters", getter=doc_clusters, force=True)
    Doc.set_extension("resolved_text", getter=resolved_text, force=True)
    Doc.set_extension("srl", getter=doc_frames, force=True)
    Span.set_extension("coref_cluster", getter=span_cluster, force=True)
    Token.set_extension("coref_clusters", getter=token_clusters, force=True)
