"""Semantic roles: one span group per predicate.

`doc.spans["srl_1"]`, `["srl_2"]`, ... hold one frame each, in the order of their predicates: first the predicate,
labelled `V`, then its arguments, labelled with their roles. `attrs["roleset"]` is the sense of the predicate where it
is known, `attrs["scores"]` has one probability per span.

`doc.spans["srl_predicates"]` holds the given predicates of a document: the component finds the arguments of these and
no other predicates. `doc.spans["srl_spans"]` holds every span that the component selected, `attrs["scores"]` their
selection probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spacy.tokens import Doc, Span, SpanGroup

from .keys import numbered_keys

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
    """

    start: int
    end: int
    arguments: list[Argument]
    roleset: str | None = None
    scores: list[float] | None = None


def frame_keys(doc: Doc, prefix: str = FRAME_PREFIX) -> list[str]:
    """The keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    return numbered_keys(doc, prefix)


def frame_groups(doc: Doc, prefix: str = FRAME_PREFIX) -> list[SpanGroup]:
    """The span groups `{prefix}_1`, `{prefix}_2`, ... of a document, in numeric order; empty ones are left out."""
    return [group for key in frame_keys(doc, prefix) if len(group := doc.spans[key])]


def get_frames(doc: Doc, prefix: str = FRAME_PREFIX) -> list[Frame]:
    """The frames of a document. The first span of a group is the predicate, whatever its label."""
    frames = []
    for group in frame_groups(doc, prefix):
        predicate, *arguments = group
        frames.append(
            Frame(
                predicate.start,
                predicate.end,
                [Argument(argument.start, argument.end, argument.label_) for argument in arguments],
                group.attrs.get("roleset"),
                group.attrs.get("scores"),
            )
        )
    return frames


def set_frames(
    doc: Doc, frames: Sequence[Frame], *, prefix: str = FRAME_PREFIX, predicates_key: str | None = PREDICATES_KEY
) -> None:
    """Replace every frame of a document.

    doc (Doc): The document to annotate.
    frames (Sequence[Frame]): The frames in any order: they are sorted here by predicate, and their arguments by
        position, so that frames are numbered in the order of the text.
    prefix (str): Prefix of the keys that are replaced.
    predicates_key (str | None): Key of the given predicates. A document that gets no frame gets an empty group under
        this key, unless it has the group already: it is annotated, but without frames. None never adds the group.
    """
    clear_frames(doc, prefix)
    for number, frame in enumerate(sorted(frames, key=lambda frame: frame[:2]), start=1):
        order = sorted(range(len(frame.arguments)), key=lambda i: frame.arguments[i])
        spans = [Span(doc, frame.start, frame.end, label=PREDICATE_LABEL)]
        spans += [Span(doc, *frame.arguments[i][:2], label=frame.arguments[i].role) for i in order]
        attrs: dict[str, object] = {}
        if frame.scores is not None:
            attrs["scores"] = [float(frame.scores[0]), *(float(frame.scores[i + 1]) for i in order)]
        if frame.roleset:
            attrs["roleset"] = frame.roleset
        key = f"{prefix}_{number}"
        doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=attrs)
    if not frames and predicates_key is not None and predicates_key not in doc.spans:
        set_predicates(doc, [], predicates_key)


def clear_frames(doc: Doc, prefix: str = FRAME_PREFIX) -> None:
    """Remove every frame of a document."""
    for key in frame_keys(doc, prefix):
        del doc.spans[key]


def has_frames_annotated(doc: Doc, prefix: str = FRAME_PREFIX, predicates_key: str = PREDICATES_KEY) -> bool:
    """Whether a document is annotated for semantic roles.

    A document with frames is annotated. A document without frames is annotated if its group of given predicates is
    empty. Given predicates without frames are no annotation: their arguments have yet to be found.

    doc (Doc): The document.
    prefix (str): Prefix of the keys of frames.
    predicates_key (str): Key of the given predicates.
    RETURNS (bool): Whether it is annotated.
    """
    return bool(frame_groups(doc, prefix)) or (predicates_key in doc.spans and not len(doc.spans[predicates_key]))


def get_predicates(doc: Doc, key: str = PREDICATES_KEY) -> list[tuple[int, int]] | None:
    """The given predicates of a document as token offsets, None if it has no group of them."""
    return [(span.start, span.end) for span in doc.spans[key]] if key in doc.spans else None


def set_predicates(doc: Doc, predicates: Sequence[tuple[int, int]], key: str = PREDICATES_KEY) -> None:
    """Replace the given predicates of a document. An empty list means that the document has no predicate."""
    spans = [Span(doc, start, end, label=PREDICATE_LABEL) for start, end in predicates]
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans)


def set_constituents(doc: Doc, constituents: Sequence[tuple[int, int, str]], key: str = CONSTITUENTS_KEY) -> None:
    """Replace the constituents of a document: (start token, end token, label), outer ones before inner ones."""
    spans = [Span(doc, start, end, label=label) for start, end, label in constituents]
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans)
