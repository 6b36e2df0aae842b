"""Extension attributes for clusters, frames and quotations, independent of where these are stored.

    doc._.coref_clusters     the clusters, each a list of spans, in the order of first mentions
    span._.coref_cluster     the cluster in which exactly this span is a mention, or None
    span._.coref_score       the selection probability of exactly this span, or None
    span._.coref_link_score  the link probability of exactly this mention, or None
    span._.coref_antecedent  the mention that exactly this mention was linked to, or None
    token._.coref_clusters   the clusters with a mention that contains this token, innermost mention first
    doc._.characters         the people among the clusters, by importance, with their names and gender
    doc._.resolved_text      the text with pronouns replaced by the representative of their cluster
    doc._.srl                the frames: each a predicate, its roleset and its arguments by role
    doc._.events             the frames with entities as participants: the clusters of their arguments
    doc._.quotations         the quotations: what is said, who says it, and to whom

All are computed from `doc.spans` when read, so they follow every change and need not be saved
with a document.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..annotation.glossary import extend_glossary
from .characters import Character, Characters, doc_characters, find_characters, find_entities
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
from .events import EntityFinder, Event, Participant, Triple, doc_events, find_events
from .frames import SrlFrame, doc_frames
from .quotations import DocQuotation, DocQuotations, doc_quotations, find_quotations
from .representative import entity_label, labels_by_span, representative_mention, span_label
from .resolved_text import resolved_text

CLUSTER_ATTRIBUTES: Mapping[str, Callable[[Any], Any]] = {
    "doc._.coref_clusters": doc_clusters,
    "doc._.characters": doc_characters,
    "doc._.resolved_text": resolved_text,
    "span._.coref_cluster": span_cluster,
    "span._.coref_score": span_score,
    "span._.coref_link_score": span_link_score,
    "span._.coref_antecedent": span_antecedent,
    "token._.coref_clusters": token_clusters,
}
"""The attributes of clusters, as spaCy's factories name what they assign, each with its getter."""

FRAME_ATTRIBUTES: Mapping[str, Callable[[Any], Any]] = {"doc._.srl": doc_frames, "doc._.events": doc_events}
"""The attributes of frames; the participants of events are clusters, where there are some."""

QUOTATION_ATTRIBUTES: Mapping[str, Callable[[Any], Any]] = {"doc._.quotations": doc_quotations}
"""The attribute of quotations; speakers and addressees are clusters, where there are some."""

OWNERS: Mapping[str, type[Doc] | type[Span] | type[Token]] = {"doc": Doc, "span": Span, "token": Token}

__all__ = [
    "CLUSTER_ATTRIBUTES",
    "FRAME_ATTRIBUTES",
    "QUOTATION_ATTRIBUTES",
    "Character",
    "Characters",
    "Cluster",
    "DocQuotation",
    "DocQuotations",
    "EntityFinder",
    "Event",
    "Participant",
    "SrlFrame",
    "Triple",
    "clusters_by_mention",
    "clusters_by_token",
    "doc_characters",
    "doc_clusters",
    "doc_events",
    "doc_frames",
    "doc_quotations",
    "entity_label",
    "find_characters",
    "find_entities",
    "find_events",
    "find_quotations",
    "labels_by_span",
    "register_extensions",
    "representative_mention",
    "resolved_text",
    "span_label",
]


def register_extensions() -> None:
    """Register the attributes with spaCy, and what roles mean; calling it again changes nothing.

    An attribute of the same name that something else has registered stays as it is, with a warning.
    """
    for attribute, getter in {**CLUSTER_ATTRIBUTES, **FRAME_ATTRIBUTES, **QUOTATION_ATTRIBUTES}.items():
        owner, _, name = attribute.split(".")
        _register(OWNERS[owner], name, getter)
    extend_glossary()


def _register(owner: type[Doc] | type[Span] | type[Token], name: str, getter: Callable[[Any], Any]) -> None:
    if not owner.has_extension(name):
        owner.set_extension(name, getter=getter)
        return
    _, _, other, _ = owner.get_extension(name)
    if _full_name(other) == _full_name(getter):  # perhaps before the module was loaded again
        return
    kind = owner.__name__
    by = f"by {_full_name(other)}" if other is not None else "by another package, or by you"
    warnings.warn(
        f"{kind.lower()}._.{name} is registered already, {by}, and stays as it is: it does not show what the "
        f"components of spacy_span_selector find. To read that, call {_full_name(getter)}({kind.lower()}). To have the "
        f"attribute instead, call {kind}.remove_extension({name!r}) before the first component is added, or afterwards "
        "followed by spacy_span_selector.extensions.register_extensions().",
        stacklevel=3,
    )


def _full_name(function: Callable[[Any], Any] | None) -> str | None:
    return None if function is None else f"{function.__module__}.{getattr(function, '__qualname__', function)}"
