"""Scores of `structured_spancat`: those of spaCy's `spancat`, of what a corpus is annotated for; and its task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy import registry
from spacy.pipeline.spancat import spancat_score
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..annotation import LABELLED_KEY, as_declared, get_annotates, has_labelled_spans_annotated, read_group
from .metrics.counts import Counts
from .metrics.srl import count_matches
from .task import Task, check_same_text


@registry.scorers("spacy_span_selector.spancat_scorer.v1")
def make_spancat_scorer() -> Callable[..., dict[str, Any]]:
    """Create the scorer of the component: `score_labelled_spans`, to which the component passes its settings."""
    return score_labelled_spans


def score_labelled_spans(examples: Iterable[Example], *, spans_key: str = LABELLED_KEY, **cfg: Any) -> dict[str, Any]:
    """Score predicted spans against gold ones as spaCy's `spancat` does, which passes over those that split gold words.

    Where a reference is annotated for some types, spans of other types do not count, and for "LOC|FAC|GPE" one of
    these three is right.
    """
    examples = list(examples)
    reference = {doc: each.reference for each in examples for doc in (each.predicted, each.reference)}
    return spancat_score(
        examples, spans_key=spans_key, getter=lambda doc, _: _declared_spans(doc, spans_key, reference[doc])
    )


def _declared_spans(doc: Doc, key: str, reference: Doc) -> list[Span]:
    """The labelled spans of a document, with the labels that the annotation of its reference would have."""
    annotates = get_annotates(reference)
    gold: dict[tuple[int, int], list[str]] = {}
    for span in read_group(reference, key) if annotates is None else ():
        gold.setdefault((span.start_char, span.end_char), []).append(span.label_)
    spans = []
    for span in read_group(doc, key):
        known = gold.get((span.start_char, span.end_char), []) if annotates is None else annotates
        label = as_declared(span.label_, known)
        if label is not None or annotates is None:
            spans.append(Span(doc, span.start, span.end, label=span.label_ if label is None else label))
    return spans


def count_labelled_spans(example: Example, *, spans_key: str = LABELLED_KEY, **cfg: Any) -> tuple[Counts, ...] | None:
    """The counts of the labelled spans of one document, all of those predicted: they match if they cover the same
    characters, of texts that must not differ. None if the reference is not annotated."""
    if not has_labelled_spans_annotated(example.reference, spans_key):
        return None
    check_same_text(example.reference, example.predicted)
    gold, predicted = (
        {
            (span.start_char, span.end_char, span.label_)
            for span in _declared_spans(doc, spans_key, example.reference)
            if len(span)
        }
        for doc in (example.reference, example.predicted)
    )
    return (count_matches(gold, predicted),)


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
