"""The paragraphs of a document: spans in `doc.spans["paragraphs"]`, or else what blank lines divide.

A corpus of words has no lines, but may say where paragraphs begin.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE
from spacy.tokens import Doc, Span, SpanGroup

from .checks import check_spans
from .retokenized import read_group

PARAGRAPHS_KEY = "paragraphs"


def set_paragraphs(doc: Doc, paragraphs: Sequence[tuple[int, int]], key: str = PARAGRAPHS_KEY) -> None:
    """Replace the paragraphs of a document, which are token offsets.

    RAISES (ValueError): If offsets are not those of some tokens. The document is as it was.
    """
    spans = [Span(doc, start, end) for start, end in check_spans(doc, paragraphs, "paragraphs")]
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans)


def get_paragraphs(doc: Doc, key: str = PARAGRAPHS_KEY) -> list[tuple[int, int]] | None:
    """The paragraphs that a document is given, as token offsets; None if it has no group of them."""
    return [(span.start, span.end) for span in read_group(doc, key)] if key in doc.spans else None


def paragraph_numbers(doc: Doc) -> NDArray[np.int64] | None:
    """The number of the paragraph of each token, ascending; None if nothing tells. Shape: (tokens,)

    Without the group of paragraphs, a blank line begins one; a text without any has none that are known.
    """
    given = get_paragraphs(doc)
    if given is not None:
        starts = np.array([start for start, end in given if start < end], dtype=np.int64)
    else:
        places = np.flatnonzero(doc.to_array([IS_SPACE]))
        starts = np.array([i + 1 for i in places.tolist() if doc[i].text.count("\n") > 1], dtype=np.int64)
    if not len(starts):
        return None
    begins = np.zeros(len(doc) + 1, dtype=np.int64)
    begins[starts] = 1
    return np.cumsum(begins[:-1])
