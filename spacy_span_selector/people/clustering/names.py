"""Names of persons and of everything else: their parts, and whether two can be names of one entity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from spacy.vocab import Vocab

from ...language import NAME_WORDS, NICKNAMES, TITLE_KINDS, TITLES, language_words

Relation = Literal["same", "full", "given", "nickname", "family", "titles", "clash"]
"""How two names that share something are related.

same: "Emma" and "Miss Emma"; full: "Huck Finn" and "Huckleberry Finn"; given: "Emma" and "Emma Woodhouse"; nickname:
"Tom" and "Thomas"; family: "Mr. Finn" and "Huck Finn"; titles: "Judge Finn" and "Mr. Finn", "Aunt Emma" and "Miss
Emma"; clash: they share something, and yet are names of two entities: titles of two genders, two given names with one
family name, "Mrs." and "Miss".
"""

SUFFIXED = ("of", "at")


@dataclass(frozen=True, slots=True)
class Name:
    """A name, in lower case.

    titles (frozenset[str]): Its titles, without full stops.
    gender (str): What these tell: "male", "female" or "".
    given, family (str): The first and the last word of a name of several, and the word after a title that goes with the
        family name; "" if there is none.
    single (str): A single word of which one cannot know.
    """

    titles: frozenset[str] = frozenset()
    gender: str = ""
    given: str = ""
    family: str = ""
    single: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words, titles apart."""
        return tuple(word for word in (self.given, self.single, self.family) if word)


class NameReader:
    """Reads names, and compares them, with the tables of a language."""

    def __init__(self, vocab: Vocab) -> None:
        self._titles = language_words(vocab, TITLES)
        self._kinds = language_words(vocab, TITLE_KINDS)
        self._name_words = language_words(vocab, NAME_WORDS)
        self._nicknames = language_words(vocab, NICKNAMES)

    def is_title(self, word: str) -> bool:
        """Check whether a word in lower case is a title."""
        return word.rstrip(".") in self._titles

    def is_particle(self, word: str) -> bool:
        """Check whether a word in lower case may stand within a name: "of", "van"."""
        return self._name_words.get(word) == "particle"

    def gender_of_title(self, word: str) -> str:
        """Return the gender that a title in lower case tells: "male", "female" or ""."""
        gender: str = self._titles.get(word.rstrip("."), "")
        return gender

    def read(self, words: Sequence[str]) -> Name | None:
        """Read a name.

        RETURNS (Name | None): None if it has titles only.
        """
        words = [word for word in words if word[0].isalnum() and self._name_words.get(word) != "suffix"]
        while len(words) > 1 and self._name_words.get(words[0]) == "epithet":
            words = words[1:]
        titles = []
        while words and self.is_title(words[0]):
            titles.append(words[0].rstrip("."))
            words = words[1:]
        for place in range(1, len(words)):
            begins_another = self._kinds.get(words[place].rstrip(".")) in ("family", "married", "unmarried")
            if begins_another or (titles and words[place] in SUFFIXED):  # Miss Woodhouse of Hartfield
                words = words[:place]
                break
        if not words:
            return None
        genders = {self._titles[title] for title in titles} - {""}
        gender = genders.pop() if len(genders) == 1 else ""
        if len(words) > 1:
            return Name(frozenset(titles), gender, given=words[0], family=words[-1])
        kinds = {self._kinds.get(title) for title in titles}
        if kinds & {"family", "married"}:
            return Name(frozenset(titles), gender, family=words[0])
        return Name(frozenset(titles), gender, single=words[0])

    def short_forms(self, word: str) -> Sequence[str]:
        """The nicknames of a given name."""
        short: Sequence[str] = self._nicknames.get(word, ())
        return short

    def are_one_given(self, first: str, second: str) -> bool:
        """Check whether two given names may be one: equal, or one a nickname of the other."""
        return first == second or second in self.short_forms(first) or first in self.short_forms(second)

    def relate(self, a: Name, b: Name) -> Relation | None:
        """The relation of two names; None if they share nothing."""
        related = self._relate_words(*((a, b) if a.single or not b.single else (b, a)))
        if related in (None, "clash"):
            return related
        if a.gender and b.gender and a.gender != b.gender:
            return "clash"
        if a.titles and b.titles and not a.titles & b.titles:
            kinds = {self._kinds.get(title) for title in (*a.titles, *b.titles)}
            return "clash" if {"married", "unmarried"} <= kinds else "titles" if related == "same" else related
        return related

    def _relate_words(self, a: Name, b: Name) -> Relation | None:
        if a.single and b.single:
            if a.single == b.single:
                return "same"
            return "nickname" if self.are_one_given(a.single, b.single) else None
        if a.single:
            if b.given and self.are_one_given(a.single, b.given):
                return "given" if a.single == b.given else "nickname"
            if a.single != b.family:
                return None
            return "family" if b.given or not a.titles else "same"
        if a.family != b.family:
            return None
        if a.given and b.given:
            is_one = self.are_one_given(a.given, b.given) or _is_initial(a.given, b.given)
            return "full" if is_one else "clash"
        return "family" if a.given or b.given else "same"

    def bridges(self, full: Name, a: Name, b: Name) -> bool:
        """Check whether a full name joins two others: "Emma Woodhouse" joins "Emma" and "Miss Woodhouse"."""
        words = (*a.words, *b.words)
        return all(self.are_one_given(word, full.given) or word == full.family for word in words)


def split_label(label: str) -> list[str]:
    """The words of the name of a speaker, in lower case; a label may be written as one word, as in "AnnLee"."""
    words = label.split()
    if len(words) == 1:
        words = re.findall(r"[A-Z](?![a-z])|[A-Z]?[^A-Z\s]+|[A-Z]+", label) if not label.isupper() else words
    return [word.lower() for word in words]


def _is_initial(first: str, second: str) -> bool:
    """Check whether one of two words is the initial of the other."""
    short, long = sorted((first.rstrip("."), second.rstrip(".")), key=len)
    return len(short) == 1 and long.startswith(short)
