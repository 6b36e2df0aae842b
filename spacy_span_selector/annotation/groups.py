"""Span groups: how their keys are numbered, what their `attrs` say of each span, and which words their spans have.

The keys of clusters and frames start with a prefix, which a component may be given another of. A group under another
prefix than the default has it in `attrs["cluster_prefix"]` or `attrs["frame_prefix"]`, and so has the group of the
selected spans. So whoever reads a document finds its annotation without asking the component.

Tokens may be merged or split after annotation, as `doc.retokenize()` and `merge_entities` do. spaCy leaves the token
offsets of spans as they were, which are those of other words then. It also leaves their character offsets, and these
stay right, because no text changes.

Files may hold anything in `attrs`, and nobody who changes a group has to change them. So `attrs` that are not as they
should be count as missing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from numbers import Real
from struct import Struct
from typing import Any

import srsly
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span, SpanGroup

from .checks import are_scores

SCORES = "scores"
LINK_SCORES = "link_scores"
ANTECEDENTS = "antecedents"
REASONS = "reasons"
CLUSTER_NOTE = "cluster_prefix"
FRAME_NOTE = "frame_prefix"
LABELLED_NOTE = "labelled_key"
"""Where `attrs` of a group note a prefix, or a key, that is not the default."""

PACKED = Struct(">QQQllll")  # as `SpanGroup.to_bytes` has a span: id, knowledge base, label, tokens, characters


def skip_absent_entry_points() -> None:
    """Let srsly ignore entry points where no installed package has one for its msgpack codecs.

    srsly searches them for each span group that is written or read, which takes longer than to pack the group. They
    are read once, when Python imports catalogue, so none can appear later: srsly finds the same codecs as before.
    """
    for codecs in (srsly.msgpack_encoders, srsly.msgpack_decoders):
        if not codecs.get_entry_points():
            codecs.entry_points = False


def numbered_keys(doc: Doc, prefix: str) -> list[str]:
    """Find the keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    pattern = re.compile(re.escape(prefix) + r"_([0-9]+)")
    numbered = [(match[1].lstrip("0"), key) for key in doc.spans if (match := pattern.fullmatch(key))]
    # In the order of their numbers, without converting them: Python does not convert those of thousands of digits.
    return [key for number, key in sorted(numbered, key=lambda item: (len(item[0]), item))]


def noted_prefixes(doc: Doc, note: str) -> list[str]:
    """Collect the prefixes that groups of a document note, in the order of the groups."""
    prefixes = (group.attrs.get(note) for group in doc.spans.values())
    return [prefix for prefix in prefixes if isinstance(prefix, str)]


def has_default_group(doc: Doc, note: str, key: str) -> bool:
    """Tell if a document has a group of selected spans that belongs to no other prefix than the default."""
    return key in doc.spans and note not in doc.spans[key].attrs


def keys_of_prefix(doc: Doc, note: str, prefix: str) -> Iterator[str]:
    """Find the keys of the groups that belong to a prefix by their note, without the numbered ones."""
    numbered = {*numbered_keys(doc, prefix)}
    return (key for key, group in doc.spans.items() if group.attrs.get(note) == prefix and key not in numbered)


def read_groups(doc: Doc, keys: Iterable[str]) -> list[SpanGroup]:
    """Some span groups of a document, whose spans have the words that they were given.

    keys (Iterable[str]): The keys of groups that it has.
    RETURNS (list[SpanGroup]): The groups; those whose spans have other tokens now as copies. A span that begins or ends
        within a token that was merged gets the whole token.
    """
    return [group for group, _ in read_spans(doc, keys)]


def read_spans(doc: Doc, keys: Iterable[str]) -> list[tuple[SpanGroup, list[Span]]]:
    """Some span groups of a document as `read_groups` returns them, each with its spans, which a group makes anew
    whenever it is read."""
    groups = [doc.spans[key] for key in keys]
    if not groups:
        return []
    places = doc.to_array([IDX, LENGTH]).reshape(-1, 2)
    starts, ends = places[:, 0].tolist(), places.sum(axis=1).tolist()
    return [_read(group, doc, starts, ends) for group in groups]


def read_group(doc: Doc, key: str) -> SpanGroup:
    """One span group of a document: see `read_groups`."""
    (group,) = read_groups(doc, [key])
    return group


def read_all_groups(doc: Doc) -> dict[str, SpanGroup]:
    """All span groups of a document by key: see `read_groups`."""
    return dict(zip(doc.spans, read_groups(doc, doc.spans), strict=True))


def get_scores(group: SpanGroup, name: str = SCORES) -> list[float] | None:
    """The scores of the spans of a group.

    group (SpanGroup): The group.
    name (str): Their key in `attrs`.
    RETURNS (list[float] | None): The scores, None if there is not a finite one for each span.
    """
    scores = _values(group, name)
    if scores is None or are_scores(scores):
        return scores
    are_numbers = all(isinstance(score, Real) and not isinstance(score, bool) for score in scores)
    return [float(score) for score in scores] if are_numbers and all(map(isfinite, scores)) else None


def get_antecedents(group: SpanGroup) -> list[int | None] | None:
    """The antecedents of the mentions of a cluster.

    RETURNS (list[int | None] | None): The number of the antecedent of each mention in the group, None for a mention
        without one. None if they are unknown, or one is not the number of an earlier mention.
    """
    antecedents = _values(group, ANTECEDENTS)
    if antecedents is None:
        return None
    offsets = [(span.start, span.end) for span in group]
    for mention, antecedent in zip(offsets, antecedents, strict=True):
        if antecedent is not None and (
            type(antecedent) is not int or not 0 <= antecedent < len(offsets) or offsets[antecedent] >= mention
        ):
            return None
    return antecedents


def get_reasons(group: SpanGroup) -> list[str] | None:
    """Why each mention of a cluster was joined or kept apart, in words; None if there is not a string for each."""
    reasons = _values(group, REASONS)
    return reasons if reasons is not None and all(isinstance(reason, str) for reason in reasons) else None


def get_text(group: SpanGroup, name: str) -> str | None:
    """The text that a group has under a key of its `attrs`; None without one."""
    text = group.attrs.get(name)
    return text if isinstance(text, str) else None


def _values(group: SpanGroup, name: str) -> list[Any] | None:
    """The values of the spans of a group, None if there is not one for each."""
    values = group.attrs.get(name)
    if not isinstance(values, Iterable):
        return None
    values = list(values)
    return values if len(values) == len(group) else None


def _read(group: SpanGroup, doc: Doc, starts: Sequence[int], ends: Sequence[int]) -> tuple[SpanGroup, list[Span]]:
    """A group and its spans: the same if each begins and ends with its tokens, as those without tokens do anywhere."""
    try:
        spans = list(group)
        if all(
            [
                span.start >= span.end
                or (starts[span.start] == span.start_char and ends[span.end - 1] == span.end_char)
                for span in spans
            ]
        ):
            return group, spans
    except IndexError:  # spaCy makes no span behind the last token
        pass
    moved = _move(group, doc, starts)
    return moved, list(moved)


def _move(group: SpanGroup, doc: Doc, starts: Sequence[int]) -> SpanGroup:
    spans = []
    for packed in srsly.msgpack_loads(group.to_bytes())["spans"]:
        span_id, kb_id, label, start, end, start_char, end_char = PACKED.unpack(packed)
        if start < end and 0 <= start_char < end_char <= len(doc.text):
            start, end = bisect_right(starts, start_char) - 1, bisect_left(starts, end_char)
        spans.append(Span(doc, start, end, label=label, kb_id=kb_id, span_id=span_id))
    return SpanGroup(doc, name=group.name, attrs=dict(group.attrs), spans=spans)
