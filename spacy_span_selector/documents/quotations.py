"""Find quotations in a text: words in quotation marks, or behind the dash of a dialogue.

Quotation marks are not reliable: a text may leave out a closing one, or repeat the opening one in each paragraph of a
speech; straight marks do not say on which side they stand; and `'` and `’` may be apostrophes. Spaces and paragraphs
help where they are known.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import IS_PUNCT, IS_SPACE, ORTH
from spacy.tokens import Doc

from ..annotation.structure import blank_lines
from .dashes import DASHES, find_dialogue

DOUBLE, SINGLE = '"＂“”„‟〝〞〟', "'‘’‚‛`"
FAMILIES = (DOUBLE, "«»", "「」", "『』", "‹›", SINGLE)
"""Marks that belong together: one of a family does not end a quotation that one of another has begun."""
OPENING, CLOSING = "“„‟«「『〝‘‚‛‹`", "”»」』〞〟’›"
MARKS = frozenset("".join(FAMILIES))
LONGEST = 300
"""Without paragraphs, a quotation ends so many words behind its last opening mark, or is none: of 1,765 in LitBank, 7
are longer."""
Span = tuple[int, int]


class FoundQuotation(NamedTuple):
    """A quotation: token offsets, marks included, end exclusive.

    level (int): 0, or 1 within another quotation.
    """

    start: int
    end: int
    level: int = 0


class Mark(NamedTuple):
    """A quotation mark.

    token (int): Where it is.
    opens, closes (bool): What it may do, as far as its shape and the spaces around it tell.
    weak (bool): Whether it may also be the apostrophe of the word before it.
    """

    token: int
    opens: bool
    closes: bool
    weak: bool


class Quote(NamedTuple):
    """A token that is nothing but quotation marks, and what is around it.

    behind_word (bool): Whether the token before is neither punctuation nor white space.
    before, behind (bool): Whether there is white space, or the end of the document.
    """

    token: int
    text: str
    behind_word: bool
    before: bool
    behind: bool


class Words(NamedTuple):
    """Facts of the tokens of a document.

    n_words (int): Their number.
    quotes (list[Quote]): Those that are quotation marks.
    line_ends, paragraph_ends (list[int]): Those of white space with a line end, and with an empty line.
    """

    n_words: int
    quotes: list[Quote]
    line_ends: list[int]
    paragraph_ends: list[int]


def quotation_numbers(doc: Doc) -> np.ndarray:
    """A number for the quotation of each token, from 1, its marks included; 0 outside quotations. Shape: (tokens,)

    A quotation within another is part of it.
    """
    numbers = np.zeros(len(doc), dtype=np.int64)
    outer = (quotation for quotation in find_quotations(doc) if quotation.level == 0)
    for number, (start, end, _) in enumerate(outer, start=1):
        numbers[start:end] = number
    return numbers


def find_quotations(doc: Doc) -> list[FoundQuotation]:
    """The quotations of a document, in the order of the text, outer ones first.

    Single marks count outside of double ones in a document that has more words in them, as many British novels do.
    Titles, and words in marks for another reason, are found too. Where the text has empty lines, a quotation that is
    not closed ends with its paragraph, unless the next one opens it again. In a text with hardly any quotation marks,
    paragraphs that begin with a dash are quotations, without their tags (`dashes.py`).
    """
    words = _words(doc)
    characters = {character for quote in words.quotes for character in quote.text}
    marks = {family: _marks(doc, words.quotes, family) for family in FAMILIES if not characters.isdisjoint(family)}
    spans = {family: _pair(marks[family], words) for family in marks}
    main = max(spans, key=lambda family: sum(end - start for start, end in spans[family]), default="")
    outer, inner = spans.get(main, []), list[Span]()
    for family in marks:
        if family != main:
            inside, outside = _split(marks[family], outer)
            inner += [span for part in inside for span in _pair(part, words, only_closed=True)]
            if family != SINGLE:  # outside of quotations, these are apostrophes rather than marks
                outer = sorted([*outer, *(span for part in outside for span in _pair(part, words, only_closed=True))])
    dashes = find_dialogue(doc, words.paragraph_ends or words.line_ends, len(outer))
    if dashes:
        quoted = np.zeros(len(doc) + 1, dtype=np.int64)
        for number, (start, end) in enumerate(dashes, start=1):
            quoted[start:end] = number
        inner += [(start, end) for start, end in outer if 0 < quoted[start] == quoted[end - 1]]
        outer = dashes + [(start, end) for start, end in outer if not quoted[start:end].any()]
    found = [FoundQuotation(*span) for span in outer] + [FoundQuotation(*span, level=1) for span in inner]
    return sorted(found, key=lambda quotation: (quotation.start, -quotation.end, quotation.level))


def _words(doc: Doc) -> Words:
    orth, is_punct, is_space = doc.to_array([ORTH, IS_PUNCT, IS_SPACE]).T
    is_mark = is_punct != 0
    for text in ("`", "``"):  # which are no punctuation for spaCy
        is_mark |= orth == doc.vocab.strings[text]
    places, texts = _texts(doc, orth, is_mark, lambda text: set(text) <= MARKS)
    texts = [text.replace("``", '"').replace("''", '"') for text in texts]
    marks = "".join(texts)
    turned = str.maketrans("“‘", "”’") if "„" in marks or "‚" in marks else {}  # „German“
    if any(-1 < marks.find(right) < marks.find(left) for left, right in ("«»", "‹›")):  # »German«
        turned |= str.maketrans("«»‹›", "»«›‹")
    before, behind = np.maximum(places - 1, 0), np.minimum(places + 1, len(doc) - 1)
    spaced = [
        (bool(doc[i].whitespace_), bool(doc[k].whitespace_))
        for i, k in zip(before.tolist(), places.tolist(), strict=True)
    ]
    space_before, space_behind = np.array(spaced, dtype=bool).reshape(-1, 2).T
    is_first, is_last = places == 0, places == len(doc) - 1
    around = (
        (is_punct[before] | is_space[before] | is_first) == 0,
        is_first | space_before | (is_space[before] != 0),
        is_last | space_behind | (is_space[behind] != 0),
    )
    texts = [text.translate(turned) for text in texts] if turned else texts
    quotes = list(map(Quote, places.tolist(), texts, *(each.tolist() for each in around)))
    line_ends, _ = _texts(doc, orth, is_space != 0, lambda text: "\n" in text)
    return Words(len(doc), quotes, line_ends.tolist(), blank_lines(doc))


def _texts(doc: Doc, orth: np.ndarray, among: np.ndarray, take: Callable[[str], bool]) -> tuple[np.ndarray, list[str]]:
    """The places of the tokens among some whose texts are taken, and these: there are few different ones to look at."""
    places = np.flatnonzero(among)
    different, which = np.unique(orth[places], return_inverse=True)
    texts = [doc.vocab.strings[word] for word in different.tolist()]
    taken = np.array([take(text) for text in texts], dtype=bool)[which]
    return places[taken], [texts[k] for k in which[taken].tolist()]


def _marks(doc: Doc, quotes: Sequence[Quote], family: str) -> list[Mark]:
    """The marks of a family. Spaces tell on which side of a quotation one stands, or its shape, or nothing does."""
    marks = []
    characters = {character for quote in quotes for character in quote.text}
    has_left = "‘" in characters  # then `’` opens nothing, but may stand before "tis"
    shaped = family in ("«»", "‹›") and characters.issuperset(family)  # and may have spaces on both sides, in French
    spaces_known = not (doc.has_unknown_spaces or shaped)
    for i, text, behind_word, before, behind in quotes:
        mark = text if text in family else next((character for character in text if character in family), "")
        if not mark or (mark == "'" and behind_word and not spaces_known):  # an apostrophe
            continue
        opens, closes = mark not in CLOSING, mark not in OPENING
        if spaces_known:
            if not (before or behind) and ((opens and closes) or family == SINGLE):
                before, behind = not behind_word, doc[i + 1].is_punct or doc[i + 1].text.startswith(DASHES)
                if family == SINGLE and not (before or behind):  # within a word
                    continue
            if before != behind:
                opens, closes = before and not (mark == "’" and has_left), behind
        if opens or closes:
            marks.append(Mark(i, opens, closes, weak=family == SINGLE and behind_word))
    return marks


def _pair(marks: Sequence[Mark], words: Words, only_closed: bool = False) -> list[Span]:
    """Find the quotations from each mark that opens one to the next one that closes it."""
    spans: list[Span] = []
    firm = _next_firm(marks)
    first, limit = -1, 0  # the quotation that is open begins with `first`, and reaches to `limit` at most
    for k, mark in enumerate(marks):
        if first >= 0 and mark.token >= limit and not _goes_on(mark, limit, words):
            if words.paragraph_ends and not only_closed:
                spans.append((first, limit))
            first = -1
        if first < 0:
            if mark.opens:
                first, limit = mark.token, _limit(mark.token, words)
        elif mark.closes:
            end = firm[k]
            if not mark.weak or end is None or not end.closes or end.opens or end.token >= limit:
                spans.append((first, mark.token + 1))
                first = -1
        else:
            limit = _limit(mark.token, words)
    if first >= 0 and not only_closed and (words.paragraph_ends or limit > words.n_words):
        spans.append((first, min(limit, words.n_words)))  # the document ends within a quotation
    return spans


def _next_firm(marks: Sequence[Mark]) -> list[Mark | None]:
    """For each mark, the next one that opens a quotation or is no apostrophe."""
    firm: list[Mark | None] = []
    last: Mark | None = None
    for mark in reversed(marks):
        firm.append(last)
        if mark.opens or not mark.weak:
            last = mark
    return firm[::-1]


def _limit(token: int, words: Words) -> int:
    """The last possible end of a quotation with an opening mark at this token."""
    if not words.paragraph_ends:
        return token + LONGEST + 1
    ends = words.paragraph_ends
    k = bisect_left(ends, token)
    return ends[k] if k < len(ends) else words.n_words


def _goes_on(mark: Mark, limit: int, words: Words) -> bool:
    """Check whether a mark opens a quotation again in the paragraph behind `limit`, as its first or second word."""
    return bool(words.paragraph_ends) and mark.opens and mark.token <= limit + 2


def _split(marks: Sequence[Mark], spans: Sequence[Span]) -> tuple[list[list[Mark]], list[list[Mark]]]:
    """The marks within each span that has some; and those in each gap between spans that has some."""
    inside: dict[int, list[Mark]] = {}
    outside: dict[int, list[Mark]] = {}
    k = 0
    for mark in marks:
        while k < len(spans) and spans[k][1] <= mark.token:
            k += 1
        parts = inside if k < len(spans) and spans[k][0] <= mark.token else outside
        parts.setdefault(k, []).append(mark)
    return list(inside.values()), list(outside.values())
