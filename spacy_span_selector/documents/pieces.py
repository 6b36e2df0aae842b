"""Long documents cut between sentences, with their span groups."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup

from ..annotation import FRAME_PREFIX, PREDICATES_KEY, read_all_groups
from .cleaned import are_blank, count_words
from .rebuilt import Places, move_spans


def cut_doc(doc: Doc, max_words: int, *, prefix: str = FRAME_PREFIX, predicates_key: str = PREDICATES_KEY) -> list[Doc]:
    """Cut a document between sentences into pieces of at most `max_words` words.

    A piece has the span groups of the document, empty ones too, but only the clusters, frames and quotations that have
    spans in it. Spans that cross a cut are lost. Frames lie within sentences, but clusters fall apart, and a quotation
    that is cut is lost. Each piece has the title.

    doc (Doc): A document with sentence boundaries, or one that is short enough, which is then the only piece.
    max_words (int): White space does not count. A longer sentence is a piece of its own.
    """
    if count_words(doc) <= max_words:
        return [doc]
    pieces = list(_pieces(doc, max_words))
    groups = read_all_groups(doc)
    places = {key: _places(group, pieces) for key, group in groups.items()}
    copies = []
    for i, piece in enumerate(pieces):
        copy = piece.as_doc(copy_user_data=False)
        copy.has_unknown_spaces = doc.has_unknown_spaces
        own = {key: of_pieces[i] for key, of_pieces in places.items()}
        move_spans(doc, copy, groups, own.__getitem__, prefix=prefix, predicates_key=predicates_key)
        copies.append(copy)
    return copies


def _places(group: SpanGroup, pieces: Sequence[Span]) -> list[Places]:
    """The offsets of the spans of a group in each piece."""
    starts = [piece.start for piece in pieces]
    places: list[Places] = [{} for _ in pieces]
    for i, span in enumerate(group):
        piece = bisect_right(starts, span.start) - 1
        begin = starts[piece]
        if span.end <= pieces[piece].end:
            places[piece][i] = span.start - begin, span.end - begin
    return places


def _pieces(doc: Doc, max_words: int) -> Iterator[Span]:
    words_before = np.append(0, np.cumsum(~are_blank(doc)))
    start = end = 0
    for sentence in doc.sents:
        if end > start and words_before[sentence.end] - words_before[start] > max_words:
            yield doc[start:end]
            start = end
        end = sentence.end
    yield doc[start:end]
