"""The tables of a report, which correspond to those of the paper, as numbers and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from spacy_span_selector.scoring.task import PARTS, Task

from ..metrics import DEPTHS, WIDTHS
from .records import Record
from .statistics import (
    Bootstrap,
    Mean,
    Measure,
    average_precision,
    calibration_error,
    class_recall,
    count_wins,
    crossing_share,
    mean,
    mean_curve,
    paired_bootstrap,
    paired_test,
    recall_at,
    score,
    span_score,
    spans_per_token,
)
from .task_tables import tables_of

MISSING = "–"

Variants = Mapping[str, Sequence[Record]]
"""The runs of each variant of a grid."""

Conditions = Mapping[str, Variants]
"""The runs of each variant under each condition of a grid."""

ALL = "all"
"""What the row of all conditions together is called."""


@dataclass(frozen=True)
class Column:
    """A column of a table of variants.

    title (str): Its heading.
    measure (Measure): The number whose mean it shows.
    scale (float): The factor that the mean is multiplied by.
    digits (int): Digits after the decimal point.
    """

    title: str
    measure: Measure
    scale: float = 100.0
    digits: int = 1


@dataclass(frozen=True)
class Table:
    """A table.

    title (str): Its heading.
    note (str): An explanation.
    header (list[str]): The headings of its columns.
    rows (list[list[str]]): Its cells.
    values (Any): The numbers behind the cells, for JSON.
    """

    title: str
    note: str
    header: list[str]
    rows: list[list[str]]
    values: Any

    def to_markdown(self) -> str:
        """The table in Markdown, with its heading; names in it are shown as they are."""
        lines = ["| " + " | ".join(map(escape_markdown, row)) + " |" for row in (self.header, *self.rows)]
        lines.insert(1, "|---" + "|---:" * (len(self.header) - 1) + "|")
        return "\n".join([f"### {self.title}", "", *([self.note, ""] if self.note else []), *lines])


def report_tables(task: Task, variants: Variants) -> list[Table]:
    """The tables of a grid: those of its task, then those that all tasks have."""
    own = [
        variant_table(title, note, variants, [Column(name, score(key, split)) for name, key, split in columns])
        for title, note, columns in tables_of(task).tables
    ]
    return [
        *own,
        significance_table(variants, {title: score(name) for title, name in tables_of(task).compared.items()}),
        *bootstrap_tables(task, variants),
        *span_tables(variants, f"{task.span}s", f"{task.group}s"),
        *prediction_tables(task, variants),
        *elsewhere_tables(task, variants),
        cost_table(variants),
        calibration_table(variants),
    ]


def span_tables(variants: Variants, what: str, output: str) -> list[Table]:
    """The tables of the spans that selectors keep, and how many of them are gold."""
    columns = [Column("spans per token", spans_per_token, 1, 3)]
    for kind, title in (("kept", "kept"), ("output", f"in {output}")):
        columns += [Column(f"{title} {PARTS[part]}", span_score(kind, part)) for part in PARTS]
    return [
        variant_table(
            f"Selected spans against gold {what}",
            f"Kept: the spans that the selector passes on. In {output}: the spans in the output of the pipeline.",
            variants,
            columns,
        ),
        ratio_table(variants, what),
        class_table(variants, f"Recall of {what} by nesting depth", "depth", DEPTHS, output),
        class_table(variants, f"Recall of {what} by width in tokens", "width", WIDTHS, output),
    ]


def variant_table(title: str, note: str, variants: Variants, columns: Sequence[Column]) -> Table:
    """A row for each variant, mean and standard deviation over its runs in each cell."""
    values = {
        name: {column.title: mean(records, column.measure) for column in columns} for name, records in variants.items()
    }
    rows = [
        [name, str(len(variants[name])), *(show_mean(row[column.title], column) for column in columns)]
        for name, row in values.items()
    ]
    header = ["", "runs", *(column.title for column in columns)]
    plain = {name: {key: value and asdict(value) for key, value in row.items()} for name, row in values.items()}
    return Table(title, note, header, rows, plain)


def class_table(variants: Variants, title: str, classes: str, names: Sequence[str], output: str) -> Table:
    """Recall by class, with the number of gold spans of each class in the last row."""
    columns = [
        Column(f"{label} {name}", class_recall(kind, classes, name))
        for kind, label in (("kept", "kept"), ("output", f"in {output}"))
        for name in names
    ]
    table = variant_table(title, "", variants, columns)
    folds = {record["fold"]: record["kept"][classes] for records in variants.values() for record in records}
    gold = {name: sum(fold[name]["gold"] for fold in folds.values()) for name in names}
    row = ["gold spans", "", *(f"{gold[name]:,}" for name in names), *("" for _ in names)]
    return Table(title, "", table.header, [*table.rows, row], {"recall": table.values, "gold": gold})


def ratio_table(variants: Variants, what: str) -> Table:
    """Recall of each selector at its own setting, and when it keeps as many spans as the reference."""
    reference, records = next(iter(variants.items()))
    spans = mean(records, spans_per_token)
    rows, values = [], {}
    for name, own in variants.items():
        curve = mean_curve(own)
        recall = recall_at(curve, spans.mean) if spans else None
        ratio, actual = mean(own, spans_per_token), mean(own, span_score("kept", "r"))
        cells = [show_mean(ratio, Column("", spans_per_token, 1, 3)), show_mean(actual, Column("", spans_per_token))]
        rows.append([name, *cells, MISSING if recall is None else f"{100 * recall:.1f}"])
        values[name] = {"recall_at_ratio_of_reference": recall, "curve": curve}
    return Table(
        f"Recall of {what} and number of spans kept",
        f"For the last column a selector's threshold or ratio is changed until it keeps as many spans as {reference}.",
        ["", "spans per token", "recall", f"recall at {spans.mean:.3f}" if spans else "recall"],
        rows,
        values,
    )


def significance_table(variants: Variants, measures: Mapping[str, Measure]) -> Table:
    """The first variant compared with each other one."""
    reference, *others = variants
    rows, values = [], {}
    for name in others:
        for title, measure in measures.items():
            test = paired_test(variants[reference], variants[name], measure)
            values[f"{name}: {title}"] = asdict(test)
            difference = show_points(test.difference)
            if test.p is not None and test.t is not None:
                cells = [f"{test.t:.2f}", show_p(test.p)]
            else:
                cells = [MISSING, "fewer than 2 pairs" if test.pairs < 2 else "all pairs differ by the same amount"]
            rows.append([name, title, str(test.pairs), difference, *cells])
    return Table(
        f"Difference between {reference} and the others on test",
        "Two-tailed paired t-test over runs with the same seed and fold; differences in points.",
        ["", "measure", "pairs", f"{reference} is better by", "t", "p"],
        rows,
        values,
    )


def bootstrap_tables(task: Task, variants: Variants) -> list[Table]:
    """The first variant compared with each other one on samples of documents."""
    return [_bootstrap_table(task, variants, split) for split in ("test", "dev")]


def _bootstrap_table(task: Task, variants: Variants, split: str) -> Table:
    reference, *others = variants
    tests = {name: paired_bootstrap(variants[reference], variants[name], split) for name in others}
    wins = {name: count_wins(variants[reference], variants[name], score(task.main_score, split)) for name in others}
    rows = [
        [
            *(name, str(test.documents), show_points(test.difference), show_interval(test), show_p(test.p)),
            f"{wins[name].first} of {wins[name].pairs} runs",
        ]
        for name, test in tests.items()
    ]
    return Table(
        f"{task.main_title} of {reference} and the others on documents of {split}",
        "Paired bootstrap over the documents of all folds, scored as one corpus; differences in points. Last column: "
        "runs with the same seed and fold.",
        ["", "documents", f"{reference} is better by", "95 % interval", "p", f"{reference} is better in"],
        rows,
        {name: {**asdict(test), "wins": asdict(wins[name])} for name, test in tests.items()},
    )


def prediction_tables(task: Task, variants: Variants) -> list[Table]:
    """What other settings at prediction change, without another training; no table if none were tried."""
    rows: dict[str, list[Record]] = {}
    for name, records in variants.items():
        names = dict.fromkeys(other for record in records for other in record["predictions"])
        for other in names:
            both = [record for record in records if other in record["predictions"]]
            rows.setdefault(name, list(both))
            rows[f"{name}, {other}"] = [{**record, **record["predictions"][other]} for record in both]
    columns = [
        Column(f"{task.main_title} on dev", score(task.main_score, "dev")),
        Column(f"{task.main_title} on test", score(task.main_score)),
        *(Column(f"kept {PARTS[part]}", span_score("kept", part)) for part in PARTS),
        Column("spans per token", spans_per_token, 1, 3),
        Column("cross another one, %", crossing_share, 100, 2),
    ]
    title, note = "Other settings at prediction", "The same trained pipelines as in the rows above each."
    return [variant_table(title, note, rows, columns)] if rows else []


def elsewhere_tables(task: Task, variants: Variants) -> list[Table]:
    """How good the pipelines are on other corpora."""
    names = dict.fromkeys(name for record in records_of(variants) for name in record["elsewhere"])
    tables: list[Table] = []
    for name in names:
        there = {
            variant: [{**record, **record["elsewhere"][name]} for record in records if name in record["elsewhere"]]
            for variant, records in variants.items()
        }
        columns = [
            Column(task.main_title, score(task.main_score)),
            *(Column(f"kept {PARTS[part]}", span_score("kept", part)) for part in PARTS),
            Column("average precision", average_precision),
            Column("spans per token", spans_per_token, 1, 3),
        ]
        tables += [
            variant_table(f"On {name}", "Trained on the grid's own corpus, measured on this one.", there, columns),
            class_table(there, f"Recall of {task.span}s on {name} by nesting depth", "depth", DEPTHS, f"{task.group}s"),
            class_table(there, f"Recall of {task.span}s on {name} by width", "width", WIDTHS, f"{task.group}s"),
        ]
    return tables


def records_of(variants: Variants) -> list[Record]:
    """All runs of a grid."""
    return [record for records in variants.values() for record in records]


def cost_table(variants: Variants) -> Table:
    """Memory and speed."""
    columns = [
        Column("peak memory, MB", lambda record: record["memory"]["peak_mb"], 1, 0),
        Column("words per second", lambda record: record["memory"]["words"] / record["memory"]["seconds"], 1, 0),
        Column("training, minutes", lambda record: record["training"]["seconds"] / 60, 1, 1),
        Column("training, words per second", lambda record: record["training"]["words_per_second"], 1, 0),
    ]
    all_records = [record for records in variants.values() for record in records]
    devices = " and ".join(sorted({record["memory"]["device"] for record in all_records}))
    jobs = " or ".join(map(str, sorted({record["jobs"] for record in all_records})))
    return variant_table(
        "Memory and speed",
        f"Peak memory while the test documents are annotated, above that of the loaded pipeline. Device: {devices}; "
        f"{jobs} parallel run(s), which reduce speed. Training includes its evaluations on dev.",
        variants,
        columns,
    )


def calibration_table(variants: Variants) -> Table:
    """The calibration errors."""
    columns = [
        Column("ECE, all spans", lambda record: calibration_error(record, 0), 100, 3),
        Column("ECE, spans with p ≥ 0.05", lambda record: calibration_error(record, 1), 100, 2),
        Column("average precision", average_precision),
    ]
    return variant_table(
        "Calibration of the selection probability",
        "Expected calibration error in points over 20 bins of equal width. Nearly all spans of a text are obviously "
        "not gold, so the second column leaves out the lowest bin. Average precision is that of all spans, ranked.",
        variants,
        columns,
    )


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


def show_interval(test: Bootstrap) -> str:
    """A cell: the interval of a bootstrap, in points."""
    if test.low is None or test.high is None:
        return MISSING
    return f"{100 * test.low:+.2f} to {100 * test.high:+.2f}"


def show_p(p: float | None) -> str:
    """A cell: a p-value."""
    return MISSING if p is None else f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def show_points(difference: float | None) -> str:
    """A cell: a difference, in points."""
    return MISSING if difference is None else f"{100 * difference:+.2f}"


def escape_markdown(text: str) -> str:
    """Text for a heading or a cell of Markdown: a bar would end the cell, a line end the table, and a tag is markup."""
    return escape(" ".join(text.split()), quote=False).replace("|", "\\|")


def show_mean(value: Mean | None, column: Column) -> str:
    """A cell: mean and standard deviation."""
    if value is None:
        return MISSING
    text = f"{column.scale * value.mean:.{column.digits}f}"
    if value.deviation is None:
        return text
    return f"{text} ± {column.scale * value.deviation:.{column.digits}f}"
