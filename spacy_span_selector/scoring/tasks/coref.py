"""The task of `structured_coref`."""

from __future__ import annotations

from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from ...annotation import cluster_groups, has_clusters_annotated
from ..scorers.coref import count_coref
from .task import ScoreTable, Task, percent_columns


def gold_spans(doc: Doc, settings: Any) -> list[Span] | None:
    """The mentions of the clusters of a document; None if it is not annotated.

    doc (Doc): The document, gold or predicted.
    settings (CorefPipeSettings): The settings of the component.
    """
    if not has_clusters_annotated(doc, settings.prefix, settings.mentions_key):
        return None
    least = 1 if settings.keep_singletons else 2
    return [span for group in groups(doc, settings) if len(group) >= least for span in group]


def groups(doc: Doc, settings: Any) -> list[SpanGroup]:
    """The clusters of a document."""
    return cluster_groups(doc, settings.prefix)


COREFERENCE = Task(
    factory="structured_coref",
    title="Coreference",
    span="mention",
    group="cluster",
    main_score="coref_f",
    main_title="CoNLL F1",
    scores={
        "coref": "CoNLL",
        "coref_muc": "MUC",
        "coref_b3": "B3",
        "coref_ceaf": "CEAF-phi4",
        "coref_lea": "LEA",
        "coref_ment": "Mentions",
    },
    unlogged=("coref_lea",),
    density="coref_density",
    accuracies={},
    per_label=None,
    tables=(
        ScoreTable(
            "Coreference on test",
            "Avg. F1 is the CoNLL score.",
            percent_columns({"coref_muc": "MUC", "coref_b3": "B³", "coref_ceaf": "CEAF-φ4", "coref": "Avg."}),
        ),
        ScoreTable("Coreference on dev", "", percent_columns({"coref": "Avg."}, "dev")),
    ),
    compared={"CoNLL F1": "coref_f", "mention F1": "coref_ment_f"},
    decoding_scores=("coref_f", "coref_ment_p", "coref_ment_r"),
    reader_settings={"cluster_prefix": "prefix", "given_key": "given_key"},
    main_counts=count_coref,
    gold_spans=gold_spans,
    groups=groups,
)
