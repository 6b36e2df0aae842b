"""The type of an entity, which nobody annotates: man, woman, thing, several people, several things.

Each entity has a type, and each of its mentions says something of it: "she" is said of a woman 240 times as often as
of a man, "the ship" of a thing. So the evidence of a cluster of mentions is a mixture of categorical distributions,

    p(e_1, ..., e_n) = sum over types t of p(t) p(e_1 | t) ... p(e_n | t)

whose tables were learnt from the gold clusters of corpora by expectation maximisation (`scripts/fit_tables.py`).
Two clusters agree as far as they are more probable as one entity than as two: `agreement`, a log ratio. Nothing is
impossible in it: a ship may be "she".

Where a mention has labels, as from `structured_spancat`, or a type, this is further evidence: that of a place or a
vehicle tells of no person, as surely as it is probable, that of an animal tells nothing but that "it" is no evidence.
Names of a person and of a thing are then never those of one entity.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import cache
from math import exp, log
from typing import Literal

from spacy.vocab import Vocab

from ...language import ENTITY_LABELS, ENTITY_TYPES, language_words

Kind = Literal["person", "thing", ""]
"""What a label tells of an entity: "" if nothing."""

OF_THINGS = frozenset({"3 singular neuter", "noun"})
"""Words that are evidence of a thing."""

Weights = tuple[float, ...]
"""A log probability for each type of an entity."""


class EntityTypes:
    """The types of entities, as a language has them; without a table for it, everything agrees."""

    def __init__(self, vocab: Vocab) -> None:
        self._table = language_words(vocab, ENTITY_TYPES)
        labels = language_words(vocab, ENTITY_LABELS)
        self._kind: Callable[[str], Kind | None] = cache(lambda label: labels.get(label.lower()))
        self._prior: Weights = tuple(self._table.get("", (0.0,)))
        self.nothing: Weights = (0.0,) * len(self._prior)
        self._known: dict[Weights, float] = {}
        self._likelihoods: dict[str, tuple[list[float], float]] = {}

    def evidence(self, evidence: str) -> Weights:
        """log p(evidence | type) for each type; zeros if the table has no such evidence."""
        return tuple(self._table.get(evidence, self.nothing))

    def words(self, evidence: str, labels: Mapping[str, float]) -> Weights:
        """What the words of a mention with some labels are evidence of.

        "It" or a noun tells of no thing as far as its labels tell of a person, or of an animal, which is both in tales.
        """
        if evidence not in OF_THINGS:
            return self.evidence(evidence)
        doubt = sum([p for label, p in labels.items() if self._kind(label) not in (None, "thing")])
        return self.doubted(evidence, min(1.0, doubt)) if doubt > 0 else self.evidence(evidence)

    def labelled(self, labels: Mapping[str, float]) -> tuple[Kind, Weights]:
        """The kind that some labels tell most probably, and what it is evidence of."""
        told: dict[Kind | None, float] = {"thing": 0.0, "person": 0.0}
        for label, probability in labels.items():
            if (known := self._kind(label)) in told:
                told[known] += probability
        kind: Kind = "person" if told["person"] > told["thing"] else "thing"
        return (kind, self.doubted(f"label {kind}", max(0.0, 1.0 - told[kind]))) if told[kind] else ("", self.nothing)

    def doubted(self, evidence: str, doubt: float) -> Weights:
        """Evidence that is of another entity with the probability `doubt`."""
        if evidence not in self._table:
            return self.nothing
        if evidence not in self._likelihoods:
            row = self.evidence(evidence)
            self._likelihoods[evidence] = [*map(exp, row)], exp(self.log_probability(row))
        likelihoods, anywhere = self._likelihoods[evidence]
        return tuple(map(log, [(1 - doubt) * likelihood + doubt * anywhere for likelihood in likelihoods]))

    def log_probability(self, evidence: Weights) -> float:
        """log p of all evidence of an entity, given the sum of what it says."""
        if evidence not in self._known:
            terms = [*map(operator.add, self._prior, evidence)]
            top = max(terms)
            self._known[evidence] = top + log(sum(map(exp, [term - top for term in terms])))
        return self._known[evidence]

    def agreement(self, first: Weights, second: Weights) -> float:
        """The log ratio of the evidence's probability for one entity and for two; 0 if one has no evidence."""
        together = self.log_probability(add(first, second))
        return together - self.log_probability(first) - self.log_probability(second)


def add(first: Weights, second: Weights) -> Weights:
    """The sum of two rows."""
    return tuple(map(operator.add, first, second))
