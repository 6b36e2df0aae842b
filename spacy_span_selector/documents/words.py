"""Documents without white space.

spaCy makes tokens of line ends and of repeated spaces. They are no words: where a text is wrapped must not change what
is found in it. So the components and encoders of this package read a document without them, and what is found is
written to the document as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.tokens import Doc

from .rebuilt import rebuild_doc

Places = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Words:
    """The words of a document.

    source (Doc): The document.
    doc (Doc): The document without its white space tokens; `source` itself if there are none.
    places (Places): The token of `source` that each token of `doc` is. Shape: (words,)
    """

    source: Doc
    doc: Doc
    places: Places

    @property
    def has_white_space(self) -> bool:
        """Whether anything was left out of `doc`."""
        return self.doc is not self.source

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """The place of a span of `doc` in `source`: token offsets, end exclusive. The span has at least one token."""
        return int(self.places[start]), int(self.places[end - 1]) + 1


def read_words(doc: Doc) -> Words:
    """Take the white space tokens out of a document.

    A word has a space behind it if it had white space there. Sentences begin with their first word, and spans of
    `doc.spans` keep their words. A span of white space alone is lost.

    doc (Doc): The document, which is not modified.
    """
    places = np.flatnonzero(~_is_space(doc))
    if len(places) == len(doc):
        return Words(doc, doc, places)
    return Words(doc, rebuild_doc(doc, places.tolist()), places)


def read_all_words(docs: Iterable[Doc]) -> list[Words]:
    """Take the white space tokens out of documents."""
    return [read_words(doc) for doc in docs]


def count_words(doc: Doc) -> int:
    """The number of tokens that are not white space."""
    return len(doc) - int(np.count_nonzero(_is_space(doc)))


def _is_space(doc: Doc) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether each token is white space, which spaCy does not know of a vocabulary without a language."""
    if IS_SPACE in cast(Any, doc.vocab).lex_attr_getters:
        return np.asarray(doc.to_array([IS_SPACE]) != 0)
    return np.fromiter((token.text.isspace() for token in doc), bool, len(doc))
