"""Span groups of documents whose tokens were merged or split since, as `doc.retokenize()` and `merge_entities` do.

spaCy leaves the token offsets of spans as they were, which are those of other words then. It also leaves their
character offsets, and these stay right, because no text changes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from struct import Struct

import srsly
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span, SpanGroup

PACKED = Struct(">QQQllll")  # as `SpanGroup.to_bytes` has a span: id, knowledge base, label, tokens, characters


def read_groups(doc: Doc, keys: Iterable[str]) -> list[SpanGroup]:
    """Some span groups of a document, whose spans have the words that they were given.

    doc (Doc): The document, which is not modified.
    keys (Iterable[str]): The keys of groups that it has.
    RETURNS (list[SpanGroup]): The groups; those whose spans have other tokens now as copies. A span that begins or ends
        within a token that was merged gets the whole token.
    """
    groups = [doc.spans[key] for key in keys]
    if not groups:
        return []
    places = doc.to_array([IDX, LENGTH]).reshape(-1, 2)
    starts, ends = places[:, 0].tolist(), places.sum(axis=1).tolist()
    return [group if _fits(group, starts, ends) else _move(group, doc, starts) for group in groups]


def read_group(doc: Doc, key: str) -> SpanGroup:
    """One span group of a document: see `read_groups`."""
    (group,) = read_groups(doc, [key])
    return group


def read_all_groups(doc: Doc) -> dict[str, SpanGroup]:
    """All span groups of a document by key: see `read_groups`."""
    return dict(zip(doc.spans, read_groups(doc, doc.spans), strict=True))


def _fits(group: SpanGroup, starts: Sequence[int], ends: Sequence[int]) -> bool:
    """Whether each span begins and ends with its tokens; those without tokens fit anywhere."""
    try:
        return all(
            [
                span.start >= span.end
                or (starts[span.start] == span.start_char and ends[span.end - 1] == span.end_char)
                for span in group
            ]
        )
    except IndexError:  # spaCy makes no span behind the last token
        return False


def _move(group: SpanGroup, doc: Doc, starts: Sequence[int]) -> SpanGroup:
    spans = []
    for packed in srsly.msgpack_loads(group.to_bytes())["spans"]:
        span_id, kb_id, label, start, end, start_char, end_char = PACKED.unpack(packed)
        if start < end and 0 <= start_char < end_char <= len(doc.text):
            start, end = bisect_right(starts, start_char) - 1, bisect_left(starts, end_char)
        spans.append(Span(doc, start, end, label=label, kb_id=kb_id, span_id=span_id))
    return SpanGroup(doc, name=group.name, attrs=dict(group.attrs), spans=spans)
