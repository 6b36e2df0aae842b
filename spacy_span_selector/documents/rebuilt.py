"""Documents with words removed or added, and the annotation of the others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import cast

import numpy as np
from spacy.tokens import Doc
from spacy.tokens.doc import DOCBIN_ALL_ATTRS
from thinc.types import Ints2d

from ..annotation import read_all_groups
from .blank import is_blank
from .moved_spans import Places, move_spans

ATTRIBUTES: list[str | int] = [name for name in DOCBIN_ALL_ATTRS if name != "ORTH"]
HEAD, DEP, SENT_START, ENT_IOB = (ATTRIBUTES.index(name) for name in ("HEAD", "DEP", "SENT_START", "ENT_IOB"))
ENTITY = [column for column, name in enumerate(ATTRIBUTES) if str(name).startswith("ENT_")]
IN_ENTITY, OUT_OF_ENTITY, BEGINS_ENTITY = 1, 2, 3  # values of ENT_IOB


def rebuild_doc(doc: Doc, tokens: Sequence[int | str]) -> Doc:
    """Make a document of some tokens of another document and of new words.

    All annotation is kept. A span keeps its remaining tokens, and a span without any is lost. Sentences start where
    they did before: new words before the first token of a sentence are a sentence of their own, and other new words
    belong to the sentence, and to the entity, around them.

    doc (Doc): The document, which is not modified. A word keeps the space behind it, and has one if white space
        tokens between it and the next remaining word are removed.
    tokens (Sequence[int | str]): Numbers of the remaining tokens, ascending, and new words between them. A space
        follows each new word.
    RETURNS (Doc): The new document.
    """
    old = [token for token in tokens if isinstance(token, int)]
    new = [i for i, token in enumerate(tokens) if isinstance(token, int)]
    rebuilt = Doc(
        doc.vocab,
        words=[doc[token].text if isinstance(token, int) else token for token in tokens],
        spaces=_spaces(doc, tokens, old),
    )
    rebuilt.has_unknown_spaces = doc.has_unknown_spaces
    rebuilt.cats = dict(doc.cats)
    if len(rebuilt):
        rebuilt.from_array(ATTRIBUTES, cast(Ints2d, _attributes(doc, tokens, old, new)))

    def place(start: int, end: int) -> tuple[int, int] | None:
        first, last = bisect_left(old, start), bisect_left(old, end) - 1
        if start < end:
            return (new[first], new[last] + 1) if first <= last else None
        at = new[first] if first < len(new) else len(rebuilt)
        return at, at

    groups = read_all_groups(doc)

    def places_of(key: str) -> Places:
        places = ((i, place(span.start, span.end)) for i, span in enumerate(groups[key]))
        return {i: moved for i, moved in places if moved is not None}

    move_spans(doc, rebuilt, groups, places_of)
    return rebuilt


def _spaces(doc: Doc, tokens: Sequence[int | str], old: Sequence[int]) -> list[bool]:
    """Whether a space follows each token of the new document."""
    following = dict(pairwise(old))

    def has_space(token: int) -> bool:
        after = token + 1
        if after < len(doc) and following.get(token) != after and is_blank(doc[after].text):
            between = doc[token : following.get(token, token)]
            return any(other.whitespace_ or other.text.isspace() for other in between)
        return bool(doc[token].whitespace_)

    return [isinstance(token, str) or has_space(token) for token in tokens]


def _attributes(doc: Doc, tokens: Sequence[int | str], old: list[int], new: list[int]) -> np.ndarray:
    """The attributes of the tokens of the new document. Shape: (tokens, attributes)"""
    values = doc.to_array(ATTRIBUTES).view(np.int64)
    if not doc.has_annotation("SENT_START"):
        values[:, SENT_START] = 0  # spaCy may set that of the first token
    kept = values[np.asarray(old, dtype=np.int64)]
    # If the first token of a sentence or an entity is lost, the next remaining token begins it.
    starts = np.cumsum(values[:, SENT_START] == 1)[np.asarray(old, dtype=np.int64)]
    kept[np.diff(starts, prepend=0) > 0, SENT_START] = 1
    if doc.has_annotation("SENT_START") and not kept[1:, SENT_START].any():
        kept[1:, SENT_START] = -1  # only lost tokens told where sentences start: all others are known to be in one
    before = np.append(OUT_OF_ENTITY, kept[:-1, ENT_IOB])
    kept[(kept[:, ENT_IOB] == IN_ENTITY) & np.isin(before, (0, OUT_OF_ENTITY)), ENT_IOB] = BEGINS_ENTITY
    rows = np.zeros((len(tokens), len(ATTRIBUTES)), dtype=np.int64)
    rows[new] = kept
    if doc.has_annotation("DEP"):
        rows[new, HEAD] = _heads(doc, old, new)
    for begin, end in _new_words(tokens):
        _annotate_new_words(doc, rows, begin, end)
    return rows.view(np.uint64)


def _heads(doc: Doc, old: list[int], new: list[int]) -> list[int]:
    """The head of each old token, relative to it: its nearest ancestor that remains, or the token itself."""
    places = dict(zip(old, new, strict=True))
    heads = []
    for token, place in places.items():
        ancestors = (ancestor.i for ancestor in doc[token].ancestors)
        heads.append(next((places[i] for i in ancestors if i in places), place) - place)
    return heads


def _new_words(tokens: Sequence[int | str]) -> Iterator[tuple[int, int]]:
    """The runs of new words: begin and end."""
    edges = np.diff([isinstance(token, str) for token in tokens], prepend=False, append=False)
    places = np.flatnonzero(edges).tolist()
    return zip(places[::2], places[1::2], strict=True)


def _annotate_new_words(doc: Doc, rows: np.ndarray, begin: int, end: int) -> None:
    """Set sentence, head and entity of a run of new words."""
    is_last = end == len(rows)
    in_sentence = begin > 0 and not is_last and rows[end, SENT_START] != 1
    if doc.has_annotation("SENT_START"):
        rows[begin:end, SENT_START] = -1
        if not in_sentence:
            rows[[begin] if is_last else [begin, end], SENT_START] = 1
    if doc.has_annotation("DEP"):
        # Their head is a word next to them, or the first of them, so that no arc crosses another.
        rows[begin:end, HEAD] = (begin - in_sentence) - np.arange(begin, end)
        rows[begin:end, DEP] = doc.vocab.strings.add("dep")
    if not is_last and rows[end, ENT_IOB] == IN_ENTITY:
        rows[begin:end, ENTITY] = rows[end, ENTITY]
    elif doc.has_annotation("ENT_IOB"):
        rows[begin:end, ENT_IOB] = OUT_OF_ENTITY
