"""A random part of a corpus: some of its documents, and some of their annotation, as if fewer had been annotated."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor
from typing import TypeVar

from spacy.tokens import Doc
from spacy.util import registry

from spacy_span_selector.annotation import (
    MENTIONS_KEY,
    PREDICATES_KEY,
    get_clusters,
    get_frames,
    get_labelled_spans,
    has_clusters_annotated,
    has_frames_annotated,
    has_labelled_spans_annotated,
    set_clusters,
    set_frames,
    set_labelled_spans,
)
from spacy_span_selector.signatures import checks_arguments

Item = TypeVar("Item")


@dataclass(frozen=True)
class Sample:
    """A random part of a corpus, for learning curves and for trials of partial annotation.

    documents (int | None): How many documents, chosen at random; None for all. A sample of more documents, with the
        same seed, has those of a smaller one.
    clusters (float): The share of the clusters of each document that is kept, those of a single mention among them.
        The others are deleted with all of their mentions.
    frames (float): The share of the frames of each document that is kept. The others are deleted with their predicates.
    spans (float): The share of the labelled spans of each document that is kept.
    seed (int): What is chosen.
    """

    documents: int | None = None
    clusters: float = 1.0
    frames: float = 1.0
    spans: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.documents is not None and self.documents < 1:
            raise ValueError(
                f"'documents' of the sample is {self.documents}; it must be at least 1, or null to take all."
            )
        for name in ("clusters", "frames", "spans"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise ValueError(f"'{name}' of the sample is {share}; it is a share, from 0 to 1.")

    def __call__(self, docs: Iterable[Doc]) -> list[Doc]:
        """Choose documents, in the order that they have, and delete annotation from them, in place.

        docs (Iterable[Doc]): The documents.
        RAISES (ValueError): If there are fewer documents than wanted.
        """
        docs = list(docs)
        if self.documents is not None and len(docs) < self.documents:
            raise ValueError(
                f"'documents' of the sample is {self.documents}, but the corpus has only {len(docs)} documents."
            )
        order = random.Random(self.seed).sample(range(len(docs)), len(docs))
        chosen = sorted(order[: self.documents])
        for place in chosen:
            self._thin_out(docs[place], random.Random(f"{self.seed} {place}"))
        return [docs[place] for place in chosen]

    def _thin_out(self, doc: Doc, chance: random.Random) -> None:
        # Groups of all mentions, and of all predicates, would give away what is deleted. Without a cluster or a frame
        # left, the functions that set them make empty ones: the document is annotated all the same.
        if self.clusters < 1 and has_clusters_annotated(doc):
            doc.spans.pop(MENTIONS_KEY, None)
            set_clusters(doc, _some(get_clusters(doc), self.clusters, chance))
        if self.frames < 1 and has_frames_annotated(doc):
            doc.spans.pop(PREDICATES_KEY, None)
            set_frames(doc, _some(get_frames(doc), self.frames, chance))
        if self.spans < 1 and has_labelled_spans_annotated(doc):
            set_labelled_spans(doc, _some(get_labelled_spans(doc), self.spans, chance))


@registry.misc("lab.Sample.v1")
@checks_arguments("'lab.Sample.v1'")
def create_sample(
    documents: int | None = None, clusters: float = 1.0, frames: float = 1.0, spans: float = 1.0, seed: int = 0
) -> Sample:
    """A random part of a corpus, for the argument `sample` of the reader; the arguments are those of `Sample`.

    RAISES (ValueError): If one of them is out of range.
    """
    return Sample(documents, clusters, frames, spans, seed)


def _some(items: Sequence[Item], share: float, chance: random.Random) -> list[Item]:
    """So many of some items, in their order; a fraction of an item is one, or none, at random."""
    number = floor(share * len(items) + chance.random())
    return [items[place] for place in sorted(chance.sample(range(len(items)), min(number, len(items))))]
