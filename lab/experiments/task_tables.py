"""The tables and comparisons that only one task has in a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spacy_span_selector.scoring.task import PARTS, Task


class ScoreColumn(NamedTuple):
    """A column of a table.

    title (str): Its heading.
    score (str): Name of the score, from 0 to 1; shown in per cent.
    split (str): "test" or "dev".
    """

    title: str
    score: str
    split: str = "test"


class ScoreTable(NamedTuple):
    """A table with a row for each variant.

    title (str): Its heading.
    note (str): A note for the reader.
    columns (Sequence[ScoreColumn]): Its columns.
    """

    title: str
    note: str
    columns: Sequence[ScoreColumn]


class TaskTables(NamedTuple):
    """All that a report has of one task only.

    tables (Sequence[ScoreTable]): Its tables.
    compared (Mapping[str, str]): Names of the scores by which variants are tested for differences, by title.
    decoding (Sequence[str]): Scores that depend on decoder and threshold.
    """

    tables: Sequence[ScoreTable]
    compared: Mapping[str, str]
    decoding: Sequence[str]


def percent_columns(metrics: Mapping[str, str], split: str = "test") -> list[ScoreColumn]:
    """Make columns for precision, recall and F1 of metrics, by the names of their scores without `_p`, `_r`, `_f`."""
    return [
        ScoreColumn(f"{title} {part}".strip(), f"{metric}_{end}", split)
        for metric, title in metrics.items()
        for end, part in PARTS.items()
    ]


def both_splits(metric: str) -> list[ScoreColumn]:
    """Make columns for precision, recall and F1 of a metric on test and on dev."""
    return [
        column._replace(title=f"{split} {column.title}")
        for split in ("test", "dev")
        for column in percent_columns({metric: ""}, split)
    ]


BY_MAIN_SCORE = {
    "coref_f": TaskTables(
        [
            ScoreTable(
                "Coreference on test",
                "Avg. F1 is the CoNLL score.",
                percent_columns({"coref_muc": "MUC", "coref_b3": "B³", "coref_ceaf": "CEAF-φ4", "coref": "Avg."}),
            ),
            ScoreTable("Coreference on dev", "", percent_columns({"coref": "Avg."}, "dev")),
        ],
        {"CoNLL F1": "coref_f", "mention F1": "coref_ment_f"},
        ("coref_f", "coref_ment_p", "coref_ment_r"),
    ),
    "srl_f": TaskTables(
        [
            ScoreTable("Semantic roles", "Arguments: predicate, span and role are right.", both_splits("srl")),
            ScoreTable(
                "Span accuracy on test",
                "Arguments without their predicates and roles.",
                percent_columns({"srl_span": ""}),
            ),
        ],
        {"F1": "srl_f", "span F1": "srl_span_f"},
        ("srl_f", "srl_span_f", "srl_kept_p", "srl_kept_r"),
    ),
}


def tables_of(task: Task) -> TaskTables:
    """Return the tables of a task; of one that has none here, a table of its main score."""
    metric = task.main_score.removesuffix("_f")
    default = TaskTables(
        [ScoreTable(task.title, "", both_splits(metric))], {task.main_title: task.main_score}, [task.main_score]
    )
    return BY_MAIN_SCORE.get(task.main_score, default)


def score_title(task: Task, score: str) -> str:
    """Return the heading for precision, recall or F1 of a metric: "Mentions P"."""
    metric, _, end = score.rpartition("_")
    return f"{task.scores[metric]} {PARTS[end]}"
