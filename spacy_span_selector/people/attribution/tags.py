"""Tags: words beside a quotation whose form alone tells who says it, and to whom: "said Hilde", "X told Y:"."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import cached_property
from typing import NamedTuple

from ...language import FUNCTION_WORDS, packaged_table
from .scene import Scene

BROKEN = frozenset(["?", "!", "--", "—", "–", "-", "...", "…"])
"""The last words of a quotation, beside a comma, that a tag may follow."""
FEWEST = 4
"""Words in quotation marks that are fewer are no speech by themselves, such as "New York", as they say."""
APART = 16
"""The most words between a speaker and the verb, as of an apposition or a relative clause."""
BEFORE_VERB = {",", *(word for word, part in packaged_table("en", FUNCTION_WORDS).items() if part in ("ADV", "CCONJ"))}
"""What may stand before a verb in place of its subject: "X rose and said:"."""


class Tag(NamedTuple):
    """Who says a quotation, and to whom, as mentions; None where it tells nobody."""

    speaker: int
    addressee: int | None = None


class TagReader:
    """Reads the tags of quotations.

    sources (Container[str]): Words before a speaker, such as "according to".
    """

    def __init__(self, scene: Scene, sources: Container[str]) -> None:
        self.scene, self.sources = scene, sources

    @cached_property
    def _starting(self) -> dict[int, int]:
        """The longest mention in the narration that starts at each word."""
        return {self.scene.mentions[m][0]: m for m in self.scene.narrators}

    @cached_property
    def _ending(self) -> dict[int, int]:
        """The longest mention in the narration that ends before each word."""
        return {self.scene.mentions[m][1]: m for m in reversed(self.scene.narrators)}

    def read(self, quotation: int) -> Tag | None:
        """The tag of a quotation; None if it has none, or two that differ."""
        clusters = self.scene.clusters
        found = [*self._behind(quotation), *self._before(quotation)]
        return found[0] if found and len({clusters[tag.speaker] for tag in found}) == 1 else None

    def is_said(self, quotation: int) -> bool:
        """Check whether a quotation is speech, whoever says it: "I" or "you" is in a sentence of its own, or there is
        a verb of speech beside its comma, and it begins like a sentence of some length."""
        scene = self.scene
        start, end = scene.quotations[quotation]
        last = scene.words[end - 2] if end - 2 > start else ""
        if last in (".", "?", "!") and any(scene.evidence[m].startswith(("1", "2")) for m in scene.inside[quotation]):
            return True
        if end - start - 2 < FEWEST or not scene.words[start + 1][:1].isupper():
            return False
        behind = range(end, self._end(end)) if last == "," or scene.words[end : end + 1] == [","] else ()
        before = range(max(0, start - APART), start) if scene.words[start - 1 : start] in ([","], [":"]) else ()
        edge = scene.sentences[start - 1] if start else -1
        return not scene.said.isdisjoint([*behind[:APART], *(i for i in before if scene.sentences[i] == edge)])

    def _behind(self, quotation: int) -> Iterator[Tag]:
        """What a tag behind the quotation tells: "said X", "X said", "X, a man of forty, told Y", "according to X"."""
        scene = self.scene
        first = scene.quotations[quotation][1]
        last = scene.words[first - 2] if first > 1 else ""
        end = self._end(first)
        comma = first < end and scene.words[first] == ","
        first += comma
        if first >= end or not (comma or last == "," or last in BROKEN):
            return
        if first in scene.said and (speaker := self._starting.get(first + 1)) is not None:
            yield Tag(speaker, self._addressee(scene.mentions[speaker][1], inverted=True))
        elif " ".join(scene.lower[first : first + 2]) in self.sources:
            if (speaker := self._starting.get(first + 2)) is not None:
                yield Tag(speaker)
        elif (speaker := self._starting.get(first)) is not None:
            verb = self._verb_of(speaker, end)
            if verb is None or scene.words[end - 1] == ":":  # which introduces the next quotation
                return
            goes_on = last == "," or comma or scene.words[first][:1].islower()
            if goes_on or (verb + 1 < end and not scene.words[verb + 1][:1].isalnum()):
                yield Tag(speaker, self._addressee(verb + 1))

    def _before(self, quotation: int) -> Iterator[Tag]:
        """What a tag before the quotation tells: "X said:", "X wrote in a letter:", "According to X,"; or the end of
        one in the midst of a sentence, "said X,"."""
        scene = self.scene
        end = scene.quotations[quotation][0] - 1
        if end < 1 or scene.words[end] not in (",", ":") or scene.quotation_of[end] >= 0:
            return
        first = end
        while first and scene.quotation_of[first - 1] < 0 and scene.sentences[first - 1] == scene.sentences[end]:
            first -= 1
        if (speaker := self._ending.get(end)) is not None:
            start = scene.mentions[speaker][0]
            if start - 1 in scene.said and start - 1 == first and first and scene.quotation_of[first - 1] >= 0:
                yield Tag(speaker)
                return
            if " ".join(scene.lower[max(0, start - 2) : start]) in self.sources:
                yield Tag(speaker)
                return
        for verb in range(end - 1, first, -1):
            if verb in scene.said:
                speaker = self._ending.get(verb)
                if speaker is None and scene.lower[verb - 1] in BEFORE_VERB:
                    speaker = self._starting.get(scene.subjects.get(verb, -1))
                if speaker is not None and (verb == end - 1 or scene.words[end] == ":" or self._addressee(verb + 1)):
                    yield Tag(speaker, self._addressee(verb + 1))
                return

    def _end(self, first: int) -> int:
        """The end of the narration in the sentence of a word behind a quotation."""
        scene, end = self.scene, first
        while end < len(scene.words) and scene.quotation_of[end] < 0 and scene.sentences[end] == scene.sentences[first]:
            end += 1
        return end

    def _verb_of(self, speaker: int, end: int) -> int | None:
        """The verb of speech whose subject is a mention: right behind it, behind an adverb, or what commas enclose."""
        scene = self.scene
        behind = scene.mentions[speaker][1]
        for verb in range(behind, min(behind + 2, end)):
            if verb in scene.said and scene.words[behind][:1].isalpha():
                return verb
        if behind < end and scene.words[behind] == ",":
            for verb in range(behind + 1, min(behind + APART, end)):
                if verb in scene.said and scene.words[verb - 1] == ",":
                    return verb
        return None

    def _addressee(self, word: int, inverted: bool = False) -> int | None:
        """The mention behind a verb and its speaker that a preposition, or the verb itself, makes the addressee."""
        scene = self.scene
        if word < len(scene.words) and scene.lower[word] == "to":
            return self._starting.get(word + 1)
        return None if inverted else self._starting.get(word)
