"""Span groups and the title of a document, moved to a document of other tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spacy.tokens import Doc, Span, SpanGroup

from ..annotation import (
    ANTECEDENTS,
    FRAME_PREFIX,
    LINK_SCORES,
    MENTIONS_KEY,
    PREDICATES_KEY,
    REASONS,
    SCORES,
    annotates_all_predicates,
    frame_groups,
    frame_keys,
    get_antecedents,
    has_frames_annotated,
    quotation_keys,
    set_frames,
    set_quotations,
)

Places = dict[int, tuple[int, int]]
"""New token offsets (end exclusive) of the spans of a group, by the number of the span. Missing spans are lost."""


def move_spans(
    source: Doc,
    target: Doc,
    groups: Mapping[str, SpanGroup],
    places_of: Callable[[str], Places],
    *,
    prefix: str = FRAME_PREFIX,
    predicates_key: str = PREDICATES_KEY,
) -> None:
    """Copy all span groups of a document to another, with the title and everything else that has a name in `user_data`.

    A group whose spans are all lost is lost, unless its absence would mean "not annotated". A frame without its
    predicate is lost, as is a quotation without its words. A mention whose antecedent is lost has none.

    source, target (Doc): The documents.
    groups (Mapping[str, SpanGroup]): All span groups of `source`, as `read_all_groups` has them.
    places_of (Callable[[str], Places]): Takes the key of a group and returns the new offsets of its spans.
    prefix, predicates_key (str): Where semantic roles are kept in `doc.spans`.
    """
    target.user_data.update({key: value for key, value in source.user_data.items() if isinstance(key, str)})
    frames = set(frame_keys(source, prefix))
    quotations = set(quotation_keys(source))
    for key, group in groups.items():
        places = places_of(key)
        if 0 not in places and (key in frames or key in quotations):
            continue  # arguments without their predicate are no frame, nor is a speaker without words a quotation
        is_list = key == MENTIONS_KEY or (key == predicates_key and not frames)
        if places or not len(group) or is_list:
            target.spans[key] = _copy_group(group, target, places)
    if quotations and not quotation_keys(target):
        set_quotations(target, [])
    if not annotates_all_predicates(source, predicates_key):
        return  # of what is annotated in part, nothing is known without its predicates
    if has_frames_annotated(source, prefix, predicates_key) and not frame_groups(target, prefix):
        set_frames(target, [], prefix=prefix, predicates_key=predicates_key)


def _copy_group(group: SpanGroup, target: Doc, places: Places) -> SpanGroup:
    spans = []
    for i, place in places.items():
        span = group[i]
        spans.append(Span(target, *place, label=span.label, kb_id=span.kb_id, span_id=span.id))
    attrs = dict(group.attrs)
    for name in (SCORES, LINK_SCORES, REASONS):
        if len(attrs.get(name, ())) == len(group):
            attrs[name] = [attrs[name][i] for i in places]
    if (antecedents := get_antecedents(group)) is not None:
        numbers: dict[int | None, int] = {old: new for new, old in enumerate(places)}
        attrs[ANTECEDENTS] = [numbers.get(antecedents[i]) for i in places]
    return SpanGroup(target, name=group.name, attrs=attrs, spans=spans)
