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

All are computed from `doc.spans` when read, so they follow every change and need not be saved with a document. They are
entry points, group `spacy_span_selector_attributes`, so the code of one is imported when it is first read.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..annotation.glossary import extend_glossary
from .clusters import Cluster as Cluster
from .clusters import clusters_by_mention as clusters_by_mention
from .clusters import clusters_by_token as clusters_by_token
from .clusters import doc_clusters as doc_clusters
from .frames import SrlFrame as SrlFrame
from .frames import doc_frames as doc_frames
from .representative import entity_label as entity_label
from .representative import labels_by_span as labels_by_span
from .representative import representative_mention as representative_mention
from .representative import span_label as span_label

GROUP = "spacy_span_selector_attributes"
OWNERS: dict[str, type[Doc] | type[Span] | type[Token]] = {"doc": Doc, "span": Span, "token": Token}


class Getter:
    """The getter of an attribute, imported when it is first called.

    place (str): Module and function, "MODULE:FUNCTION".
    """

    def __init__(self, place: str) -> None:
        self.place = place

    def __call__(self, owner: Any) -> Any:
        module, _, function = self.place.partition(":")
        return getattr(import_module(module), function)(owner)


@cache
def attributes() -> dict[str, Getter]:
    """The attributes, "doc._.srl", with their getters."""
    found = ([*entry.name.split("."), entry.value] for entry in entry_points(group=GROUP))
    return {f"{owner}._.{name}": Getter(place) for owner, name, place in found}


def register_extensions() -> None:
    """Register the attributes with spaCy, and what roles mean; calling it again changes nothing.

    An attribute of the same name that something else has registered stays as it is, with a warning.
    """
    for attribute, getter in attributes().items():
        owner, _, name = attribute.split(".")
        _register(OWNERS[owner], name, getter)
    extend_glossary()


def _register(owner: type[Doc] | type[Span] | type[Token], name: str, getter: Getter) -> None:
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
        "followed by spacy_span_selector.register_extensions().",
        stacklevel=3,
    )


def _full_name(function: Callable[[Any], Any] | None) -> str | None:
    if isinstance(function, Getter):
        return function.place.replace(":", ".")
    return None if function is None else f"{function.__module__}.{getattr(function, '__qualname__', function)}"
