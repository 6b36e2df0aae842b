"""Which words of a document stand in quotation marks, found from the text alone.

Quotation marks are not reliable: a text may leave out a closing one, or repeat the opening one in each paragraph of a
speech; straight marks do not say on which side they stand; and `'` may be an apostrophe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from spacy.attrs import IS_PUNCT, IS_QUOTE, ORTH
from spacy.tokens import Doc

DOUBLE, SINGLE = '"＂“”„‟«»「」『』〝〞〟', "'‘’‚‛‹›`"
OPENING, CLOSING = "“„‟«「『〝‘‚‛‹`", "”»」』〞〟’›"
LONGEST = 300
"""A quotation ends so many words behind its last opening mark, or is none: of 1,765 in LitBank, 7 are longer."""

Mark = tuple[int, bool, bool]
"""The token of a mark, and whether it can open and whether it can close a quotation."""


def quotation_numbers(doc: Doc) -> np.ndarray:
    """A number for the quotation of each token, from 1, its marks included; 0 outside quotations. Shape: (tokens,)

    A quotation within another is part of it. Single marks count in a document that has more quotations in them than in
    double ones, as many British novels do.

    doc (Doc): The document.
    """
    quotes = _quotes(doc)
    double, single = (_number(_marks(doc, quotes, kind), len(doc)) for kind in (DOUBLE, SINGLE))
    return single if single.max(initial=0) > double.max(initial=0) else double


def _quotes(doc: Doc) -> list[tuple[int, str]]:
    """The tokens that are nothing but quotation marks, each with its marks, turned as English has them."""
    orth, is_punct, is_quote = doc.to_array([ORTH, IS_PUNCT, IS_QUOTE]).T
    places = np.flatnonzero(is_punct | is_quote)
    words, word_of_place = np.unique(orth[places], return_inverse=True)  # few, so that few strings are looked at
    texts = [doc.vocab.strings[word].replace("``", '"').replace("''", '"') for word in words.tolist()]
    is_mark = np.array([set(text) <= {*DOUBLE, *SINGLE} for text in texts], dtype=bool)[word_of_place]
    quotes = [(i, texts[k]) for i, k in zip(places[is_mark].tolist(), word_of_place[is_mark].tolist(), strict=True)]
    marks = "".join(text for _, text in quotes)
    turned = str.maketrans("“‘", "”’") if "„" in marks or "‚" in marks else {}  # „German“
    if any(-1 < marks.find(right) < marks.find(left) for left, right in ("«»", "‹›")):  # »German«
        turned |= str.maketrans("«»‹›", "»«›‹")
    return [(i, text.translate(turned)) for i, text in quotes]


def _marks(doc: Doc, quotes: Iterable[tuple[int, str]], kind: str) -> Iterator[Mark]:
    """The marks of one kind. Spaces tell on which side of a quotation one stands, or its shape, or nothing does."""
    for i, text in quotes:
        mark = next((character for character in text if character in kind), None)
        if mark is None or (mark == "'" and i > 0 and not doc[i - 1].is_punct):  # an apostrophe stands behind a letter
            continue
        before = i == 0 or bool(doc[i - 1].whitespace_)
        behind = i + 1 == len(doc) or bool(doc[i].whitespace_)
        if before != behind and not doc.has_unknown_spaces:
            yield i, before, behind
        else:
            yield i, mark not in CLOSING, mark not in OPENING


def _number(marks: Iterable[Mark], tokens: int) -> np.ndarray:
    """Number the tokens from each mark that opens a quotation to the next one that closes it."""
    numbers = np.zeros(tokens, dtype=np.int64)
    count, first, last = 0, None, 0  # `last` is the last opening mark, of the quotation that begins with `first`
    for i, opens, closes in marks:
        if first is not None and i - last > LONGEST:
            first = None
        if first is None:
            first, last = (i, i) if opens else (None, 0)
        elif closes:
            count += 1
            numbers[first : i + 1] = count
            first = None
        else:
            last = i
    if first is not None and tokens - last <= LONGEST:  # the document ends within a quotation
        numbers[first:] = count + 1
    return numbers
