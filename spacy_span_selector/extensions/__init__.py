"""Extension attributes for clusters and frames, independent of where these are stored.

    doc._.coref_clusters     the clusters, each a list of spans, in the order of first mentions
    span._.coref_cluster     the cluster in which exactly this span is a mention, or None
    span._.coref_score       the selection probability of exactly this span, or None
    span._.coref_link_score  the link probability of exactly this mention, or None
    span._.coref_antecedent  the mention that exactly this mention was linked to, or None
    token._.coref_clusters   the clusters with a mention that contains this token, innermost mention first
    doc._.resolved_text      the text with mentions replaced by the representative of their cluster
    doc._.srl                the frames: each a predicate, its roleset and its arguments by role
    doc._.events             the frames with entities as participants: the clusters of their arguments

All are computed from `doc.spans` when read, so they follow every change and need not be saved
with a document.
"""

from __future__ import annotations

from spacy.tokens import Doc, Span, Token

from .clusters import (
    Cluster,
    clusters_by_mention,
    clusters_by_token,
    doc_clusters,
    span_antecedent,
    span_cluster,
    span_link_score,
    span_score,
    token_clusters,
)
from .events import Event, Participant, Triple, doc_events
from .frames import SrlFrame, doc_frames
from .representative import representative_mention
from .resolved_text import resolved_text

__all__ = [
    "Cluster",
    "Event",
    "Participant",
    "SrlFrame",
    "Triple",
    "clusters_by_mention",
    "clusters_by_token",
    "doc_clusters",
    "doc_events",
    "doc_frames",
    "register_extensions",
    "representative_mention",
]


def register_extensions() -> None:
    """Register the attributes with spaCy; calling it again changes nothing."""
    Doc.set_extension("coref_clusters", getter=doc_clusters, force=True)
    Doc.set_extension("resolved_text", getter=resolved_text, force=True)
    Doc.set_extension("srl", getter=doc_frames, force=True)
    Doc.set_extension("events", getter=doc_events, force=True)
    Span.set_extension("coref_cluster", getter=span_cluster, force=True)
    Span.set_extension("coref_score", getter=span_score, force=True)
    Span.set_extension("coref_link_score", getter=span_link_score, force=True)
    Span.set_extension("coref_antecedent", getter=span_antecedent, force=True)
    Token.set_extension("coref_clusters", getter=token_clusters, force=True)
