"""Group the names of a document that are of one entity: "Emma", "Emma Woodhouse" and "Miss Woodhouse".

A group of names is worth the sum of what its pairs are worth, and of how well the evidence of all of them agrees:
whether their titles, and the pronouns that refer to them, tell one type of entity. The names of a document are divided
into the groups that are worth most together. This is exact for names that hang together with at most `EXACT` names,
by trying every division; larger families of names are joined greedily, the most valuable pair of groups first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import inf

from .entity_types import EntityTypes, Weights, add
from .names import Name, NameReader

EXACT = 6

WORTH = {
    "same": 0.66,
    "full": 0.37,
    "given": 1.68,
    "nickname": 1.32,
    "family": 0.01,
    "titles": -0.89,
    "clash": -inf,
}
"""For each relation of two names the log odds that two names of persons with it corefer in LitBank's training documents
(`python -m lab name-relations`). Of 61 that clash four do, all epithets ("Farmer Oak"),
and none of those whose titles differ in gender; so it is a veto."""

MANY_LINKS = 3
"""Of fewer links between two names, their mean score counts less."""

FAR_RARER = 20
"""The links of a name count half beside one that is in so many times as many sentences, or more: a name used once must
not keep apart two that are used throughout a novel."""

RARE = 2.0
"""A relation of two names counts half if one of them is in so many sentences."""

TOGETHER = 0.06
"""The share of its sentences that a name has in common with another name of the same person, rarely exceeded."""

TOGETHER_COST = 30.0


@dataclass(frozen=True, slots=True)
class NameUse:
    """The use of a name in a document.

    evidence (Weights): What tells the type of its entity: its title, and the pronouns that refer to it.
    sentences (frozenset[int]): The sentences with a mention that has this name.
    """

    name: Name
    evidence: Weights
    sentences: frozenset[int]


class NamedEntities:
    """Divides the names of a document into those of one entity each.

    links (dict[tuple[int, int], tuple[float, int]]): The mean score of the best links between mentions of two names, by
        their numbers, the smaller one first, and how many links these are.
    """

    def __init__(
        self,
        uses: Sequence[NameUse],
        links: dict[tuple[int, int], tuple[float, int]],
        reader: NameReader,
        types: EntityTypes,
    ) -> None:
        self.uses, self.links, self.reader, self.types = uses, links, reader, types
        self.related: list[dict[int, float]] = [{} for _ in uses]
        for first, second in self._candidates():
            relation = reader.relate(uses[first].name, uses[second].name)
            if relation is not None:
                worth = self._used(first, second) * WORTH[relation] + self._links(first, second)
                worth -= self._together(first, second)
                self.related[first][second] = self.related[second][first] = worth

    def groups(self) -> list[list[int]]:
        """The names of each entity, by number, in ascending order."""
        groups: list[list[int]] = []
        for family in self._families():
            groups += self._best_division(family) if len(family) <= EXACT else self._joined_greedily(family)
        return sorted(map(sorted, groups))

    def worth(self, names: Sequence[int]) -> float:
        """Score a group of names; 0 for one name, -inf for names that can't be of one entity."""
        evidence = self.uses[names[0]].evidence
        apart = self.types.log_probability(evidence)
        for name in names[1:]:
            evidence = add(evidence, self.uses[name].evidence)
            apart += self.types.log_probability(self.uses[name].evidence)
        total = self.types.log_probability(evidence) - apart
        return total + sum(self._pair(a, b, names) for a, b in combinations(names, 2))

    def _pair(self, first: int, second: int, group: Sequence[int]) -> float:
        """Score two names of a group. Two that share nothing need a full name between them."""
        worth = self.related[first].get(second)
        if worth is not None:
            return worth
        a, b = self.uses[first].name, self.uses[second].name
        full = (self.uses[name].name for name in group)
        if any(name.given and self.reader.bridges(name, a, b) for name in full) and self.reader.relate(a, b) != "clash":
            return -self._together(first, second)  # links know nothing of "Emma" and "Miss Woodhouse"
        return -inf

    def _used(self, first: int, second: int) -> float:
        """The weight of a relation of two names: a name that is hardly used must not join two that are."""
        rarer, _ = self._counts(first, second)
        return rarer / (rarer + RARE)

    def _counts(self, first: int, second: int) -> list[int]:
        """How many sentences have the rarer of two names, and the other, one or more."""
        return sorted(max(1, len(self.uses[name].sentences)) for name in (first, second))

    def _links(self, first: int, second: int) -> float:
        """Score the links between the mentions of two names, as evidence for one entity."""
        score, count = self.links.get((min(first, second), max(first, second)), (0.0, 0))
        rarer, other = self._counts(first, second)
        return score * min(1.0, count / MANY_LINKS) * (0.5 if other >= FAR_RARER * rarer else 1.0)

    def _together(self, first: int, second: int) -> float:
        """Score the sentences with both names, as evidence against one entity."""
        a, b = self.uses[first].sentences, self.uses[second].sentences
        both = max(0, len(a & b) - 1) / max(4, min(len(a), len(b)))
        return TOGETHER_COST * max(0.0, both - TOGETHER)

    def _candidates(self) -> Iterator[tuple[int, int]]:
        """Pairs of names that share a word, or whose given names may be short forms of one another.

        Of two with a given and a family name only those that can be one: a thousand companies are all "Inc.".
        """
        by_word: dict[str, tuple[list[int], list[int]]] = {}  # names without and with a given name
        by_full: dict[tuple[str, str], list[int]] = {}
        for number, use in enumerate(self.uses):
            name, first = use.name, use.name.words[:1]
            forms = {*first, *(short for word in first for short in self.reader.short_forms(word))}
            for word in {*name.words, *(f"~{form}" for form in forms)}:
                by_word.setdefault(word, ([], []))[bool(name.given)].append(number)
            for form in {*forms, name.given[:1]} if name.given else ():
                by_full.setdefault((name.family, form), []).append(number)
        pairs = {pair for numbers in by_full.values() for pair in combinations(numbers, 2)}
        for bare, full in by_word.values():
            pairs |= {*combinations(bare, 2), *((min(pair), max(pair)) for pair in product(bare, full))}
        yield from sorted(pairs)

    def _families(self) -> Iterator[list[int]]:
        """The names that hang together by pairs that can be of one entity."""
        seen: set[int] = set()
        for start in range(len(self.uses)):
            if start in seen:
                continue
            family, waiting = [], [start]
            seen.add(start)
            while waiting:
                name = waiting.pop()
                family.append(name)
                fresh = [other for other, worth in self.related[name].items() if worth > -inf and other not in seen]
                seen.update(fresh)
                waiting += fresh
            yield sorted(family)

    def _best_division(self, names: Sequence[int]) -> list[list[int]]:
        known: dict[tuple[int, ...], float] = {}

        def worth(group: list[int]) -> float:
            key = tuple(group)
            if key not in known:
                known[key] = self.worth(key)
            return known[key]

        return max(divisions(names), key=lambda division: sum(map(worth, division)))

    def _joined_greedily(self, names: Sequence[int]) -> list[list[int]]:
        groups = {name: [name] for name in names}
        worths = dict.fromkeys(names, 0.0)
        group_of = {name: name for name in names}
        version = dict.fromkeys(names, 0)
        heap: list[tuple[float, int, int, int, int]] = []

        def propose(a: int, b: int) -> None:
            a, b = min(a, b), max(a, b)
            gain = self.worth(groups[a] + groups[b]) - worths[a] - worths[b]
            if gain > 0:
                heapq.heappush(heap, (-gain, a, b, version[a], version[b]))

        for name in names:
            for other, worth in self.related[name].items():
                if name < other and worth > -inf:
                    propose(name, other)
        while heap:
            gain, a, b, of_a, of_b = heapq.heappop(heap)
            if a not in groups or b not in groups or (version[a], version[b]) != (of_a, of_b):
                continue
            for name in groups[b]:
                group_of[name] = a
            groups[a] += groups.pop(b)
            worths[a] += worths.pop(b) - gain
            version[a] += 1
            for other in sorted(
                {group_of[n] for name in groups[a] for n, w in self.related[name].items() if w > -inf} - {a}
            ):
                propose(a, other)
        return list(groups.values())


def divisions(names: Sequence[int]) -> Iterator[list[list[int]]]:
    """Every division of some numbers into groups."""
    if not names:
        yield []
        return
    first, *rest = names
    for division in divisions(rest):
        yield [[first], *division]
        for place, group in enumerate(division):
            yield [*division[:place], [first, *group], *division[place + 1 :]]
