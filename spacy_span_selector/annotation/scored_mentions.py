"""What a network says of the mentions of a document, for the components behind it: kept in memory, never saved.

A document that was saved and loaded, or copied, has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from .clusters import Mention, set_clusters


@dataclass(frozen=True)
class ScoredMentions:
    """The mentions of a document, and all antecedents that the network scored.

    mentions (list[Mention]): Token offsets, in the order of the text.
    scores (list[float]): The selection probability of each.
    antecedents (NDArray[np.int64]): Earlier mentions, by number. Shape: (mentions, antecedents)
    links (NDArray[np.float32]): Their scores, where "no antecedent" scores 0; -inf in columns that a mention does not
        need. Shape: (mentions, antecedents)
    threshold (float): What an antecedent must score more than.
    singletons (Set[Mention]): The mentions that are clusters of their own if nothing is linked to them.
    mentions_key (str): Key of all mentions in `doc.spans`.
    types (Mapping[str, NDArray[np.float32]]): The probability of each mention with each type, which is that of its
        entity; empty if there are no types. Shape of each: (mentions,)
    is_given (bool): Whether the mentions were given, so that there are no others.
    """

    mentions: list[Mention]
    scores: list[float]
    antecedents: NDArray[np.int64]
    links: NDArray[np.float32]
    threshold: float
    singletons: Set[Mention]
    mentions_key: str
    types: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    is_given: bool = False

    def write_clusters(
        self,
        doc: Doc,
        prefix: str,
        clusters: Sequence[int],
        linked: Sequence[int | None],
        link_scores: Sequence[float],
        reasons: Sequence[str] | None = None,
    ) -> None:
        """Replace the clusters of the document; arguments are as for `set_clusters`, but by the number of the mention:
        that of its cluster, and that of its antecedent."""
        members: dict[int, list[int]] = {}
        for number, cluster in enumerate(clusters):
            members.setdefault(cluster, []).append(number)
        antecedents = [None if number is None else self.mentions[number] for number in linked]
        kept = [own for own in members.values() if len(own) > 1 or self.mentions[own[0]] in self.singletons]
        set_clusters(
            doc,
            [[self.mentions[number] for number in own] for own in kept],
            prefix=prefix,
            mentions_key=self.mentions_key,
            scores=dict(zip(self.mentions, self.scores, strict=True)),
            link_scores=dict(zip(self.mentions, link_scores, strict=True)),
            antecedents=dict(zip(self.mentions, antecedents, strict=True)),
            reasons=None if reasons is None else dict(zip(self.mentions, reasons, strict=True)),
            entity_types=self.types_of(kept) if self.types else None,
        )

    def type_shares(self) -> list[dict[str, float]]:
        """How probable each type of each mention is if it is one; empty if there are no types."""
        if not self.types:
            return []
        joint = np.stack([*self.types.values()], axis=1)
        shares = joint / np.maximum(joint.sum(axis=1, keepdims=True), np.finfo(joint.dtype).tiny)
        return [dict(zip(self.types, row, strict=True)) for row in shares.tolist()]

    def types_of(self, clusters: Sequence[Sequence[int]]) -> list[str]:
        """The most probable type of the entity of each cluster: that of which most of its mentions are expected."""
        if not clusters:
            return []
        starts = np.cumsum([0, *map(len, clusters[:-1])])
        joint = np.stack([*self.types.values()], axis=1)[[number for own in clusters for number in own]]
        labels = [*self.types]
        return [labels[best] for best in np.add.reduceat(joint, starts).argmax(axis=1).tolist()]


_OF_DOCS: WeakKeyDictionary[Doc, dict[str, tuple[int, ScoredMentions]]] = WeakKeyDictionary()


def set_scored_mentions(doc: Doc, prefix: str, scored: ScoredMentions) -> None:
    """Keep what a component that writes clusters under this prefix has scored, as long as the document lives."""
    _OF_DOCS.setdefault(doc, {})[prefix] = len(doc), scored


def pop_scored_mentions(doc: Doc) -> dict[str, ScoredMentions]:
    """What was scored, by the prefix of the clusters, once, as clusters may be corrected later; empty if no component
    has run on this very object, or its tokens were merged or split since."""
    return {prefix: scored for prefix, (length, scored) in _OF_DOCS.pop(doc, {}).items() if length == len(doc)}


def links_of_kept(
    antecedents: NDArray[np.int64], links: NDArray[np.float32], numbers: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The antecedents of some mentions among these, by their new numbers, and their scores: -inf where one is lost.

    antecedents, links: Those of all mentions. Shape: (mentions, antecedents)
    """
    new = np.full(len(antecedents), -1)
    new[numbers] = np.arange(len(numbers))
    scores = links[numbers]
    # Where there is no antecedent, the number may be that of a mention of another document of the batch.
    found = np.where(scores > -np.inf, new[antecedents[numbers].clip(0, len(new) - 1)], -1)
    found[found >= np.arange(len(numbers))[:, None]] = -1  # words of one token may change places
    return found.clip(0), np.where(found < 0, -np.inf, scores).astype(np.float32)
