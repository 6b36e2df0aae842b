"""Read evidence of an entity from the words of a mention: its name, or its gender and number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from spacy.attrs import ORTH, POS
from spacy.symbols import PROPN
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...language import CAPITALISED_NAMES, CLITICS, FUNCTION_WORDS, NOUNS, PLURALS, PRONOUNS, language_words
from .names import Name, NameReader

AFTER_HEAD = frozenset({"ADP", "SCONJ", "CCONJ", "AUX", "PRON"})
ACRONYMS = frozenset({"US", "IT"})
"""No pronouns, as they are written."""
DEFINITE_DETERMINERS = frozenset(
    {"the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their"}
)
PLURAL_DETERMINERS = frozenset({"all", "both", "some"})
SHORTEST_ACRONYM = 3
FEATURES = "person", "number", "gender"
OF_TALK = FIRST_PERSON, SECOND_PERSON = "1 singular", "2"


@dataclass(frozen=True, slots=True)
class Form:
    """Evidence from the words of a mention.

    evidence (str): What it is evidence of, a row of the table of entity types: "3 singular male" (he), "title female",
        "noun plural"; "" if the language has no tables.
    name (Name | None): The name that is its head.
    noun (str): The noun that is its head, in lower case.
    is_definite (bool): Whether this has a definite article, a demonstrative or a possessor.
    is_acronym (bool): Whether it is the acronym of the name.
    """

    evidence: str = ""
    name: Name | None = None
    is_pronoun: bool = False
    noun: str = ""
    is_definite: bool = False
    is_acronym: bool = False

    @property
    def plural(self) -> str:
        """The noun if it is a plural."""
        return self.noun if self.evidence == "noun plural" else ""


Known = dict[tuple[tuple[str, ...], tuple[bool, ...]], tuple[Form, str, str]]
"""From words and tags to their form, the acronym of the name that they are, and the only word that they have."""


def read_words(doc: Doc, attribute: int = ORTH) -> list[str]:
    """The words of a document, or their `LOWER`, each string looked up once: no tokens are made, which take longer."""
    values, places = np.unique(doc.to_array([attribute]), return_inverse=True)
    strings = doc.vocab.strings
    texts = [strings[value] for value in values.tolist()]
    return [texts[place] for place in places.ravel().tolist()]


def read_forms(doc: Doc, mentions: Iterable[tuple[int, int]], known: Known | None = None) -> list[Form]:
    """The form of each mention of a document; an acronym has that of the name that it stands for.

    A name is told by its tag PROPN if the document has tags, or else by capitals if its language has a table of
    function words.

    mentions (Iterable[tuple[int, int]]): Token offsets, end exclusive.
    known (Known | None): What was read before in the same document, if it is to be read once.
    """
    words = tuple(read_words(doc))
    tags = tuple((doc.to_array([POS]) == PROPN).tolist() if doc.has_annotation("POS") else ())
    reader, known = FormReader(doc.vocab), {} if known is None else known
    keys = [(words[start:end], tags[start:end]) for start, end in mentions]
    for key in {*keys} - known.keys():
        form = reader.read(*key)
        known[key] = form, acronym(key[0]) if form.name is not None else "", _last_word(key[0])
    found = map(known.__getitem__, dict.fromkeys(keys))
    spelled = {short: replace(form, is_acronym=True) for form, short, _ in found if short}
    return [spelled.get(last, form) for form, _, last in map(known.__getitem__, keys)]


def acronym(name: Sequence[str]) -> str:
    """The acronym of a name, made of its capitals: "WHO" of "the World Health Organization"; "" if it is too short."""
    capitals = "".join(word[0] for word in name if word[:1].isupper() and word.lower() != "the")
    return capitals if len(capitals) >= SHORTEST_ACRONYM else ""


def _last_word(words: Sequence[str]) -> str:
    """The word of a mention that has but one, an article and a possessive mark apart; "" of others."""
    own = [word for word, low in zip(words, map(str.lower, words), strict=True) if word not in CLITICS and low != "the"]
    return own[0] if len(own) == 1 else ""


class FormReader:
    """Reads the forms of mentions with the tables of a language."""

    def __init__(self, vocab: Vocab) -> None:
        self._function_words = language_words(vocab, FUNCTION_WORDS)
        self._pronouns = language_words(vocab, PRONOUNS)
        self._nouns = language_words(vocab, NOUNS)
        self._plurals = language_words(vocab, PLURALS)
        self._names = NameReader(vocab)

    def read(self, words: tuple[str, ...], proper: tuple[bool, ...] = ()) -> Form:
        """The form of a mention.

        proper (tuple[bool, ...]): Whether each is tagged as a name; empty if the document has no tags.
        """
        while len(words) > 1 and words[-1] in CLITICS:
            words, proper = words[:-1], proper[:-1]
        lower = [*map(str.lower, words)]
        if len(words) == 1 and words[0] not in ACRONYMS and (pronoun := self._pronouns.get(lower[0])):
            return Form(_evidence(pronoun), is_pronoun=True)
        parts = [*map(self._function_words.get, lower)]
        if all(parts) and not self._is_name(words[-1], parts[-1], proper[-1:]):  # "all of them", "each other"
            plural = (_evidence(self._pronouns.get(word, {})) for word in lower)
            return Form(next((found for found in plural if found.endswith("plural")), "other"), is_pronoun=True)
        end = self._head_end(words, parts)
        is_coordination = end < len(words) and parts[end] == "CCONJ"
        words, lower, parts, proper = words[:end], lower[:end], parts[:end], proper[:end]
        if is_coordination:
            return self._known("noun plural")
        if self._is_name(words[-1], parts[-1], proper[-1:]):
            return self._name(words, lower, parts)
        return replace(self._known(self._noun(lower)), noun=lower[-1], is_definite=lower[0] in DEFINITE_DETERMINERS)

    def _known(self, evidence: str, name: Name | None = None) -> Form:
        return Form(evidence if self._pronouns else "", name)

    def _is_name(self, word: str, part: str | None, proper: Sequence[bool]) -> bool:
        if proper:
            return proper[0]
        return bool(self._function_words) and word[:1].isupper() and (not part or word in CAPITALISED_NAMES)

    def _head_end(self, words: Sequence[str], parts: Sequence[str | None]) -> int:
        """Find the end of the head of a noun phrase: before "of", "who", "and", a comma, a possessive mark apart."""
        seen = False
        for i, (word, part) in enumerate(zip(words, parts, strict=True)):
            if seen and word not in CLITICS and word not in CAPITALISED_NAMES:
                if not word[0].isalnum() and word[0] not in "'’":
                    return i
                is_in_name = word == "of" and all(near[:1].isupper() for near in (words[i - 1], *words[i + 1 : i + 2]))
                if (part in AFTER_HEAD or word == "to") and not (is_in_name and i + 1 < len(words)):
                    return i
            seen = seen or part not in ("DET", "PRON")
        return len(words)

    def _name(self, words: Sequence[str], lower: Sequence[str], parts: Sequence[str | None]) -> Form:
        """The name at the end of a noun phrase, "Mr. Smith" of "poor Mr. Smith", and what its title tells."""
        first = len(words)
        while first > 0 and words[first - 1] not in CLITICS and parts[first - 1] not in ("DET", "PRON"):
            is_within = first > 1 and self._names.is_particle(lower[first - 1]) and words[first - 2][:1].isupper()
            if not (words[first - 1][:1].isupper() or is_within or self._names.is_title(lower[first - 1])):
                break
            first -= 1
            if words[first].islower() and first + 1 < len(words) and self._names.is_title(lower[first]):
                break  # "president" of "French president Emmanuel Macron", whose given name is not "French"
        name = self._names.read(lower[first:])
        if name is None:  # "the Doctor", "Mother": it depends on who speaks whom they mean
            return self._known(self._noun(lower))
        if lower[0] == "the" and first == 1 and not name.titles and name.single and name.single.endswith("s"):
            return self._known("name plural")  # the Smiths
        return self._known(f"title {name.gender}".strip() if name.titles else "name", name)

    def _noun(self, lower: Sequence[str]) -> str:
        head = lower[-1]
        is_plural = head in self._plurals or (head.endswith("s") and not head.endswith(("ss", "us", "is")))
        if (head.endswith("men") and f"{head[:-3]}man" in self._nouns) or lower[0] in PLURAL_DETERMINERS:
            is_plural = True
        if is_plural and head not in self._nouns:
            return "noun plural"
        gender = self._nouns.get(head)
        if gender is None:
            return f"noun {self._names.gender_of_title(head)}".strip()
        return f"noun {gender or 'person'}"


def _evidence(pronoun: dict[str, Any]) -> str:
    """The row of a pronoun in the table of entity types. "Thou" and "yourself" are spoken to as "you" is."""
    keys = ("person",) if (pronoun.get("person"), pronoun.get("number")) == (2, "singular") else FEATURES
    return " ".join(str(pronoun[key]) for key in keys if key in pronoun)
