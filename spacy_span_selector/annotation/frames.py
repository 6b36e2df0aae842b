"""Semantic roles: one span group per predicate.

`doc.spans["srl_1"]`, `["srl_2"]`, ... hold one frame each, in the order of their predicates: first the predicate,
labelled `V`, then its arguments, labelled with their roles. `attrs["roleset"]` is the sense of the predicate where it
is known, `attrs["scores"]` has one probability per span. What a lexicon knows of the roleset stands in
`attrs["roleset_name"]`, its meaning, and in `attrs["descriptions"]`, what its roles are, by label.

`doc.spans["srl_predicates"]` holds the given predicates of a document: the component finds the arguments of these and
no other predicates. In gold annotation with frames it says that only these predicates are annotated.
`doc.spans["srl_spans"]` holds every span that the component selected, `attrs["scores"]` their selection probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from spacy.tokens import Doc, SpanGroup

from .checks import check_labelled, check_list, check_offsets, check_once, check_scores, check_spans, check_text, fail
from .groups import (
    FRAME_NOTE,
    has_default_group,
    keys_of_prefix,
    noted_prefixes,
    numbered_keys,
    read_group,
    read_groups,
    write_group,
    write_numbered_groups,
)

FRAME_PREFIX = "srl"
PREDICATES_KEY = "srl_predicates"
SELECTED_KEY = "srl_spans"
CONSTITUENTS_KEY = "constituents"
PREDICATE_LABEL = "V"


class Argument(NamedTuple):
    """A span with its role: token offsets, end exclusive."""

    start: int
    end: int
    role: str


class Frame(NamedTuple):
    """A predicate with its arguments.

    start, end (int): Token offsets of the predicate, end exclusive.
    arguments (list[Argument]): In the order of the text.
    roleset (str | None): The sense of the predicate, such as "give.01", where it is known.
    scores (list[float] | None): One probability for the predicate and one per argument, in this order.
    roleset_name (str | None): What the roleset means, such as "transfer", where it is known.
    descriptions (dict[str, str] | None): What roles of the roleset are, such as "giver", by label.
    """

    start: int
    end: int
    arguments: list[Argument]
    roleset: str | None = None
    scores: list[float] | None = None
    roleset_name: str | None = None
    descriptions: dict[str, str] | None = None


KNOWN = Frame._fields[3:]


def frame_keys(doc: Doc, prefix: str = FRAME_PREFIX) -> list[str]:
    """The keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    return numbered_keys(doc, prefix)


def frame_groups(doc: Doc, prefix: str = FRAME_PREFIX) -> list[SpanGroup]:
    """The span groups `{prefix}_1`, `{prefix}_2`, ... of a document, in numeric order; empty ones are left out."""
    return [group for group in read_groups(doc, frame_keys(doc, prefix)) if len(group)]


def get_frames(doc: Doc, prefix: str = FRAME_PREFIX) -> list[Frame]:
    """The frames of a document. The first span of a group is the predicate, whatever its label."""
    return [
        Frame(first.start, first.end, [Argument(a.start, a.end, a.label_) for a in rest], *map(group.attrs.get, KNOWN))
        for group in frame_groups(doc, prefix)
        for first, *rest in [group]
    ]


def set_frames(
    doc: Doc,
    frames: Sequence[Frame],
    *,
    prefix: str = FRAME_PREFIX,
    predicates_key: str | None = PREDICATES_KEY,
    spans_key: str = SELECTED_KEY,
) -> None:
    """Replace every frame of a document.

    frames (Sequence[Frame]): In any order: they are sorted here by predicate, and their arguments by position. No
        argument may be in its frame twice, and if a frame has scores, each of its spans has one.
    predicates_key (str | None): Key of the given predicates. A document that gets no frame gets an empty group under
        this key, unless it has the group already: it is annotated, but without frames. None never adds the group.
    spans_key (str): Key of the spans that a component has selected, if it has: the prefix is noted there, too.
    """
    frames = [
        _check_frame(doc, frame, f"frames[{i}]") for i, frame in enumerate(check_list(doc, frames, "frames", "Frame"))
    ]
    groups = []
    for start, end, arguments, roleset, scores, name, descriptions in sorted(frames, key=itemgetter(0, 1)):
        order = sorted(range(len(arguments)), key=arguments.__getitem__)
        attrs: dict[str, object] = {}
        if scores is not None:
            attrs["scores"] = [scores[0], *map(scores[1:].__getitem__, order)]
        said = {"roleset": roleset, "roleset_name": name, "descriptions": descriptions}
        attrs |= {key: known for key, known in said.items() if known}
        if prefix != FRAME_PREFIX:
            attrs[FRAME_NOTE] = prefix
        groups.append(([(start, end, PREDICATE_LABEL), *map(arguments.__getitem__, order)], attrs))
    write_numbered_groups(doc, prefix, groups)
    if not groups and predicates_key is not None and predicates_key not in doc.spans:
        set_predicates(doc, [], predicates_key)
    if spans_key in doc.spans and (prefix, spans_key) != (FRAME_PREFIX, SELECTED_KEY):
        doc.spans[spans_key].attrs[FRAME_NOTE] = prefix


def has_frames_annotated(doc: Doc, prefix: str = FRAME_PREFIX, predicates_key: str = PREDICATES_KEY) -> bool:
    """Check whether a document is annotated for semantic roles: with frames, or with an empty group of predicates.

    Given predicates without frames are no annotation: their arguments have yet to be found.
    """
    has_frames = any(len(doc.spans[key]) for key in frame_keys(doc, prefix))
    return has_frames or (predicates_key in doc.spans and not len(doc.spans[predicates_key]))


def annotates_all_predicates(doc: Doc, predicates_key: str = PREDICATES_KEY) -> bool:
    """Check whether an annotated document has a frame for each of its predicates.

    One with given predicates has frames of these only: nobody knows whether other words are predicates.
    """
    return not len(doc.spans.get(predicates_key, ()))


def get_predicates(doc: Doc, key: str = PREDICATES_KEY) -> list[tuple[int, int]] | None:
    """The given predicates of a document as token offsets, None if it has no group of them."""
    return [(span.start, span.end) for span in read_group(doc, key)] if key in doc.spans else None


def set_predicates(doc: Doc, predicates: Sequence[tuple[int, int]], key: str = PREDICATES_KEY) -> None:
    """Replace the given predicates of a document. An empty list means that the document has no predicate."""
    write_group(doc, key, [(*span, PREDICATE_LABEL) for span in check_spans(doc, predicates, "predicates")])


def set_constituents(doc: Doc, constituents: Sequence[tuple[int, int, str]], key: str = CONSTITUENTS_KEY) -> None:
    """Replace the constituents of a document: (start token, end token, label), outer ones before inner ones."""
    write_group(doc, key, check_labelled(doc, constituents, "constituents", "label"))


def frame_prefixes(doc: Doc) -> list[str]:
    """List the prefixes under which a document has frames, or was found to have none: see `cluster_prefixes`."""
    is_default = bool(frame_keys(doc)) or has_default_group(doc, FRAME_NOTE, SELECTED_KEY)
    is_default = is_default or (PREDICATES_KEY in doc.spans and not len(doc.spans[PREDICATES_KEY]))
    return [*dict.fromkeys([*([FRAME_PREFIX] if is_default else ()), *noted_prefixes(doc, FRAME_NOTE)])]


def find_frame_prefix(doc: Doc) -> str:
    """Find the prefix of the frames that attributes show: the first of `frame_prefixes`, or the default."""
    return FRAME_PREFIX if frame_keys(doc) else next(iter(frame_prefixes(doc)), FRAME_PREFIX)


def find_spans_key(doc: Doc, prefix: str) -> str:
    """Find the key of the selected spans that belong to the frames of a prefix; the default if none is noted."""
    return next(keys_of_prefix(doc, FRAME_NOTE, prefix), SELECTED_KEY)


def _check_frame(doc: Doc, frame: Frame, place: str) -> Frame:
    if not isinstance(frame, Frame):
        fail(doc, place, frame, "a Frame")
    start, end = check_offsets(doc, (frame.start, frame.end), f"the predicate of {place}")
    arguments = [Argument(*argument) for argument in check_labelled(doc, frame.arguments, f"{place}.arguments", "role")]
    check_once(doc, arguments, f"{place}.arguments", "frame")
    roleset = None if frame.roleset is None else check_text(doc, frame.roleset, f"{place}.roleset")
    scores = frame.scores
    if scores is not None:
        scores = check_scores(doc, scores, f"{place}.scores", 1 + len(arguments), "the predicate and its arguments")
    name = None if frame.roleset_name is None else check_text(doc, frame.roleset_name, f"{place}.roleset_name")
    descriptions = frame.descriptions
    if descriptions is not None:
        if not isinstance(descriptions, dict):
            fail(doc, f"{place}.descriptions", descriptions, "a dictionary of texts by role")
        for text in (*descriptions, *descriptions.values()):
            check_text(doc, text, f"{place}.descriptions")
    return Frame(start, end, arguments, roleset, scores, name, descriptions)
