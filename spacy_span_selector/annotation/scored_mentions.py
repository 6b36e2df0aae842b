"""What a network says of the mentions of a document, for the components behind it: kept in memory, never saved.

A document that was saved and loaded, or copied, has none.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from .clusters import Mention


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
    """

    mentions: list[Mention]
    scores: list[float]
    antecedents: NDArray[np.int64]
    links: NDArray[np.float32]
    threshold: float
    singletons: Set[Mention]
    mentions_key: str


_OF_DOCS: WeakKeyDictionary[Doc, dict[str, ScoredMentions]] = WeakKeyDictionary()


def set_scored_mentions(doc: Doc, prefix: str, scored: ScoredMentions) -> None:
    """Keep what a component that writes clusters under this prefix has scored, as long as the document lives."""
    _OF_DOCS.setdefault(doc, {})[prefix] = scored


def get_scored_mentions(doc: Doc) -> dict[str, ScoredMentions]:
    """What was scored, by the prefix of the clusters; empty if no component has run on this very object."""
    return dict(_OF_DOCS.get(doc, {}))
