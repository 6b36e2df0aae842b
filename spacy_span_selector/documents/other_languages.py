"""Texts in another language than that of their pipeline, as their most frequent words tell."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from runpy import run_path
from unicodedata import normalize

import spacy.lang
from spacy.tokens import Doc

LONGEST_LOOK = 200
FEWEST_WORDS = 30
ENOUGH_WORDS, LETTERS_OF_A_WORD = 100, 8
"""What short texts have together before they are looked at: so many words, or letters where there are no spaces."""
FEWEST_STOP_WORDS = 10
"""How many different stop words a language must have in a text: names have few ("de la", "von")."""
LEAST_SHARE = 0.4
"""How many of all words must be stop words of a language; running text has more, and lists, tables and menus fewer."""
OTHER_LETTERS = "other letters"
LAST_LATIN = "\u024f"


def other_language(doc: Doc) -> str | None:
    """Guess the language of a text from its first words, if its pipeline is for English and the text is not: a code
    such as "de", or OTHER_LETTERS.

    Where stop words and letters say nothing, as of short texts, names, code and tables, a text counts as English: None.
    """
    return _guess(*_read(doc))


class ShortTexts:
    """Texts of a stream that are too short to tell their language each, until they tell it together."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.text = ""

    def add(self, doc: Doc) -> str | None:
        """Look at a text; the guess for it and those before it if they are enough, after which they are forgotten."""
        if len(doc) >= 2 * FEWEST_WORDS:
            return None
        words, text = _read(doc)
        self.words += words
        self.text += text
        if len(self.words) < ENOUGH_WORDS and len(self.text) < LETTERS_OF_A_WORD * ENOUGH_WORDS:
            return None
        words, text = self.words, self.text
        self.words, self.text = [], ""
        return _guess(words, text)


def _read(doc: Doc) -> tuple[list[str], str]:
    """The first words of a text, in lower case, and all of its start; nothing if they are English."""
    start = doc[:LONGEST_LOOK]
    words = [token.lower_ for token in start if token.is_alpha]
    if doc.vocab.lang != "en" or 4 * sum(token.is_stop for token in start) > len(words):
        return [], ""
    return words, start.text


def _guess(words: list[str], text: str) -> str | None:
    letters = [letter for letter in normalize("NFKC", text) if letter.isalpha()]
    if len(letters) >= 2 * FEWEST_WORDS and 2 * sum(letter > LAST_LATIN for letter in letters) > len(letters):
        return OTHER_LETTERS
    if len(words) < FEWEST_WORDS:
        return None
    found = {language: [word for word in words if word in known] for language, known in _stop_words().items()}
    best = max(found, key=lambda language: len(found[language]))
    is_clear = len(found[best]) >= LEAST_SHARE * len(words) and len({*found[best]}) >= FEWEST_STOP_WORDS
    return best if is_clear else None


def describe_other_language(language: str) -> str:
    """A sentence for people whose text is in another language."""
    whose = "has other letters" if language == OTHER_LETTERS else f"has the words of another language ('{language}')"
    return f"This pipeline is for English, and the text {whose}: what is found in it means little."


@cache
def _stop_words() -> dict[str, frozenset[str]]:
    # Importing a language may take seconds, so only the files with its stop words are run.
    files = Path(spacy.lang.__path__[0]).glob("*/stop_words.py")
    found = {file.parent.name: file for file in sorted(files) if file.parent.name != "en"}
    return {language: frozenset(run_path(str(file))["STOP_WORDS"]) for language, file in found.items()}
