"""Sentences, paragraphs and turns of a document, and the words of its copy.

Paragraphs are spans in `doc.spans["paragraphs"]`, or else what blank lines divide: a corpus of words has no lines, but
may say where paragraphs begin.

Speakers, where known, are the labels of the turns in `doc.spans["speakers"]`. A training text may have a copy in which
some words are others: these are the labels of `doc.spans["counterparts"]`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE
from spacy.tokens import Doc, Span

from .checks import check_labelled, check_spans
from .groups import read_group, write_group

PARAGRAPHS_KEY = "paragraphs"
SPEAKERS_KEY = "speakers"
COUNTERPARTS_KEY = "counterparts"


def get_sentences(doc: Doc) -> list[Span]:
    """Return the sentences of a document. A document without sentence boundaries is one sentence."""
    return list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]


def set_paragraphs(doc: Doc, paragraphs: Sequence[tuple[int, int]], key: str = PARAGRAPHS_KEY) -> None:
    """Replace the paragraphs of a document, which are token offsets."""
    write_group(doc, key, check_spans(doc, paragraphs, "paragraphs"))


def get_paragraphs(doc: Doc, key: str = PARAGRAPHS_KEY) -> list[tuple[int, int]] | None:
    """Return the paragraphs that a document is given, as token offsets; None if it has no group of them."""
    return [(span.start, span.end) for span in read_group(doc, key)] if key in doc.spans else None


def blank_lines(doc: Doc) -> list[int]:
    """Find the tokens of white space that hold a blank line."""
    return [i for i in np.flatnonzero(doc.to_array([IS_SPACE])).tolist() if doc[i].text.count("\n") > 1]


def paragraph_numbers(doc: Doc) -> NDArray[np.int64] | None:
    """Number the paragraph of each token, ascending; None if nothing tells. Shape: (tokens,)

    Without the group of paragraphs, a blank line begins one; a text without any has none that are known.
    """
    given = get_paragraphs(doc)
    if given is not None:
        starts = np.array([start for start, end in given if start < end], dtype=np.int64)
    else:
        starts = np.array([line + 1 for line in blank_lines(doc)], dtype=np.int64)
    if not len(starts):
        return None
    begins = np.zeros(len(doc) + 1, dtype=np.int64)
    begins[starts] = 1
    return np.cumsum(begins[:-1])


def get_speakers(doc: Doc, key: str = SPEAKERS_KEY) -> list[tuple[int, int, str]]:
    """Return the speaker turns of a document: (start token, end token, speaker)."""
    return [(turn.start, turn.end, turn.label_) for turn in read_group(doc, key)]


def set_speakers(doc: Doc, turns: Sequence[tuple[int, int, str]], key: str = SPEAKERS_KEY) -> None:
    """Replace the speaker turns of a document: (start token, end token, speaker)."""
    write_group(doc, key, check_labelled(doc, turns, "turns", "speaker"))


def get_counterparts(doc: Doc) -> list[tuple[int, int, str]]:
    """Return the words that are others in the copy of a document: (start token, end token, word of the copy)."""
    return [(span.start, span.end, span.label_) for span in read_group(doc, COUNTERPARTS_KEY)]


def set_counterparts(doc: Doc, words: Sequence[tuple[int, int, str]]) -> None:
    """Replace the words that are others in the copy of a document: (start token, end token, word of the copy)."""
    write_group(doc, COUNTERPARTS_KEY, check_labelled(doc, words, "counterparts", "word"))
