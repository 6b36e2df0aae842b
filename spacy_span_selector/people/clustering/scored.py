"""The mentions of a document with the scores that the network gave to pairs of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import exp

import numpy as np
from numpy.typing import NDArray

LEAST_SCORE, GREATEST_SCORE = -6.0, 300.0
"""Antecedents that score less count for nothing, and what scores more counts as this: the square of its exponential is
finite."""

Links = list[tuple[list[int], list[float], list[float]]]
"""The antecedents of each mention that count, their scores, and the exponentials of these."""


@dataclass(frozen=True)
class Scored:
    """The mentions of a document, and the scores of the network.

    mentions (Sequence[tuple[int, int]]): Token offsets, end exclusive, in the order of the text.
    sentences (Sequence[int]): The sentence of each.
    speakers (Sequence[int]): The number of the speaker of each; 0 if unknown.
    quotations (Sequence[int]): The number of the quotation of each, from 0; -1 outside, from -2 in those within others.
    antecedents (NDArray[np.int64]): Earlier mentions, by number. Shape: (mentions, antecedents)
    scores (NDArray[np.float32]): Their scores, where "no antecedent" scores 0; -inf where there is none. Shape:
        (mentions, antecedents)
    speaker_names (Sequence[str]): The names of the speakers, from number 1 on.
    labels (Sequence[Mapping[str, float]]): The labels of each as an entity, with their probabilities; empty if nothing
        is labelled.
    unscored (Set[int]): The mentions that were compared with no other: added to what the network has selected.
    named (Mapping[int, int]): The number of the speaker that a mention in the label of a turn names.
    apart (Mapping[int, Collection[int]]): The mentions that are arguments of one frame with each.
    bound (Mapping[int, int]): From a reflexive to its subject, which comes before it.
    said (Mapping[int, int]): From a predicate noun to its subject, likewise.
    """

    mentions: Sequence[tuple[int, int]]
    sentences: Sequence[int]
    speakers: Sequence[int]
    quotations: Sequence[int]
    antecedents: NDArray[np.int64]
    scores: NDArray[np.float32]
    speaker_names: Sequence[str] = ()
    labels: Sequence[Mapping[str, float]] = ()
    unscored: Set[int] = frozenset()
    named: Mapping[int, int] = field(default_factory=dict)
    apart: Mapping[int, Collection[int]] = field(default_factory=dict)
    bound: Mapping[int, int] = field(default_factory=dict)
    said: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def links(self) -> Links:
        """What the network links each mention to."""
        counts = self.scores > LEAST_SCORE
        antecedents = self.antecedents[counts].tolist()
        scores = np.minimum(self.scores[counts], GREATEST_SCORE).astype(np.float64).tolist()
        masses = [*map(exp, scores)]
        edges = [0, *np.cumsum(counts.sum(axis=1)).tolist()]
        return [(antecedents[i:j], scores[i:j], masses[i:j]) for i, j in pairwise(edges)]
