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

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.attrs import IDX, IS_ALPHA, IS_LOWER, LOWER, ORTH, SENT_START, SPACY
from spacy.lang.tokenizer_exceptions import emoticons
from spacy.language import Language
from spacy.lexeme import Lexeme
from spacy.lookups import Table
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..documents.cleaned import split_doc
from ..documents.layout import Break, find_breaks
from ..documents.quotations import find_quotations
from ..language import ABBREVIATIONS, CAPITALISED_NAMES, FUNCTION_WORDS, SENTENCE_WORDS, SHORT_FORMS, language_table

Array = np.ndarray[Any, np.dtype[Any]]

ATTRIBUTES = [ORTH, LOWER, IS_ALPHA, IS_LOWER, SPACY, SENT_START, IDX]
ODD_NAMES = ("No", "Who")
"""Names behind titles, which are function words elsewhere."""
CLOSING = 3
"""So many closing marks in a row are looked behind."""
TABLES = (SHORT_FORMS, ABBREVIATIONS, FUNCTION_WORDS, SENTENCE_WORDS)


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
        """Mark the tokens that start a sentence."""
        starts = []
        for words in map(split_doc, docs):
            is_first = np.diff(words.places, prepend=-1) > 0  # no sentence starts within a token
            starts.append(self._find_starts(words.doc, np.flatnonzero(~words.is_blank))[is_first].tolist())
        return starts

    def _find_starts(self, doc: Doc, places: Array) -> Array:
        """Find which tokens of a document start a sentence, by its words, which have these places."""
        found = np.zeros(len(doc), dtype=bool)
        words = _Words(doc, places)
        starts, begins = self._start_at_punctuation(words)
        breaks = find_breaks(doc.text) if len(places) < len(doc) else []
        if not self.overwrite:
            breaks += [Break(start, start) for start in words.offsets[words.given].tolist()]
        _start_at_breaks(starts, breaks, words.offsets, begins)
        found[places[1:]] = starts[1:]  # white space at the start belongs to the first sentence
        found[:1] = True
        return found

    def _start_at_punctuation(self, words: _Words) -> tuple[Array, Array]:
        """Find which words start a sentence, and the places of those that can begin one, as they are no punctuation."""
        strings = words.doc.vocab.strings
        ends = np.isin(words.orth, np.array([strings[mark] for mark in self.punct_chars], dtype=np.uint64))
        behind = ends | words.are(lambda word: word.is_punct or word.text in emoticons) | _find_references(words)
        begins = np.flatnonzero(~behind)
        if "." in self.punct_chars:
            _weigh_stops(words, ends, begins)
        opens = _find_opening_marks(words)
        closes = behind & ~ends & ~opens
        ends &= ~_lead(closes, words.are(lambda word: word.text in {",", ";", ":"}))
        ends &= ~_shift(closes & _lead(closes, words.is_lower & ~behind), -1)
        starts = _start_behind(ends, begins, np.zeros_like(opens))
        starts[begins[:1]] = True
        ends &= ~_shift(starts & words.are(lambda word: word.text.isdecimal()), 1)  # that of an item: "2. Stir"
        return _start_behind(ends, begins, opens), begins


class _Words:
    """Facts of the words of a document, each an array: `spaced`, if white space is behind them."""

    def __init__(self, doc: Doc, places: Array) -> None:
        self.doc, self.places = doc, places
        self.orth, self.lower, *facts, self.offsets = doc.to_array(ATTRIBUTES).reshape(-1, len(ATTRIBUTES))[places].T
        is_alpha, self.is_lower, self.spaced, self.given = (values == 1 for values in facts)
        self.spaced[:-1] |= np.diff(places) > 1
        self._odd = ~is_alpha
        forms, self._form_of = np.unique(self.orth[self._odd], return_inverse=True)
        self._lexemes = [doc.vocab[form] for form in forms.tolist()]

    def are(self, test: Callable[[Lexeme], bool]) -> Array:
        """Which words pass a test, of those that are not of letters alone: there are few different ones."""
        found = np.zeros(len(self.orth), dtype=bool)
        found[self._odd] = np.array([test(lexeme) for lexeme in self._lexemes], dtype=bool)[self._form_of]
        return found


def _shift(facts: Array, by: int) -> Array:
    """What is the case so many words before each, or behind it with a minus; False where there is none."""
    return np.pad(facts, (by, 0))[: len(facts)] if by > 0 else np.pad(facts, (0, -by))[-by:]


def _start_behind(ends: Array, begins: Array, opens: Array) -> Array:
    """Let a sentence start at the first word behind each end, or at the marks before this word that open something."""
    starts = np.zeros(len(ends), dtype=bool)
    before = np.cumsum(ends) - ends  # a word may have the stop that ends its sentence
    firsts = begins[np.diff(before[begins], prepend=0) > 0]
    others = np.append(0, np.flatnonzero(~opens[1:]) + 1)
    starts[others[np.searchsorted(others, firsts) - 1] + 1] = True
    return starts


def _lead(closes: Array, what: Array) -> Array:
    """The places before something, if only closing marks are between."""
    found = _shift(what, -1)
    for _ in range(CLOSING):
        found |= _shift(closes & found, -1)
    return found


def _find_references(words: _Words) -> Array:
    """The words of references behind a sentence: "[7]"."""
    left, right = words.are(lambda word: word.text == "["), words.are(lambda word: word.text == "]")
    whole = left & _shift(words.are(lambda word: word.text[0].isdecimal()), -1) & _shift(right, -2)
    return whole | _shift(whole, 1) | _shift(whole, 2)


def _find_opening_marks(words: _Words) -> Array:
    """The marks that open something, by their shape and the spaces around them, or by turns where these mislead."""
    doc, before = words.doc, np.append(True, words.spaced[:-1])
    shaped, straight = words.are(lambda w: w.is_punct and w.is_left_punct), words.are(lambda w: w.is_right_punct)
    # A straight mark opens with white space before it and none after it.
    opens = shaped & (~straight | (~words.spaced & before & (not doc.has_unknown_spaces)))
    alone = words.are(lambda word: word.text == '"') & ((words.spaced & before) | doc.has_unknown_spaces)
    if alone.any() or words.are(lambda word: word.text in "„‚»").any():
        for start, end, _ in find_quotations(doc):
            first, behind = np.searchsorted(words.places, (start, end)).tolist()
            opens[first], opens[behind - 1] = True, False
    return opens


def _weigh_stops(words: _Words, ends: Array, begins: Array) -> None:
    """Decide for each stop of an abbreviation, and each ellipsis, by the next word whether a sentence ends there."""
    tables, strings = [language_table(words.doc.vocab, name) for name in TABLES], words.doc.vocab.strings
    if not len(language_table(words.doc.vocab, FUNCTION_WORDS)):
        return
    stops = words.are(lambda word: word.text == ".")
    dots = words.are(lambda word: word.text == "…" or (len(word.text) > 1 and word.text[-1] == "."))
    dots |= stops & _shift(stops, 1)  # ". . ."
    split = _find_split_stops(words, stops & ~dots, *tables[:2])
    places = np.flatnonzero(dots | split)
    following = np.searchsorted(begins, places, side="right")
    for i, k in zip(places.tolist(), begins[following[following < len(begins)]].tolist(), strict=False):
        ended = _ends_before(strings[words.orth[k]], strings[words.orth[i - split[i]]].rstrip(".…"), tables)
        ends[i] = ends[i] if ended is None else ended


def _find_split_stops(words: _Words, stops: Array, short_forms: Table, titles: Table) -> Array:
    """The stops that the tokenizer took from a short form, or from initials: "J . R . Smith". One letter alone may be
    anything: "Plan B"."""
    before = np.flatnonzero(_shift(stops, -1))
    orth, lower = words.orth[before], words.lower[before]
    is_short, is_title = (np.isin(lower, np.array([*table], dtype=np.uint64)) for table in (short_forms, titles))
    letters, found = np.zeros((2, len(stops)), dtype=bool)
    texts = [words.doc.vocab.strings[word] for word in orth.tolist()]
    letters[before] = [len(text) == 1 and text.isupper() for text in texts]
    found[before] = np.where(is_title, lower != orth, is_short)  # "the doc."
    return _shift(found | (letters & (_shift(letters, 2) | _shift(letters, -2))), 1)


def _ends_before(word: str, short: str, tables: Sequence[Table]) -> bool | None:
    """Check whether a sentence ends between a short form, "" for an ellipsis, and a word; None if that is open."""
    short_forms, titles, function_words, sentence_words = tables
    kind, what = short_forms.get(short.lower()), sentence_words.get(word.lower())
    if kind == "number" and not word[0].isdecimal():
        return None
    if not word[0].isupper() or kind == "never":
        return False
    if not short:
        return word != "I"
    if kind == "time" or any(map(str.isdecimal, short)):  # "at 5C." is no abbreviation
        return bool(what != "calendar")
    if word in ODD_NAMES and short.lower() in titles:
        return False
    return what == "opener" or (word.lower() in function_words and word not in CAPITALISED_NAMES)


def _start_at_breaks(starts: Array, breaks: list[Break], offsets: Array, begins: Array) -> None:
    """Let a sentence start at each break, and none at its first word, behind marks such as that of an item."""
    firsts = np.searchsorted(offsets, [place.start for place in breaks])
    words = np.searchsorted(begins, np.searchsorted(offsets, [place.words for place in breaks]))
    for first, word in zip(firsts.tolist(), words.tolist(), strict=True):
        starts[first + 1 : begins[word] + 1 if word < len(begins) else None] = False
    starts[firsts[firsts < len(starts)]] = True
