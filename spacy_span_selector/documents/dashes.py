"""Find dialogue behind dashes: paragraphs that begin with one, without the tags in them.

Where a language has verbs of speech, one of them with its subject behind a mark begins a tag: "— I do not know, said
her brother. I never saw it." Elsewhere only dashes tell: "— Нет, — сказал он. — Я знаю.", "—No sé —dijo ella—. Ven."
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np
from spacy.attrs import IS_SPACE, ORTH
from spacy.tokens import Doc

from ..language import FUNCTION_WORDS, SPEECH_VERBS, language_table

Span = tuple[int, int]

DASHES = ("—", "–", "―", "--")
STOPS = frozenset({".", "!", "?", "…", "..."})
BEFORE_TAG = STOPS - {"."} | {","}
FEWEST, PER_QUOTATION, PER_STOP, PER_RESUMED = 3, 4, 3, 8
"""A dialogue has so many paragraphs, or a tag; so many for each quotation in marks; one of so many ends with a mark,
else they are a list; and if one of so many has a dash where speech goes on behind a tag, nothing goes on without."""
LONGEST_SUBJECT, LONGEST_CLAUSE = 6, 60
SUBJECTS = frozenset({"he", "she", "they", "i", "we", "his", "her", "their", "my", "our"})
NARRATES = frozenset({"with", "in", "as", "after", "who", "whose", "his", "her", "their"})
"""Behind the comma of a tag these, participles and adverbs go on with it; a clause with one of `TALKS` is speech."""
TALKS = frozenset({"i", "you", "we", "my", "your", "our", "me", "us"})


def find_dialogue(doc: Doc, ends: Sequence[int], n_quotations: int) -> list[Span]:
    """The speech of the paragraphs that begin with a dash, or of the sentences where paragraphs are not known.

    ends (Sequence[int]): The tokens between paragraphs, in order.
    """
    behind, lasts = [end + 1 for end in ends], ends
    if not ends:
        stops = [doc.vocab.strings[mark] for mark in sorted(STOPS | {":"})]
        behind = lasts = (np.flatnonzero(np.isin(doc.to_array([ORTH]), stops)) + 1).tolist()
    spans = [
        (start, end)
        for start, end in zip([0, *behind], [*lasts, len(doc)], strict=True)
        if end - start > 1 and doc[start].text.startswith(DASHES)
    ]
    if not spans or len(spans) < PER_QUOTATION * n_quotations:
        return []
    turns = [start for start, _ in spans if not doc[start + 1].is_lower]
    if not ends and spans[0][0] == 0 and not doc.has_unknown_spaces and len(turns) < FEWEST:
        spans = [(0, len(doc))]  # one paragraph is the whole text
    places = np.flatnonzero(doc.to_array([IS_SPACE]) == 0)  # of the words: lines may end anywhere
    spans = np.searchsorted(places, spans).tolist()
    finder = _TagFinder(doc, places.tolist(), spans)
    parts = [part for start, end in spans for part in finder.without_tags(start, end)]
    ending = sum(not finder.words[end - 1][-1].isalnum() and finder.words[end - 1] not in ",;" for _, end in spans)
    if (len(spans) < FEWEST and parts == [*map(tuple, spans)]) or ending * PER_STOP < len(spans):
        return []
    return [(int(places[start]), int(places[end - 1]) + 1) for start, end in parts]


class _TagFinder:
    """Tells tags from speech, in the words of a document.

    places (list[int]): Where these are, without white space.
    paragraphs (Sequence[Sequence[int]]): Words; the first one is a dash, the end is exclusive.
    """

    def __init__(self, doc: Doc, places: list[int], paragraphs: Sequence[Sequence[int]]) -> None:
        self.words = [doc[i].text for i in places]
        self.spaced = [bool(doc[i].whitespace_) or i + 1 < k for i, k in zip(places, [*places[1:], 0], strict=True)]
        self.encloses = not doc.has_unknown_spaces
        self.verbs = language_table(doc.vocab, SPEECH_VERBS)
        self.function_words = language_table(doc.vocab, FUNCTION_WORDS)
        self.next_dash = [len(places)] * (len(places) + 1)
        for i in reversed(range(len(places))):
            self.next_dash[i] = i if self.words[i] in DASHES else self.next_dash[i + 1]
        resumed = sum(any(map(self._resumes, range(start + 1, end))) for start, end in paragraphs)
        self.is_resuming = PER_RESUMED * resumed >= len(paragraphs)

    def without_tags(self, start: int, end: int) -> list[Span]:
        """The parts of a paragraph which are spoken."""
        parts, first, i = [], start, start + 2
        while i < end:
            if tag_end := self._tag_end(i, end):
                parts.append((first, i))
                first = tag_end
            i = max(i + 1, tag_end)
        return [*parts, (first, end)] if first < end else parts

    def _tag_end(self, i: int, end: int) -> int:
        """Where the narration ends that begins at a word; 0 if none does."""
        mark, is_dash = self.words[i - 1], self.words[i] in DASHES
        if i + is_dash >= end or not (is_dash or mark in BEFORE_TAG):
            return 0
        if is_dash and not self.verbs:
            return self._enclosed(i, end)
        head = self._head(i + is_dash, end, mark)
        if not head:
            return 0
        resumed = min(self.next_dash[head], end)
        if is_dash or (resumed < end and self._resumes(resumed)):
            return min(resumed + 1, end)
        return self._stop(head, min(resumed + 1, end), mark)

    def _resumes(self, i: int) -> bool:
        return self.words[i] in DASHES and self.words[i - 1] in STOPS

    def _dashes(self, i: int, end: int) -> Iterator[int]:
        while (i := self.next_dash[i]) < end:
            yield i
            i += 1

    def _enclosed(self, i: int, end: int) -> int:
        """The end of a tag behind a dash: another dash, or that of the paragraph."""
        dashes = self._dashes(i + 1, end)
        if self.encloses and self.spaced[i - 1] and not self.spaced[i]:  # as in Spanish
            close = next((k for k in dashes if not self.spaced[k - 1]), end - 1) + 1
            return close + (close < end and self.words[close] in ".,;:")
        if not self.words[i + 1][0].islower():
            return 0
        if self.words[i - 1] in BEFORE_TAG:
            return next((k + 1 for k in dashes if not self.words[k - 1][-1].isalnum()), end)
        close = next(dashes, end)
        return close + 1 if close < end and self._resumes(close) else 0  # as in Polish

    def _head(self, i: int, end: int, mark: str) -> int:
        """The end of the verb of speech and its subject, in either order; 0 if there are none."""
        words = self.words
        if self._is_verb(i):
            return i + 2 if i + 1 < end and self._is_of_subject(words[i + 1]) else 0
        is_sure = mark in STOPS and words[i][0].islower()
        if not (is_sure or words[i][0].isupper() or self._is_of_subject(words[i], first=True)):
            return 0
        for k in range(i + 1, min(i + LONGEST_SUBJECT, end)):
            if self._is_verb(k):
                return k + 1 if is_sure or k + 1 == end or self._is_behind_verb(k + 1, end) else 0
            kind = self.function_words.get(words[k].lower())
            if not words[k][0].isalpha() or kind in ("AUX", "SCONJ", "CCONJ", "PRON"):
                return 0
        return 0

    def _is_verb(self, i: int) -> bool:
        """Check whether a word is a form of a verb of speech, but no imperative: not "say"."""
        word = self.words[i]
        return self.verbs.get(word, word) != word

    def _is_of_subject(self, word: str, first: bool = False) -> bool:
        """Check whether a word may begin a subject behind its verb, or, if it comes first, before it."""
        kind = self.function_words.get(word)
        is_open = not first and (word[0].isupper() or (kind is None and word.isalpha()))
        return is_open or word in SUBJECTS or kind == "DET"

    def _is_behind_verb(self, i: int, end: int) -> bool:
        """Check whether a word can follow "he said" in a tag: no object or clause, as in "he said so"."""
        word, kind = self.words[i], self.function_words.get(self.words[i])
        return (
            not word[0].isalnum()
            or word.endswith(("ly", "ing"))
            or kind in ("ADP", "ADV")
            or (kind == "PRON" and i + 1 < end and not self.words[i + 1][0].isalnum())
        )

    def _stop(self, i: int, end: int, mark: str) -> int:
        """Where a tag ends whose end no dash tells: with its sentence, or at a comma behind which speech goes on."""
        for k in range(i + 1, end):
            word = self.words[k - 1]
            if word in STOPS:
                return end if self.is_resuming else k
            if word == ":" or (
                word in (",", ";") and self._is_spoken(self.words[k : min(end, k + LONGEST_CLAUSE)], mark)
            ):
                return k
        return end

    def _is_spoken(self, words: Sequence[str], mark: str) -> bool:
        """Check whether words behind a comma of a tag are speech, by what quoted dialogue has there."""
        word = words[0].lower()
        kind = self.function_words.get(word)
        if word in NARRATES or (kind is None and word.endswith(("ing", "ly", "ed"))):
            return False
        clause = takewhile(lambda other: other not in STOPS and other not in ":;", words)
        if words[0][0].isupper() or not TALKS.isdisjoint(other.lower() for other in clause):
            return True
        return mark == "," and word != "and" and kind not in ("SCONJ", None)
