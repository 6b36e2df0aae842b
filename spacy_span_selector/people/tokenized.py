"""Documents from texts, in a time that grows as the text does.

spaCy's tokenizer takes punctuation off both ends of a chunk without white space mark by mark, and looks at all that is
left of it for each. So a long run of marks takes the square of its length: 4,000 times "=" several seconds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

LONG = 64
LONG_CHUNK = re.compile(rf"\S{{{LONG + 1},}}")
"""A chunk that may take long. Shorter ones are left to spaCy, and so are those with few affixes."""

FEW = 32

LONGEST = 1_000
"""Longer chunks are cut, as there is more than affixes that takes the square: searching them for an address does."""

WINDOW, MARGIN = 8, 4
"""The characters at an end that are searched for an affix, unless it comes near the end of them."""

Token = tuple[str, bool, int]
"""The text of a token, whether a space follows, and its norm."""


def make_doc(nlp: Language, text: str) -> Doc:
    """Split a text into tokens as `nlp.make_doc` does, but fast whatever it is.

    Two things may differ. A chunk without white space of more than a thousand characters is cut, though not between
    letters or digits, so that a token may end there. Of dozens of marks at the ends of a chunk each is a token, also
    of those that would be a smiley.

    nlp (Language): The pipeline. Its tokenizer is called as it is if it is none of spaCy's usual ones.
    RAISES (ValueError): If the text is longer than the pipeline allows.
    """
    if type(nlp.tokenizer) is not Tokenizer or len(text) > nlp.max_length:
        return nlp.make_doc(text)
    tokens: list[Token] = []
    done = 0
    for match in LONG_CHUNK.finditer(text):
        pieces = [_take_off_affixes(nlp.tokenizer, piece) for piece in _cut(match[0])]
        if pieces == [([], match[0], [])]:
            continue
        tokens += _read_tokens(nlp.tokenizer(text[done : match.start()]))
        for before, rest, after in pieces:
            tokens += [(word, False, nlp.vocab[word].norm) for word in before]
            tokens += _read_tokens(nlp.tokenizer(rest))
            tokens += [(word, False, nlp.vocab[word].norm) for word in after]
        done = match.end()
        if text[done : done + 1] == " ":
            word, _, norm = tokens[-1]
            tokens[-1] = word, True, norm
            done += 1
    if not tokens:
        return nlp.make_doc(text)
    tokens += _read_tokens(nlp.tokenizer(text[done:]))
    doc = Doc(nlp.vocab, words=[word for word, _, _ in tokens], spaces=[space for _, space, _ in tokens])
    norms: Any = np.array([norm for _, _, norm in tokens], dtype="uint64")
    return doc.from_array([NORM], norms)


def _read_tokens(doc: Doc) -> list[Token]:
    return [(token.text, bool(token.whitespace_), token.norm) for token in doc]


def _cut(chunk: str) -> Iterator[str]:
    """Cut a chunk into pieces, and none between letters, digits, or what goes with a letter."""
    start = 0
    while len(chunk) - start > LONGEST:
        end = start + LONGEST
        while end < len(chunk) and (chunk[end].isalnum() or unicodedata.category(chunk[end]).startswith("M")):
            end += 1
        yield chunk[start:end]
        start = end
    if start < len(chunk):
        yield chunk[start:]


def _take_off_affixes(tokenizer: Tokenizer, chunk: str) -> tuple[list[str], str, list[str]]:
    """Take prefixes and suffixes off a chunk as the tokenizer does, if there are many: prefixes, rest, suffixes."""
    before: list[str] = []
    after: list[str] = []
    rest = chunk
    while len(rest) > LONG and not (tokenizer.token_match and tokenizer.token_match(rest)):
        prefix = _affix_length(tokenizer.find_prefix, rest, slice)
        if prefix:
            before.append(rest[:prefix])
            rest = rest[prefix:]
        suffix = _affix_length(tokenizer.find_suffix, rest, lambda length: slice(-length, None))
        if suffix:
            after.append(rest[-suffix:])
            rest = rest[:-suffix]
        if not prefix and not suffix:
            break
    if len(before) + len(after) <= FEW:
        return [], chunk, []
    return before, rest, after[::-1]


def _affix_length(find: Callable[[str], int], text: str, end_of: Callable[[int], slice]) -> int:
    """The length of the affix of a text, of which no more is searched than is needed."""
    window = WINDOW
    while (length := find(text[end_of(window)])) > window - MARGIN and window < len(text):
        window *= 2
    return length
