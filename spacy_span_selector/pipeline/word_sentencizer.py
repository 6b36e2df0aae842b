"""The component `word_sentencizer`: spaCy's sentencizer, which puts boundaries at punctuation, without white space.

spaCy's own counts a line end as the first word of a sentence. So the same text has other sentences when it is wrapped:
in `"Go."\\n"Why?"` the second quotation mark begins a sentence, but without the line end it is the last of the first.
Here it begins a sentence in both: a mark that opens what follows belongs to it.

Beside punctuation the layout of a text begins sentences, at blank lines and at lines that stand alone. And what follows
a mark may tell that none ends there: a comma, or behind a closing mark a word in lower case. The full stop of an
abbreviation, part of its word in English ("Corp."), ends one only where the next word tells it, a function word with a
capital for example ("It"); an ellipsis where it has a capital.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.attrs import (
    IDX,
    IS_ALPHA,
    IS_LEFT_PUNCT,
    IS_LOWER,
    IS_PUNCT,
    IS_RIGHT_PUNCT,
    LOWER,
    ORTH,
    SENT_START,
    SPACY,
)
from spacy.lang.tokenizer_exceptions import emoticons
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..documents.cleaned import are_blank, split_doc
from ..documents.layout import Break, find_breaks
from ..documents.quotations import find_quotations
from ..language import ABBREVIATIONS, CAPITALISED_NAMES, FUNCTION_WORDS, SENTENCE_WORDS, SHORT_FORMS, language_table

Array = np.ndarray[Any, np.dtype[Any]]

ATTRIBUTES = [ORTH, LOWER, IS_ALPHA, IS_LOWER, SPACY, SENT_START, IDX]
ODD_NAMES = ("No", "Who")
"""Names behind titles, which are function words elsewhere."""
CLOSING = 3
"""So many closing marks in a row are looked behind."""


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
            orth, lower, *others, given, offsets = doc.to_array(ATTRIBUTES)[places].T
            is_alpha, is_lower, spaced = (values == 1 for values in others)
            odd = _OddWords(doc, orth, ~is_alpha)
            is_punct, is_left, is_right = map(odd.have, (IS_PUNCT, IS_LEFT_PUNCT, IS_RIGHT_PUNCT))
            ends = np.isin(orth, np.array([doc.vocab.strings[mark] for mark in self.punct_chars], dtype=np.uint64))
            behind = is_punct | ends | odd.are(emoticons.__contains__) | _find_references(odd)
            begins = np.flatnonzero(~behind)  # what is no punctuation can begin a sentence
            # A straight mark opens with white space before it and none after it.
            spaced[:-1] |= np.diff(places) > 1
            opens = ~spaced & np.append(False, spaced[:-1]) & (not doc.has_unknown_spaces)
            opens = is_punct & is_left & (~is_right | opens)
            _pair_marks(doc, odd, places, spaced, opens)
            if "." in self.punct_chars:
                _weigh_stops(doc, orth, lower, ends, begins, odd)
            closes = behind & ~ends & ~opens
            ends &= ~_lead(closes, odd.are({",", ";", ":"}.__contains__))
            ends &= ~_lead(closes, is_lower & ~behind, least=1)
            starts = _start_behind(ends, begins)
            starts[begins[:1]] = True
            ends[1:] &= ~(starts & odd.are(str.isdecimal))[:-1]  # that of an item: "2. Stir"
            starts = _start_behind(ends, begins)
            _start_at_opening_marks(starts, opens)
            breaks = find_breaks(doc.text) if is_space.any() else []
            if not self.overwrite:
                breaks += [Break(start, start) for start in offsets[given == 1].tolist()]
            _start_at_breaks(starts, breaks, offsets, begins)
            found[places] = starts
        found[1 : places[0] + 1 if len(places) else None] = False  # white space at the start belongs to the first
        found[:1] = True
        return found


class _OddWords:
    """The words that are not of letters alone, of which there are few different ones, by their texts."""

    def __init__(self, doc: Doc, orth: Array, is_odd: Array) -> None:
        different, self.which = np.unique(orth[is_odd], return_inverse=True)
        self.is_odd = is_odd
        self.lexemes = [doc.vocab[word] for word in different.tolist()]
        self.texts = [lexeme.text for lexeme in self.lexemes]

    def have(self, flag: int) -> Array:
        """Which words of the document have a flag of spaCy."""
        return self._spread([lexeme.check_flag(flag) for lexeme in self.lexemes])

    def are(self, test: Callable[[str], bool]) -> Array:
        """Which words of the document pass a test."""
        return self._spread(list(map(test, self.texts)))

    def _spread(self, facts: list[bool]) -> Array:
        found = np.zeros(len(self.is_odd), dtype=bool)
        found[self.is_odd] = np.array(facts, dtype=bool)[self.which]
        return found


def _start_behind(ends: Array, begins: Array) -> Array:
    """Let a sentence start at the first word behind each end."""
    starts = np.zeros(len(ends), dtype=bool)
    before = np.cumsum(ends) - ends  # a word may have the stop that ends its sentence
    starts[begins[np.diff(before[begins], prepend=0) > 0]] = True
    return starts


def _lead(closes: Array, what: Array, least: int = 0) -> Array:
    """The places before something, if only closing marks are between, of which there are so many at least."""
    found = np.zeros(len(what), dtype=bool)
    for marks in range(CLOSING + 1):
        what = np.append(what[1:], False)
        if marks >= least:
            found |= what
        what &= closes
    return found


def _find_references(odd: _OddWords) -> Array:
    """The words of references behind a sentence: "[7]"."""
    left, number, right = odd.are("[".__eq__), odd.are(lambda text: text[:1].isdecimal()), odd.are("]".__eq__)
    found = np.zeros(len(left), dtype=bool)
    whole = np.flatnonzero(left[:-2] & number[1:-1] & right[2:])
    found[whole[:, None] + np.arange(3)] = True
    return found


def _pair_marks(doc: Doc, odd: _OddWords, places: Array, spaced: Array, opens: Array) -> None:
    """Correct which marks open something, where their shape and the spaces around them do not tell or tell wrongly."""
    alone = odd.are('"'.__eq__) & ((spaced & np.append(True, spaced[:-1])) | doc.has_unknown_spaces)
    if alone.any() or odd.are(lambda text: text in "„‚»").any():
        words = np.cumsum(~are_blank(doc)) - 1
        for start, end, _ in find_quotations(doc):
            opens[words[start]], opens[words[end - 1]] = True, False


def _weigh_stops(doc: Doc, orth: Array, lower: Array, ends: Array, begins: Array, odd: _OddWords) -> None:
    """Decide for each stop of an abbreviation, and each ellipsis, by the next word whether a sentence ends there."""
    names = (SHORT_FORMS, ABBREVIATIONS, FUNCTION_WORDS, SENTENCE_WORDS)
    short_forms, titles, function_words, sentence_words = (language_table(doc.vocab, name) for name in names)
    if not len(function_words):
        return
    strings = doc.vocab.strings
    stops, dots = odd.are(".".__eq__), odd.are(lambda text: text == "…" or (len(text) > 1 and text.endswith(".")))
    dots[1:] |= stops[1:] & stops[:-1]  # ". . ."
    split = np.append(False, np.isin(lower[:-1], [*short_forms, *titles])) & stops & ~dots  # of a word before it
    split &= ~np.append(False, np.isin(lower[:-1], [*titles]) & (lower == orth)[:-1])  # "the doc."
    split |= _find_initials(doc, orth, stops)
    places = np.flatnonzero(dots | split)
    following = np.searchsorted(begins, places, side="right")
    for i, k in zip(places.tolist(), following.tolist(), strict=True):
        if k == len(begins):
            break
        short, word = strings[orth[i - split[i]]].rstrip(".…"), strings[orth[begins[k]]]
        kind, what = short_forms.get(short.lower()), sentence_words.get(word.lower())
        if kind == "number" and not word[0].isdecimal():
            continue
        if not word[0].isupper() or kind == "never":
            ends[i] = False
        elif not short:
            ends[i] = word != "I"
        elif kind == "time" or any(map(str.isdecimal, short)):  # "at 5C." is no abbreviation
            ends[i] = what != "calendar"
        else:
            ends[i] = what == "opener" or (word.lower() in function_words and word not in CAPITALISED_NAMES)
            ends[i] &= not (word in ODD_NAMES and short.lower() in titles)


def _find_initials(doc: Doc, orth: Array, stops: Array) -> Array:
    """The stops behind initials, where the tokenizer made words of them: "J . R . Smith". One letter alone may be
    anything: "Plan B"."""
    letters = np.zeros(len(orth), dtype=bool)
    before = np.flatnonzero(stops[1:])
    texts = (doc.vocab.strings[word] for word in orth[before].tolist())
    letters[before] = [len(text) == 1 and text.isupper() for text in texts]
    row = letters & (
        np.append(letters[2:], [False] * 2)[: len(orth)] | np.append([False] * 2, letters[:-2])[: len(orth)]
    )
    return np.append(False, row[:-1])


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
