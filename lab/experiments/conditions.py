"""The tables of a grid with conditions: a row for each condition, a column for each variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from spacy_span_selector.scoring.tasks import Task

from .bootstrap import paired_bootstrap
from .calibration import calibration_error
from .records import Record
from .statistics import Measure, average_precision, crossing_share, mean, paired_test, score, span_score
from .tables import Column, Table, Variants, show_interval, show_mean, show_p, show_points

ALL = "all"
"""What the row of all conditions together is called."""

Conditions = Mapping[str, Variants]
"""The runs of each variant under each condition of a grid."""


def condition_tables(task: Task, conditions: Conditions) -> list[Table]:
    """How the variants compare under each condition.

    task (Task): What the measured components do.
    conditions (Conditions): The runs.
    """
    span = task.span
    columns = [
        Column(f"{task.main_title} on test", score(task.main_score)),
        Column(f"{task.main_title} on dev", score(task.main_score, "dev")),
        Column(f"F1 of kept {span}s", span_score("kept", "f")),
        Column(f"average precision of {span}s", average_precision),
        Column("ECE, spans with p ≥ 0.05", lambda record: calibration_error(record, 1)),
        Column("kept spans that cross another one, %", crossing_share, 100, 2),
    ]
    tables = [_measure_table(column, conditions) for column in columns]
    for split in ("test", "dev"):
        tables.append(_difference_table(task, conditions, split))
    return tables


def _measure_table(column: Column, conditions: Conditions) -> Table:
    names = _variants(conditions)
    values = {
        condition: {name: mean(variants.get(name, ()), column.measure) for name in names}
        for condition, variants in conditions.items()
    }
    rows = [[condition, *(show_mean(row[name], column) for name in names)] for condition, row in values.items()]
    plain = {
        condition: {name: value and asdict(value) for name, value in row.items()} for condition, row in values.items()
    }
    return Table(column.title[0].upper() + column.title[1:], "", ["", *names], rows, plain)


def _difference_table(task: Task, conditions: Conditions, split: str) -> Table:
    """The first variant against each other one, by a t-test over runs and by bootstrap over documents."""
    names = _variants(conditions)
    reference, *others = names
    measure: Measure = score(task.main_score, split)
    rows: list[list[str]] = []
    values: dict[str, Any] = {}
    together = {name: [record for own in conditions.values() for record in own.get(name, ())] for name in names}
    for condition, variants in {**conditions, ALL: together}.items():
        for name in others:
            ours: Sequence[Record] = variants.get(reference, ())
            theirs: Sequence[Record] = variants.get(name, ())
            test, bootstrap = paired_test(ours, theirs, measure), paired_bootstrap(ours, theirs, split)
            values[f"{condition}: {name}"] = {"t-test": asdict(test), "bootstrap": asdict(bootstrap)}
            by_run = [str(test.pairs), show_points(test.difference), show_p(test.p)]
            by_document = [str(bootstrap.documents), show_interval(bootstrap), show_p(bootstrap.p)]
            rows.append([condition, name, *by_run, *by_document])
    header = ["", "against", "pairs", f"{reference} is better by", "p", "documents", "95 % interval", "p, bootstrap"]
    return Table(
        f"{task.main_title} of {reference} and the others on {split}",
        "Differences in points. p: two-tailed paired t-test over runs with the same condition, seed and fold. Interval "
        "and its p: paired bootstrap over the documents of all folds, scored as one corpus.",
        header,
        rows,
        values,
    )


def _variants(conditions: Conditions) -> list[str]:
    return list(dict.fromkeys(name for variants in conditions.values() for name in variants))
