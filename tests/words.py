"""Documents of words between blanks, and the places of words in them."""

from functools import cache

import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab


@cache
def vocab(language: str) -> Vocab:
    return spacy.blank(language).vocab


def read_words(text: str, language: str = "en") -> Doc:
    """A document of words between blanks, each sentence of which ends with a period."""
    words = text.split()
    return Doc(vocab(language), words, sent_starts=[i == 0 or words[i - 1] == "." for i in range(len(words))])


def place(doc: Doc, text: str) -> tuple[int, int]:
    """Where words between blanks are first in a document."""
    words, own = [token.text for token in doc], text.split()
    start = next(i for i in range(len(words)) if words[i : i + len(own)] == own)
    return start, start + len(own)
