"""The input of attribution: the words, quotations, mentions and clusters of a document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from ...documents.dashes import DASHES

Range = tuple[int, int]


def quotation_of_words(quotations: Sequence[Range], n_words: int) -> list[int]:
    """The number of the quotation of each word, from 0; -1 outside of quotations."""
    numbers = [-1] * n_words
    for number, (start, end) in enumerate(quotations):
        numbers[start:end] = [number] * (end - start)
    return numbers


@dataclass(frozen=True)
class Scene:
    """A document with quotations.

    sentences (Sequence[int]): The number of the sentence of each word.
    paragraphs (Sequence[int] | None): The number of the paragraph of each word; None if they are not known.
    quotations (Sequence[tuple[int, int]]): Words with their marks, end exclusive, in order; none overlap.
    mentions (Sequence[tuple[int, int]]): The mentions, in the order of the text.
    evidence (Sequence[str]): What each is evidence of, as `clustering.forms` says.
    clusters (Sequence[int | None]): The cluster of each; None if it is not known yet, as of "I" in a quotation.
    verbs (Container[str]): Forms of verbs of speech, in lower case.
    subjects (Mapping[int, int]): From a predicate to the first word of its agent, as frames have them.
    """

    words: Sequence[str]
    sentences: Sequence[int]
    paragraphs: Sequence[int] | None
    quotations: Sequence[Range]
    mentions: Sequence[Range]
    evidence: Sequence[str]
    clusters: Sequence[int | None]
    verbs: Container[str] = frozenset()
    subjects: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def lower(self) -> list[str]:
        """The words in lower case."""
        return [*map(str.lower, self.words)]

    @cached_property
    def quotation_of(self) -> list[int]:
        """The number of the quotation of each word, from 0; -1 in the narration."""
        return quotation_of_words(self.quotations, len(self.words))

    @cached_property
    def narrated(self) -> list[int]:
        """The number of words of narration before each word, and before the end."""
        return [0, *accumulate([number < 0 for number in self.quotation_of])]

    @cached_property
    def narrators(self) -> list[int]:
        """The mentions in the narration that have a cluster."""
        return [
            mention
            for mention, (start, _) in enumerate(self.mentions)
            if self.quotation_of[start] < 0 and self.clusters[mention] is not None
        ]

    @cached_property
    def inside(self) -> list[list[int]]:
        """The mentions within each quotation."""
        found: list[list[int]] = [[] for _ in self.quotations]
        for mention, (start, _) in enumerate(self.mentions):
            if (number := self.quotation_of[start]) >= 0:
                found[number].append(mention)
        return found

    @cached_property
    def said(self) -> frozenset[int]:
        """Where the narration has verbs of speech."""
        verbs, quotation_of = {*filter(self.verbs.__contains__, {*self.lower})}, self.quotation_of
        return frozenset([i for i, word in enumerate(self.lower) if word in verbs and quotation_of[i] < 0])

    def is_beside(self, quotation: int) -> bool:
        """Check whether a quotation stands in the paragraph of the one before it, with nothing between their marks."""
        if not 0 < quotation < len(self.quotations):
            return False
        (_, end), (start, _) = self.quotations[quotation - 1 : quotation + 1]
        paragraphs = self.paragraphs or [0] * len(self.words)
        return end == start and paragraphs[end - 1] == paragraphs[start] and not self._has_dash(quotation)

    def goes_on(self, quotation: int) -> bool:
        """Check whether a quotation is the rest of the one before it, behind a tag: neither mark nor dash begins it."""
        return quotation > 0 and self.words[self.quotations[quotation][0]].lstrip("'’")[:1].isalnum()

    def is_turn(self, quotation: int) -> bool:
        """Check whether its form tells that a quotation is speech: a dash, or another one at its side."""
        beside = self.is_beside(quotation) or self.is_beside(quotation + 1)
        return beside or self._has_dash(quotation) or self.goes_on(quotation)

    def _has_dash(self, quotation: int) -> bool:
        return self.words[self.quotations[quotation][0]].startswith(DASHES)

    def before(self, quotation: int, most: int) -> list[int]:
        """The mentions in at most so many words of narration before a quotation, the last so many, nearest first."""
        start = self.quotations[quotation][0]
        last, least = bisect_left(self._starts, start), self.narrated[start] - most
        places, narrated, near = self.mentions, self.narrated, self.narrators[max(0, last - most) : last]
        return [m for m in reversed(near) if (end := places[m][1]) <= start and narrated[end] >= least]

    def after(self, quotation: int, most: int) -> list[int]:
        """The mentions in at most so many words of narration after a quotation, nearest first."""
        end = self.quotations[quotation][1]
        last = bisect_right(self._starts, self.narrated[end] + most, key=self.narrated.__getitem__)
        return self.narrators[bisect_left(self._starts, end) : last]

    def nearest(self, quotation: int, cluster: int) -> int | None:
        """The mention of a cluster that is nearest to a quotation, one in the narration if there is any."""
        start, end = self.quotations[quotation]
        mentions, starts, ends = self._of_cluster.get(cluster, ([], [], []))
        best: tuple[int, int] | None = None
        place = bisect_left(starts, end)
        if place < len(mentions):
            best = starts[place] - end, mentions[place]
        for i in reversed(range(place)):
            if best is not None and start - ends[i] > best[0]:
                break  # neither this one nor any before it ends as near
            first, last = self.mentions[mentions[i]]
            found = max(start - last, first - end), mentions[i]
            best = found if best is None else min(best, found)
        return None if best is None else best[1]

    @cached_property
    def _of_cluster(self) -> dict[int, tuple[list[int], list[int], list[int]]]:
        """The mentions of each cluster, in the narration if there are any, where they start, and how far they and
        those before them reach."""
        narrated: dict[int, list[int]] = {}
        quoted: dict[int, list[int]] = {}
        for mention, cluster in enumerate(self.clusters):
            if cluster is not None:
                is_narrated = self.quotation_of[self.mentions[mention][0]] < 0
                (narrated if is_narrated else quoted).setdefault(cluster, []).append(mention)
        places = self.mentions
        return {
            cluster: (own, [places[m][0] for m in own], [*accumulate((places[m][1] for m in own), max)])
            for cluster, own in (quoted | narrated).items()
        }

    @cached_property
    def _starts(self) -> list[int]:
        return [self.mentions[mention][0] for mention in self.narrators]
