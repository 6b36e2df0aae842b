"""Documents without white space, and without what nobody sees.

spaCy makes tokens of line ends and of repeated spaces. They are no words: where a text is wrapped must not change what
is found in it. So the components and encoders of this package read a document without them, and what is found is
written to the document as it is. A token of characters without a shape, such as the space without width U+200B, is no
word either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.attrs import IS_ALPHA, IS_DIGIT, IS_PUNCT
from spacy.tokens import Doc

from .rebuilt import is_blank, rebuild_doc

Places = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class CleanDoc:
    """A document, and the same without white space.

    source (Doc): The document.
    doc (Doc): The document without its white space tokens; `source` itself if there are none.
    places (Places): The token of `source` that each token of `doc` is. Shape: (words,)
    """

    source: Doc
    doc: Doc
    places: Places

    @property
    def has_white_space(self) -> bool:
        """True if anything was left out of `doc`."""
        return self.doc is not self.source

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """The place of a span of `doc` in `source`: token offsets, end exclusive. The span has at least one token."""
        return int(self.places[start]), int(self.places[end - 1]) + 1


def clean_doc(doc: Doc) -> CleanDoc:
    """Take the tokens out of a document that are white space or have nothing to see.

    A word has a space behind it if it had white space there. Sentences begin with their first word, and spans of
    `doc.spans` keep their words. A span without words is lost.
    """
    places = np.flatnonzero(~are_blank(doc))
    if len(places) == len(doc):
        return CleanDoc(doc, doc, places)
    return CleanDoc(doc, rebuild_doc(doc, places.tolist()), places)


def remove_white_space(doc: Doc) -> Doc:
    """A document without its white space tokens, but with all others, as a corpus may have them; the document itself if
    it has none."""
    kept = [token.i for token in doc if not token.text.isspace()]
    return doc if len(kept) == len(doc) else rebuild_doc(doc, kept)


def clean_docs(docs: Iterable[Doc]) -> list[CleanDoc]:
    """Take the white space tokens out of documents."""
    return [clean_doc(doc) for doc in docs]


def count_words(doc: Doc) -> int:
    """The number of tokens that are words."""
    return len(doc) - int(np.count_nonzero(are_blank(doc)))


def are_blank(doc: Doc) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Check whether each token is white space or has nothing to see. Shape: (tokens,)

    Letters, digits and punctuation are known to the vocabulary; so few tokens have to be looked at one by one. Of a
    vocabulary without a language all have.
    """
    is_blank_token = np.zeros(len(doc), dtype=bool)
    others = np.flatnonzero(~doc.to_array([IS_ALPHA, IS_DIGIT, IS_PUNCT]).reshape(-1, 3).any(axis=1))
    is_blank_token[others] = [is_blank(doc[i].text) for i in others.tolist()]
    return is_blank_token
