"""The component `word_sentencizer`: spaCy's sentencizer, which puts boundaries at punctuation, without white space.

spaCy's own counts a line end as the first word of a sentence. So the same text has other sentences when it is wrapped:
in `"Go."\\n"Why?"` the second quotation mark begins a sentence, but without the line end it is the last of the first.
Here it begins a sentence in both: a mark that opens what follows belongs to it.

Beside punctuation the layout of a text begins sentences, at blank lines and at lines that stand alone. And a full stop
between a title, or an initial, and a name ends none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.attrs import (
    IDX,
    IS_LEFT_PUNCT,
    IS_PUNCT,
    IS_RIGHT_PUNCT,
    IS_TITLE,
    IS_UPPER,
    ORTH,
    SENT_START,
    SPACY,
)
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..documents.cleaned import are_blank, split_doc
from ..documents.layout import Break, find_breaks
from ..language import ABBREVIATIONS, FUNCTION_WORDS, language_table

Array = np.ndarray[Any, np.dtype[Any]]

ATTRIBUTES = [ORTH, IS_PUNCT, IS_LEFT_PUNCT, IS_RIGHT_PUNCT, IS_TITLE, IS_UPPER, SPACY, SENT_START, IDX]


@Language.factory(
    "word_sentencizer",
    assigns=["token.is_sent_start", "doc.sents"],
    default_config={"punct_chars": None, "overwrite": False, "scorer": {"@scorers": "spacy.senter_scorer.v1"}},
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
)
def make_word_sentencizer(
    nlp: Language, name: str, punct_chars: list[str] | None, overwrite: bool, scorer: Callable[..., Any] | None
) -> WordSentencizer:
    """Create the component; its settings are those of spaCy's `sentencizer`."""
    return WordSentencizer(name, punct_chars=punct_chars, overwrite=overwrite, scorer=scorer)


class WordSentencizer(Sentencizer):
    """Set sentence boundaries at punctuation and where the layout has them. White space belongs to the sentence before
    it, and a quotation mark or bracket that opens to the sentence after it."""

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component, with its marks in order: spaCy's are a set, in another order in each process."""
        return bytes(srsly.msgpack_dumps(self._content()))

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the component, as `to_bytes` does."""
        srsly.write_json(Path(path).with_suffix(".json"), self._content())

    def _content(self) -> dict[str, Any]:
        return {"punct_chars": sorted(self.punct_chars), "overwrite": self.overwrite}

    def predict(self, docs: Iterable[Doc]) -> list[list[bool]]:
        """Mark the tokens that start a sentence.

        docs (Iterable[Doc]): The documents, which are not modified.
        RETURNS (list[list[bool]]): For each document, for each token, whether it does.
        """
        starts = []
        for words in map(split_doc, docs):
            is_first = np.diff(words.places, prepend=-1) > 0  # no sentence starts within a token
            starts.append(self._find_starts(words.doc)[is_first].tolist())
        return starts

    def _find_starts(self, doc: Doc) -> Array:
        is_space = are_blank(doc)
        places = np.flatnonzero(~is_space)  # of the words; all that follows is about words
        found = np.zeros(len(doc), dtype=bool)
        if len(places):
            orth, *others, given, offsets = doc.to_array(ATTRIBUTES)[places].T
            is_punct, is_left, is_right, is_title, is_upper, spaced = (values == 1 for values in others)
            ends = np.isin(orth, np.array([doc.vocab.strings[mark] for mark in self.punct_chars], dtype=np.uint64))
            begins = np.flatnonzero(~(is_punct | ends))  # what is no punctuation can begin a sentence
            ends[_find_short_stops(doc, orth, is_title | is_upper)] = False
            starts = np.zeros(len(places), dtype=bool)
            starts[begins[np.diff(np.cumsum(ends)[begins], prepend=0) > 0]] = True
            # A straight mark opens with white space before it and none after it.
            spaced[:-1] |= np.diff(places) > 1
            opens = ~spaced & np.append(False, spaced[:-1]) & (not doc.has_unknown_spaces)
            _start_at_opening_marks(starts, is_punct & is_left & (~is_right | opens))
            breaks = find_breaks(doc.text) if is_space.any() else []
            if not self.overwrite:
                breaks += [Break(start, start) for start in offsets[given == 1].tolist()]
            _start_at_breaks(starts, breaks, offsets, begins)
            found[places] = starts
        found[1 : places[0] + 1 if len(places) else None] = False  # white space at the start belongs to the first
        found[:1] = True
        return found


def _find_short_stops(doc: Doc, orth: Array, is_capital: Array) -> Array:
    """The full stops between a title or an initial and a name, where the tokenizer made words of them: "DR. LEE"."""
    stops = np.flatnonzero(orth == doc.vocab.strings["."])
    stops = stops[(stops > 0) & (stops < len(orth) - 1)]
    stops = stops[is_capital[stops - 1] & is_capital[stops + 1]]
    titles, others = language_table(doc.vocab, ABBREVIATIONS), language_table(doc.vocab, FUNCTION_WORDS)
    candidates, found = set(stops.tolist()), set[int]()
    for stop in sorted(candidates):
        before, after = (doc.vocab.strings[orth[i]] for i in (stop - 1, stop + 1))
        if len(before) == 1:  # one letter alone may be anything: "Plan B"
            is_short = before != "I" and (stop - 2 in found or (stop + 2 in candidates and len(after) == 1))
        else:
            is_short = before.lower() in titles
        if is_short and after.lower() not in others:
            found.add(stop)
    return np.array(sorted(found), dtype=np.int64)


def _start_at_opening_marks(starts: Array, opens: Array) -> None:
    """Let each sentence start at the marks before its first word that open something."""
    for i in (np.flatnonzero(starts[1:] & opens[:-1]) + 1).tolist():
        first = i
        while first > 1 and opens[first - 1]:
            first -= 1
        starts[i], starts[first] = False, True


def _start_at_breaks(starts: Array, breaks: list[Break], offsets: Array, begins: Array) -> None:
    """Let a sentence start at each break, and none at its first word, behind marks such as that of an item."""
    firsts = np.searchsorted(offsets, [place.start for place in breaks])
    words = np.searchsorted(begins, np.searchsorted(offsets, [place.words for place in breaks]))
    for first, word in zip(firsts.tolist(), words.tolist(), strict=True):
        starts[first + 1 : begins[word] + 1 if word < len(begins) else None] = False
    starts[firsts[firsts < len(starts)]] = True
