"""Mentions that documents are given: only to be linked."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..annotation import describe_doc
from ..documents.blank import is_blank
from ..documents.words import Words
from ..layers.selection.candidates import CandidateStrategy, Given
from ..layers.spans.layout import SpanLayout
from .alignment import CROSSES_SENTENCES, EMPTY, HOLDS_MARKER, WHITE_SPACE
from .lost import LostSpans

TOO_WIDE_HERE = "is wider than 'max_span_width' of the model, in a sentence too long for a chart of all spans"


def given_mentions(
    words: Sequence[Words], layout: SpanLayout, key: str, choose: CandidateStrategy
) -> tuple[CandidateStrategy, LostSpans]:
    """Which spans to link: those that a document is given, in another those that a strategy chooses.

    words (Sequence[Words]): The documents.
    layout (SpanLayout): Their sentences.
    key (str): Where given mentions are in `doc.spans`.
    choose (CandidateStrategy): Chooses for documents that are given none.
    RETURNS (tuple[CandidateStrategy, LostSpans]): The strategy, and given spans that can't be linked.
    """
    lost = LostSpans()
    closed = [key in document.source.spans for document in words]
    if not any(closed):
        return choose, lost
    sentence, in_sentence = layout.sentence.tolist(), layout.in_sentence.tolist()
    rows: dict[tuple[int, int], str] = {}
    offset = 0
    for document in words:
        doc = document.doc
        for span in document.source.spans.get(key, ()):
            if span and is_blank(span.text):
                lost.add(WHITE_SPACE, f"{span.text!r} in {describe_doc(doc)}")
        for span in doc.spans.get(key, ()):
            first, last = offset + span.start, offset + span.end - 1
            place = f"{span.text!r} in {describe_doc(doc)}"
            if first > last:
                lost.add(EMPTY, place)
            elif not all(in_sentence[first : last + 1]):
                lost.add(HOLDS_MARKER, place)
            elif sentence[first] != sentence[last]:
                lost.add(CROSSES_SENTENCES, place)
            else:
                rows[first, last] = place
        offset += len(doc)
    device = layout.document.device
    spans = torch.tensor(sorted(rows), dtype=torch.long, device=device).view(-1, 2)
    possible = layout.has_index(spans[:, 0], spans[:, 1])
    for first, last in spans[~possible].tolist():
        lost.add(TOO_WIDE_HERE, rows[first, last])
    flat = layout.flat_index(*spans[possible].T)
    return Given(flat, torch.tensor(closed, dtype=torch.bool, device=device), choose), lost
