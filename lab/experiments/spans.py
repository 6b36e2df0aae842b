"""The gold and predicted spans of a document for a component, as characters, so that tokenisation does not matter."""

from __future__ import annotations

from dataclasses import dataclass

from spacy.tokens import Span
from spacy.training import Example

from spacy_span_selector.pipeline.doc_selection import Characters
from spacy_span_selector.pipeline.settings import PipeSettings
from spacy_span_selector.scoring.tasks import Task

from ..metrics.nesting import depth_class, nesting_depths, width_class


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


def doc_spans(example: Example, task: Task, settings: PipeSettings) -> DocSpans | None:
    """Read the spans of an annotated example; None if its reference is not annotated for the task.

    example (Example): The example, with predictions set.
    task (Task): The task of the component.
    settings (PipeSettings): The settings of the component.
    """
    found = task.gold_spans(example.reference, settings)
    if found is None:
        return None
    gold = [span for span in found if len(span)]
    depths = nesting_depths((span.start, span.end) for span in gold)
    return DocSpans(
        depths={_characters(span): depth_class(depths[span.start, span.end]) for span in gold},
        widths={_characters(span): width_class(len(span)) for span in gold},
        kept={_characters(span) for span in example.predicted.spans[settings.selected_key]},
        output={_characters(span) for span in task.gold_spans(example.predicted, settings) or ()},
        tokens=len(example.predicted),
    )


def _characters(span: Span) -> Characters:
    return span.start_char, span.end_char
