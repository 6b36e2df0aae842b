"""Cutting long documents between sentences, with all that is annotated on their spans."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc, Span, SpanGroup

from ..annotation import (
    FRAME_PREFIX,
    MENTIONS_KEY,
    PREDICATES_KEY,
    frame_keys,
    has_frames_annotated,
    set_predicates,
)


def cut_doc(doc: Doc, max_words: int, *, prefix: str = FRAME_PREFIX, predicates_key: str = PREDICATES_KEY) -> list[Doc]:
    """Cut a document between sentences into pieces of so many words at most.

    Span groups go with their spans; a group that has none in a piece is not in it, unless it was empty before, or it is
    one whose absence would say that nobody has looked. Spans over a cut are lost: frames lie within sentences, but
    clusters fall apart. Titles are kept.

    doc (Doc): A document with sentence boundaries, or one that is short enough.
    max_words (int): The greatest number of words of a piece. A longer sentence is a piece of its own.
    prefix, predicates_key (str): Where semantic roles are kept in `doc.spans`.
    RETURNS (list[Doc]): The pieces, in the order of the text; the document itself if it is short enough.
    """
    if len(doc) <= max_words:
        return [doc]
    return [_copy(piece, prefix, predicates_key) for piece in _pieces(doc, max_words)]


def _pieces(doc: Doc, max_words: int) -> Iterator[Span]:
    start = end = 0
    for sentence in doc.sents:
        if end > start and sentence.end - start > max_words:
            yield doc[start:end]
            start = end
        end = sentence.end
    yield doc[start:end]


def _copy(piece: Span, prefix: str, predicates_key: str) -> Doc:
    doc = piece.as_doc(copy_user_data=False)
    doc.has_unknown_spaces = piece.doc.has_unknown_spaces
    doc.user_data.update({key: value for key, value in piece.doc.user_data.items() if isinstance(key, str)})
    frames = set(frame_keys(piece.doc, prefix))
    for key, group in piece.doc.spans.items():
        inside = [i for i, span in enumerate(group) if piece.start <= span.start and span.end <= piece.end]
        if key in frames and 0 not in inside:
            continue  # arguments without their predicate say nothing
        if inside or not len(group) or key in (MENTIONS_KEY, predicates_key):
            spans = [_move(group[i], doc, -piece.start) for i in inside]
            attrs = dict(group.attrs)
            if len(attrs.get("scores", ())) == len(group):
                attrs["scores"] = [attrs["scores"][i] for i in inside]
            doc.spans[key] = SpanGroup(doc, name=group.name, attrs=attrs, spans=spans)
    was_annotated = has_frames_annotated(piece.doc, prefix, predicates_key)
    if was_annotated and not has_frames_annotated(doc, prefix, predicates_key):
        set_predicates(doc, [], predicates_key)
    return doc


def _move(span: Span, doc: Doc, offset: int) -> Span:
    return Span(doc, span.start + offset, span.end + offset, label=span.label, kb_id=span.kb_id, span_id=span.id)
