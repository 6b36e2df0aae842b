"""The task of `structured_spancat`, whose scorer is that of spaCy's `spancat`."""

from __future__ import annotations

from typing import Any

from spacy.tokens import Doc, SpanGroup
from spacy.training import Example

from ..annotation import LABELLED_KEY, has_labelled_spans_annotated, read_group
from .metrics.counts import Counts
from .metrics.srl import count_matches
from .task import Task, check_same_text


def count_labelled_spans(example: Example, *, spans_key: str = LABELLED_KEY, **cfg: Any) -> tuple[Counts, ...] | None:
    """The counts of the labelled spans of one document, whose F1 is the main score.

    Spans match if they cover the same characters. None if the reference is not annotated.

    RAISES (ValueError): If the texts of an annotated reference and its prediction differ.
    """
    if not has_labelled_spans_annotated(example.reference, spans_key):
        return None
    check_same_text(example.reference, example.predicted)
    gold, predicted = (_by_character(doc, spans_key) for doc in (example.reference, example.predicted))
    return (count_matches(gold, predicted),)


def _by_character(doc: Doc, key: str) -> set[tuple[int, int, str]]:
    return {(span.start_char, span.end_char, span.label_) for span in read_group(doc, key) if len(span)}


def _groups(doc: Doc, settings: Any) -> list[SpanGroup]:
    return [read_group(doc, settings.spans_key)] if settings.spans_key in doc.spans else []


def _task(key: str) -> Task:
    return Task(
        factory="structured_spancat",
        title="Labelled spans",
        span="labelled span",
        group="labelled span",
        main_score=f"spans_{key}_f",
        main_title="F1 of labelled spans",
        scores={f"spans_{key}": f"Labelled spans{'' if key == LABELLED_KEY else f' ({key})'}"},
        per_label=f"spans_{key}_per_type",
        main_counts=count_labelled_spans,
        gold_spans=lambda doc, settings: next(map(list, _groups(doc, settings)), None),
        groups=_groups,
        can_learn=lambda doc, settings: any(map(len, _groups(doc, settings))),
        of_settings=lambda settings: _task(settings.spans_key),
    )


LABELLED_SPANS = _task(LABELLED_KEY)
