"""Documents as they are read: words alone, without white space and without what nobody sees.

spaCy makes tokens of line ends and of repeated spaces. They are no words: where a text is wrapped must not change what
is found in it. So the components and encoders of this package read a document without them, and what is found is
written to the document as it is. An emoji, or a token of characters without a shape, such as the space without width
U+200B, is no word either; and a token that has white space in it, as `merge_entities` makes them, is several. The stop
that the tokenizer took from an "etc." is part of no word, unless it ends a sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from spacy.attrs import IDX, IS_ALPHA, IS_DIGIT, IS_PUNCT, LENGTH, ORTH, SENT_START
from spacy.tokens import Doc, Span

from ..language import SHORT_FORMS, language_table
from .rebuilt import Words, rebuild_doc
from .visible import HIDDEN, INNER_SPACE, is_blank, mask, split_words, unmask

Place = tuple[int, int]
Places = np.ndarray[Any, np.dtype[np.int64]]
Blank = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class CleanDoc:
    """A document, and the same as it is read.

    doc (Doc): The document without its white space tokens; `source` itself if all of its tokens are words.
    places (Places): The token of `source` that each token of `doc` is, or is a part of. Shape: (words,)
    is_blank (Blank): Which tokens of `doc` are white space, an emoji or have nothing to see. Shape: (words,)
    """

    source: Doc
    doc: Doc
    places: Places
    is_blank: Blank

    @property
    def is_changed(self) -> bool:
        """True if `doc` has other tokens than `source`."""
        return self.doc is not self.source

    @property
    def is_split(self) -> bool:
        """True if a token of `source` is several words."""
        return not np.diff(self.places).all()

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """The place of a span of `doc` in `source`: token offsets, end exclusive. The span has at least one token."""
        return int(self.places[start]), int(self.places[end - 1]) + 1

    def whole_spans(self, spans: Sequence[Place], scores: Sequence[float], labels: Sequence[str]) -> list[int]:
        """The numbers of the spans of `doc` that are left in `source`, where no span ends within a token, in its order.

        A span that ends before a further word of its token is not what the token is: "Ann" of "Ann's bike". Of those
        with one label that become the same, the widest is left, and of equal ones the most probable.
        """
        if not self.is_split:
            return list(range(len(spans)))
        is_alpha, ends = self.doc.to_array([IS_ALPHA]), np.append(np.diff(self.places) > 0, True)
        best: dict[tuple[int, int, str], tuple[int, float, int]] = {}
        for number, ((start, end), score, label) in enumerate(zip(spans, scores, labels, strict=True)):
            last = end - 1 + int(ends[end - 1 :].argmax())
            if not is_alpha[end : last + 1].any():
                place = (*self.to_source(start, end), label)
                best[place] = max(best.get(place, (0, 0.0, 0)), (end - start, score, -number))
        return [-number for _, (*_, number) in sorted(best.items())]

    def words_of(self, span: Span) -> Span:
        """The words of a span of `source`; the span itself if it has none."""
        start, end = np.searchsorted(self.places, (span.start, span.end)).tolist()
        return self.doc[start:end] if start < end else span


PIECES: WeakKeyDictionary[Doc, Any] = WeakKeyDictionary()
"""How many subwords of a shared transformer each word of a document has, as long as the document lives: the transformer
itself is asked for tokens."""


def clean_doc(doc: Doc, without: Collection[str] = ()) -> CleanDoc:
    """Take out what is white space, an emoji, an inner stop or has nothing to see, and read the other tokens.

    A word has a space behind it if it had white space there. Sentences begin with their first word, and spans of
    `doc.spans` keep their words. A span without words is lost, and so are the groups of keys in `without`.
    """
    blank, words = _look_at(doc)
    blank[_find_inner_stops(doc, blank)] = True
    return _read(doc, np.flatnonzero(~blank), blank, words, without)


def split_doc(doc: Doc) -> CleanDoc:
    """Read the words of a document as `clean_doc` does, but leave white space and emoji where they are."""
    return _read(doc, np.arange(len(doc)), *_look_at(doc))


def _find_inner_stops(doc: Doc, blank: Blank) -> list[int]:
    """Find the stops of short forms such as "etc.", behind which their sentence goes on."""
    if not doc.has_annotation("SENT_START"):
        return []
    kinds, words = language_table(doc.vocab, SHORT_FORMS), np.flatnonzero(~blank)
    orth, starts = doc.to_array([ORTH, SENT_START]).T
    goes_on = np.diff(np.cumsum(starts == 1)[words]) == 0
    stops = words[:-1][goes_on & (orth[words[:-1]] == doc.vocab.strings["."])]
    short = (doc[i - 1] for i in stops[stops > 0].tolist())
    return [word.i + 1 for word in short if not word.whitespace_ and kinds.get(word.lower_) in ("", "time")]


def _read(doc: Doc, places: Places, blank: Blank, words: Words, without: Collection[str] = ()) -> CleanDoc:
    if not words and len(places) == len(doc):
        return CleanDoc(doc, doc, places, blank)
    repeats = np.ones(len(doc), dtype=np.int64)
    repeats[list(words)] = [len(found) for found in words.values()]
    places = np.repeat(places, repeats[places])
    return CleanDoc(doc, rebuild_doc(doc, places.tolist(), words, without), places, blank[places])


def clean_docs(docs: Iterable[Doc]) -> list[CleanDoc]:
    """Take the white space tokens out of documents."""
    return [clean_doc(doc) for doc in docs]


def count_words(doc: Doc) -> int:
    """The number of tokens that are words."""
    return len(doc) - int(np.count_nonzero(are_blank(doc)))


def are_blank(doc: Doc) -> Blank:
    """Check whether each token is white space or an emoji, or has nothing to see. Shape: (tokens,)"""
    return _look_at(doc)[0]


def _look_at(doc: Doc) -> tuple[Blank, Words]:
    """Find out which tokens are blank, and which of the others are not read as they are written.

    Letters, digits and punctuation are known to the vocabulary; so few forms have to be looked at one by one. Of a
    vocabulary without a language all have.
    """
    blank = np.zeros(len(doc), dtype=bool)
    orths, *known = doc.to_array([ORTH, IS_ALPHA, IS_DIGIT, IS_PUNCT]).reshape(-1, 4).T
    others = np.flatnonzero(~np.any(known, axis=0))
    forms, form_of = np.unique(orths[others], return_inverse=True)
    texts = [doc.vocab.strings[form] for form in forms.tolist()]
    blank[others] = np.array([is_blank(text) for text in texts], dtype=bool)[form_of]
    odd = np.array([bool(INNER_SPACE.search(text) or HIDDEN.search(text)) for text in texts], dtype=bool)
    words = _read_odd(doc, others[odd[form_of]].tolist(), blank) if odd.any() else {}
    return blank, words


def _read_odd(doc: Doc, odd: Iterable[int], blank: Blank) -> Words:
    """Read odd tokens, and those beside them that belong to the same emoji; `blank` is set for what is all emoji."""
    masked = mask(doc.text)
    offsets, lengths = doc.to_array([IDX, LENGTH]).astype(np.int64).T
    places = np.array([found.span() for found in HIDDEN.finditer(doc.text)], dtype=np.int64).reshape(-1, 2)
    edges = np.searchsorted(offsets, places, side="right") - [1, 0]
    words: Words = {}
    for token in sorted({*odd, *(token for first, behind in edges.tolist() for token in range(first, behind))}):
        text = doc[token].text
        read = unmask(masked[offsets[token] : offsets[token] + lengths[token]]).strip()
        blank[token] = is_blank(read)
        found = [] if blank[token] else list(split_words(read, doc.lang_))
        if found and [word for word, *_ in found] != [text]:
            words[token] = found
    return words
