"""Span groups: how their keys are numbered, what their `attrs` say of each span, and which words their spans have.

The keys of clusters and frames start with a prefix, which a component may be given another of. A group under another
prefix than the default has it in `attrs["cluster_prefix"]` or `attrs["frame_prefix"]`, and so has the group of the
selected spans. So whoever reads a document finds its annotation without asking the component.

Tokens may be merged or split after annotation, as `doc.retokenize()` and `merge_entities` do. spaCy leaves the token
offsets of spans as they were, which are those of other words then. It also leaves their character offsets, and these
stay right, because no text changes. So whoever reads groups here finds the words; `anchor_spans` tells spaCy, too.

Files may hold anything in `attrs`, and nobody who changes a group has to change them. So `attrs` that are not as they
should be count as missing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from numbers import Real
from struct import Struct
from typing import Any

import srsly
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span, SpanGroup

from .titles import describe_doc

SCORES = "scores"
LINK_SCORES = "link_scores"
ANTECEDENTS = "antecedents"
REASONS = "reasons"
OF_SPANS = (SCORES, LINK_SCORES, REASONS)
"""Names of `attrs` that have a value for each span of a group, besides `ANTECEDENTS`."""
CLUSTER_NOTE = "cluster_prefix"
FRAME_NOTE = "frame_prefix"
LABELLED_NOTE = "labelled_key"
"""Where `attrs` of a group note a prefix, or a key, that is not the default."""

OURS = re.compile(r"(coref_clusters|srl|quotations)_\d+|coref_(mentions|given)|srl_(predicates|spans)|sc")
"""Keys of groups of this package, unless they have a note."""

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
    pattern = re.compile(re.escape(prefix) + r"_0*([0-9]*)(?<=[0-9])")
    matches = [*filter(None, map(pattern.fullmatch, doc.spans))]
    numbers = [match[1] for match in matches]
    # In the order of their numbers, without converting them: Python does not convert those of thousands of digits.
    return [key for _, _, key in sorted(zip(map(len, numbers), numbers, [match[0] for match in matches], strict=True))]


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


def write_group(doc: Doc, key: str, spans: Iterable[Sequence[Any]], attrs: dict[str, Any] | None = None) -> None:
    """Replace a span group. Its spans are token offsets, with a label or without."""
    doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, *span) for span in spans], attrs=attrs or {})


def write_numbered_groups(
    doc: Doc, prefix: str, groups: Sequence[tuple[Iterable[Sequence[Any]], dict[str, Any]]]
) -> None:
    """Replace the groups `{prefix}_1`, `{prefix}_2`, ... by these, given by their spans and `attrs`."""
    for key in numbered_keys(doc, prefix):
        del doc.spans[key]
    for number, (spans, attrs) in enumerate(groups, start=1):
        write_group(doc, f"{prefix}_{number}", spans, attrs)


def anchor_spans(doc: Doc) -> Doc:
    """Give the spans of all groups of a document the tokens of their words, where tokens were merged or split since.

    Without it spaCy saves, copies and draws other words, or fails: see `read_groups`.

    RETURNS (Doc): The same document.
    """
    doc.spans.update(read_all_groups(doc))
    return doc


def read_groups(doc: Doc, keys: Iterable[str]) -> list[SpanGroup]:
    """Some span groups of a document, whose spans have the words that they were given.

    RETURNS (list[SpanGroup]): The groups; those whose spans have other tokens now as copies. A span that begins or ends
        within a token that was merged gets the whole token. Where spans of a group of this package become one, such as
        "Ann" and "Ann Lee", the first stays, with its values in `attrs`; groups of others keep all.
    RAISES (ValueError): If a span lies outside of the text.
    """
    return [group for group, _ in read_spans(doc, keys)]


def read_spans(doc: Doc, keys: Iterable[str]) -> list[tuple[SpanGroup, list[Span]]]:
    """Some span groups of a document as `read_groups` returns them, each with its spans, which a group makes anew
    whenever it is read."""
    groups = [(key, doc.spans[key]) for key in keys]
    if not groups:
        return []
    places = doc.to_array([IDX, LENGTH]).reshape(-1, 2)
    starts, ends = places[:, 0].tolist(), places.sum(axis=1).tolist()
    return [_read(key, group, doc, starts, ends) for key, group in groups]


def read_group(doc: Doc, key: str) -> SpanGroup:
    """One span group of a document, empty if it has none of the key: see `read_groups`."""
    return read_groups(doc, [key])[0] if key in doc.spans else SpanGroup(doc, name=key)


def read_all_groups(doc: Doc, without: Collection[str] = ()) -> dict[str, SpanGroup]:
    """All span groups of a document by key, without those of some keys: see `read_groups`."""
    keys = [key for key in doc.spans if key not in without]
    return dict(zip(keys, read_groups(doc, keys), strict=True))


def get_scores(group: SpanGroup, name: str = SCORES) -> list[float] | None:
    """The scores of the spans of a group under a key of its `attrs`; None if there is not a finite one for each."""
    scores = _values(group, name)
    if scores is None or not all(issubclass(kind, Real) and kind is not bool for kind in {*map(type, scores)}):
        return None
    return [*map(float, scores)] if all(map(isfinite, scores)) else None


def get_antecedents(group: SpanGroup) -> list[int | None] | None:
    """The number of the antecedent of each mention of a cluster, None for a mention without one; None if they are
    unknown, or one is not the number of an earlier mention."""
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
    return reasons if reasons is not None and all(issubclass(kind, str) for kind in {*map(type, reasons)}) else None


def get_text(group: SpanGroup, name: str) -> str | None:
    """The text that a group has under a key of its `attrs`; None without one."""
    text = group.attrs.get(name)
    return text if isinstance(text, str) else None


def attrs_of_kept(group: SpanGroup, numbers: Mapping[int, int]) -> dict[str, Any]:
    """The `attrs` of a group of which some spans are kept: one value for each of these, and antecedents by new numbers.

    numbers (Mapping[int, int]): The new number of each span that is kept, by its old one. Of several that become
        one, the first stays. A mention whose antecedent is lost, or becomes one with it, has none.
    """
    attrs = dict(group.attrs)
    kept = {new: old for old, new in reversed([*numbers.items()])}
    order = [kept[new] for new in sorted(kept)]
    if len(order) == len(group):
        return attrs
    for name in OF_SPANS:
        if (values := _values(group, name)) is not None:
            attrs[name] = [values[old] for old in order]
    antecedents = _values(group, ANTECEDENTS)
    if antecedents and all(old is None or (type(old) is int and 0 <= old < len(group)) for old in antecedents):
        found = [None if antecedents[old] is None else numbers.get(antecedents[old]) for old in order]
        attrs[ANTECEDENTS] = [None if number == new else number for new, number in enumerate(found)]
    return attrs


def _values(group: SpanGroup, name: str) -> list[Any] | None:
    """The values of the spans of a group, None if there is not one for each."""
    values = group.attrs.get(name)
    if not isinstance(values, Iterable):
        return None
    values = list(values)
    return values if len(values) == len(group) else None


def _read(
    key: str, group: SpanGroup, doc: Doc, starts: Sequence[int], ends: Sequence[int]
) -> tuple[SpanGroup, list[Span]]:
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
    moved = _move(key, group, doc, starts)
    return moved, list(moved)


def _move(key: str, group: SpanGroup, doc: Doc, starts: Sequence[int]) -> SpanGroup:
    bare = SpanGroup(doc)
    bare.extend(group)
    bare.attrs = {}  # those of others may be such as can't be packed
    is_ours = OURS.fullmatch(key) or not {CLUSTER_NOTE, FRAME_NOTE, LABELLED_NOTE}.isdisjoint(group.attrs)
    length = starts[-1] + len(doc[-1].text_with_ws) if starts else 0  # of the text, which takes long to make
    numbers: dict[int, int] = {}
    places: dict[Any, int] = {}
    spans: list[Span] = []
    for i, packed in enumerate(srsly.msgpack_loads(bare.to_bytes())["spans"]):
        span_id, kb_id, label, start, end, start_char, end_char = PACKED.unpack(packed)
        if 0 <= start_char <= end_char <= length:
            end = bisect_left(starts, end_char)
            start = end if start_char == end_char else bisect_right(starts, start_char) - 1
        elif not 0 <= start <= end <= len(doc):
            raise ValueError(
                f"Can't read {describe_doc(doc)}: doc.spans[{key!r}][{i}] is characters {start_char} to {end_char}, "
                f"tokens {start} to {end}; expected some of {length} characters, {len(doc)} tokens. "
                "It is of another text: annotate this one, or delete the group."
            )
        numbers[i] = places.setdefault((start, end, label, kb_id, span_id) if is_ours else i, len(places))
        if numbers[i] == len(spans):
            spans.append(Span(doc, start, end, label=label, kb_id=kb_id, span_id=span_id))
    return SpanGroup(doc, name=group.name, attrs=attrs_of_kept(group, numbers), spans=spans)
