"""What keeps mentions out of one cluster, and the decision of some that are apart from each other.

**Arguments.** Two arguments of one frame are two entities (`people/co_arguments.py`).

**Persons.** "I", "we" and "you" are nobody whom the same voice calls "he", "she" or "they"; only across the border of
a quotation or turn they may be. "He" is no "she" and no "they" anywhere, but an animal may be "it". In the training
documents of LitBank and OntoGUM, 205 entities are both "I" and "he" or "she", 158 of them never in one voice; most of
the others are in quotations without marks.

**Together.** Where a search from left to right sends two mentions that are apart to one cluster, the first gets it,
though the second may need it more: "The lawyer called the client because she trusted her." `assign` compares all ways
to choose clusters for both. It is exact for the mentions that it is given, and clusters as they are: what mentions in
between would add to these is not foreseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import TypeVar

ARGUMENT_COST = 8.0
"""Near a veto: two arguments of a frame are one entity in gold where the frame is wrong."""

RIVAL_COST = 16.0
"""The same where another is near whom no frame excludes. In LitBank's training texts "he" or "she" is the argument
beside it 24 times of 324 where some other person is in the sentence or the one before, and 15 times of 42 elsewhere."""

PERSON_COST = 4.0
"""The cost of two persons of the grammar in one cluster. With twice as much, quotations without marks suffer."""

BOUND = 4.0
"""The score of the link between a reflexive and its subject: they are one 194 times of 205."""

ANAPHOR = 3.0
"""How much less an antecedent of "he" or "she" must score if the one that scores more is an argument beside it."""

IT = 2.5
"""How much less an antecedent of "it" must score: corpora that annotate no things teach that it has none."""

MOST_RIVALS, MOST_CLUSTERS = 4, 4
"""How many mentions are decided together, and for how many clusters of each."""

GENDERED = ("3 singular male", "3 singular female")
NEUTER = "3 singular neuter"

Option = TypeVar("Option")


class Persons:
    """The persons of the grammar that are in a cluster."""

    __slots__ = ("by_voice", "known")

    def __init__(self) -> None:
        self.by_voice: dict[int, set[str]] = {}
        self.known: set[str] = set()

    def add(self, evidence: str, voice: int) -> None:
        """Add a mention.

        evidence (str): That of its form; what is no personal pronoun counts for nothing.
        voice (int): Who says it, by any number.
        """
        if _is_personal(evidence):
            self.by_voice.setdefault(voice, set()).add(evidence)
            self.known.add(evidence)

    def update(self, other: Persons) -> None:
        """Add those of another cluster."""
        for voice, persons in other.by_voice.items():
            self.by_voice.setdefault(voice, set()).update(persons)
        self.known |= other.known

    def clash(self, evidence: str, voice: int) -> bool:
        """Check whether a mention is another person than one of the cluster."""
        return _is_personal(evidence) and (
            any(_differ(evidence, one, False) for one in self.known)
            or any(_differ(evidence, one, True) for one in self.by_voice.get(voice, ()))
        )

    def clash_with(self, other: Persons) -> bool:
        """Check whether two clusters have different persons."""
        return any(self.clash(one, voice) for voice, persons in other.by_voice.items() for one in persons)


@cache
def _is_personal(evidence: str) -> bool:
    return evidence[:1] in ("1", "2") or evidence == "3 plural" or evidence in GENDERED


@cache
def _differ(first: str, second: str, in_one_voice: bool) -> bool:
    """Check whether two personal pronouns never stand for one entity."""
    person, other = first[0], second[0]
    if person != other:
        return in_one_voice
    if person == "3":
        return first != second
    return person == "1" and in_one_voice and first != second


def assign(
    options: Sequence[Sequence[tuple[float, Option | None]]], apart: Mapping[tuple[int, int], float]
) -> tuple[tuple[float, Option | None], ...]:
    """Choose one of the options of each mention, so that their sum less the costs is greatest.

    options (Sequence[Sequence[tuple[float, Option | None]]]): For each mention what some clusters are worth, the best
        first; None is a new cluster.
    apart (Mapping[tuple[int, int], float]): What one cluster for two mentions costs.
    """

    def worth(chosen: Sequence[tuple[float, Option | None]]) -> float:
        clashes = (cost for (i, j), cost in apart.items() if chosen[i][1] is not None and chosen[i][1] is chosen[j][1])
        return sum(value for value, _ in chosen) - sum(clashes)

    alone = tuple(own[0] for own in options)
    if worth(alone) == sum(value for value, _ in alone):
        return alone
    return max(product(*options), key=worth)
