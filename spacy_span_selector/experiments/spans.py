"""The gold and predicted spans of a document for a component, as characters, so that tokenisation does not matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..annotation import cluster_groups, get_frames, has_clusters_annotated, has_frames_annotated
from ..metrics.nesting import depth_class, nesting_depths, width_class
from ..metrics.srl import PREDICATE_ROLE

Characters = tuple[int, int]


@dataclass(frozen=True)
class DocSpans:
    """The spans of a document.

    depths (dict[Characters, str]): The gold spans, mentions or arguments, with the class of their nesting depth.
    widths (dict[Characters, str]): The gold spans with the class of their width in tokens.
    kept (set[Characters]): The spans that the selector kept.
    output (set[Characters]): The spans of the predicted clusters or frames.
    tokens (int): The number of tokens of the predicted document.
    """

    depths: dict[Characters, str]
    widths: dict[Characters, str]
    kept: set[Characters]
    output: set[Characters]
    tokens: int


def selected_spans(doc: Doc, pipe: Any) -> SpanGroup:
    """All spans that the selector of a component kept of a document."""
    return doc.spans[pipe.cfg["spans_key" if "spans_key" in pipe.cfg else "mentions_key"]]


def doc_spans(example: Example, pipe: Any) -> DocSpans | None:
    """Read the spans of an annotated example; None if its reference is not annotated for the component."""
    reference, predicted, cfg = example.reference, example.predicted, pipe.cfg
    if "predicates_key" in cfg:
        if not has_frames_annotated(reference, cfg["prefix"], cfg["predicates_key"]):
            return None
        gold, output = _arguments(reference, cfg["prefix"]), _arguments(predicted, cfg["prefix"])
    else:
        if not has_clusters_annotated(reference, cfg["prefix"], cfg["mentions_key"]):
            return None
        least = 1 if cfg["keep_singletons"] else 2
        gold, output = _mentions(reference, cfg["prefix"], least), _mentions(predicted, cfg["prefix"], least)
    depths = nesting_depths((span.start, span.end) for span in gold)
    return DocSpans(
        depths={_characters(span): depth_class(depths[span.start, span.end]) for span in gold},
        widths={_characters(span): width_class(len(span)) for span in gold},
        kept={_characters(span) for span in selected_spans(predicted, pipe)},
        output={_characters(span) for span in output},
        tokens=len(predicted),
    )


def _mentions(doc: Doc, prefix: str, least: int) -> list[Span]:
    return [span for group in cluster_groups(doc, prefix) if len(group) >= least for span in group]


def _arguments(doc: Doc, prefix: str) -> list[Span]:
    return [
        doc[argument.start : argument.end]
        for frame in get_frames(doc, prefix)
        for argument in frame.arguments
        if argument.role != PREDICATE_ROLE
    ]


def _characters(span: Span) -> Characters:
    return span.start_char, span.end_char
