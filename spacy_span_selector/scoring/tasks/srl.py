"""The task of `structured_srl`."""

from __future__ import annotations

from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from ...annotation import frame_groups, has_frames_annotated
from ..metrics.srl import PREDICATE_ROLE
from ..scorers.srl import count_srl
from .task import ScoreColumn, ScoreTable, Task, percent_columns


def gold_spans(doc: Doc, settings: Any) -> list[Span] | None:
    """The arguments of the frames of a document; None if it is not annotated.

    doc (Doc): The document, gold or predicted.
    settings (SrlPipeSettings): The settings of the component.
    """
    if not has_frames_annotated(doc, settings.prefix, settings.predicates_key):
        return None
    arguments = (argument for group in groups(doc, settings) for argument in list(group)[1:])
    return [argument for argument in arguments if argument.label_ != PREDICATE_ROLE]


def groups(doc: Doc, settings: Any) -> list[SpanGroup]:
    """The frames of a document."""
    return frame_groups(doc, settings.prefix)


SEMANTIC_ROLES = Task(
    factory="structured_srl",
    title="Semantic roles",
    span="argument",
    group="frame",
    main_score="srl_f",
    main_title="F1 of arguments",
    scores={"srl": "Arguments", "srl_span": "Unlabelled", "srl_pred": "Predicates", "srl_kept": "Kept spans"},
    unlogged=("srl_kept",),
    density="srl_density",
    accuracies={"srl_sense_acc": "Roleset accuracy"},
    per_label="srl_per_role",
    tables=(
        ScoreTable(
            "Semantic roles",
            "Arguments: predicate, span and role are right.",
            [
                ScoreColumn(f"{split} {column.title}", column.score, split)
                for split in ("test", "dev")
                for column in percent_columns({"srl": ""}, split)
            ],
        ),
        ScoreTable(
            "Span accuracy on test", "Arguments without their predicates and roles.", percent_columns({"srl_span": ""})
        ),
    ),
    compared={"F1": "srl_f", "span F1": "srl_span_f"},
    decoding_scores=("srl_f", "srl_span_f", "srl_kept_p", "srl_kept_r"),
    reader_settings={"prefix": "prefix", "predicates_key": "predicates_key"},
    main_counts=count_srl,
    gold_spans=gold_spans,
    groups=groups,
)
