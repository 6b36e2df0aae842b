"""Long documents cut between sentences, with their span groups."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup

from ..annotation import FRAME_PREFIX, PREDICATES_KEY, read_all_groups
from .cleaned import are_blank, count_words
from .rebuilt import GroupKinds, Places, move_spans


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
    groups, kinds = read_all_groups(doc), GroupKinds(doc, prefix, predicates_key)
    head = [*doc._get_array_attrs()]
    whole: dict[str, Any] = {"array_head": head, "array": doc.to_array(head)}  # else it is read for each piece
    copies = []
    for piece, own in zip(pieces, _places(groups, kinds, pieces), strict=True):
        copy = piece.as_doc(copy_user_data=False, **whole)
        copy.has_unknown_spaces = doc.has_unknown_spaces
        move_spans(doc, copy, {key: groups[key] for key in own}, own.__getitem__, kinds)
        copies.append(copy)
    return copies


def _places(groups: Mapping[str, SpanGroup], kinds: GroupKinds, pieces: Sequence[Span]) -> list[dict[str, Places]]:
    """Of each piece the groups that it has, and the offsets of their spans in it."""
    starts = [piece.start for piece in pieces]
    places: list[dict[str, Places]] = [{} for _ in pieces]
    for key, group in groups.items():
        if not kinds.is_lost_with_spans(key):
            for of_piece in places:
                of_piece[key] = {}
        for i, span in enumerate(group):
            piece = bisect_right(starts, span.start) - 1
            if span.end <= pieces[piece].end:
                places[piece].setdefault(key, {})[i] = span.start - starts[piece], span.end - starts[piece]
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
