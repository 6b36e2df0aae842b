"""The report of experiments: tables, figures, and the numbers behind them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from spacy_span_selector.scoring.task import get_task
from spacy_span_selector.tools.files.writing import write_files

from .figures import Picture, draw_condition_figures, draw_figures
from .records import Record
from .tables import Table, Variants, condition_tables, escape_markdown, records_of, report_tables

ORDER = ("laminar", "structured", "sigmoid", "greedy", "multitask", "bio")


def write_report(records: Sequence[Record], output: Path, reference: str = "structured") -> list[Path]:
    """Write `report.md`, `report.json` and the figures, with a section for each grid and each of its conditions.

    records (Sequence[Record]): The runs.
    output (Path): The folder to write to.
    reference (str): The variant that the others are compared with; if a grid does not have it, its first variant.
    RETURNS (list[Path]): The files.
    RAISES (ValueError): If there are no records.
    RAISES (OSError): If a file can't be written, naming it; then none is.
    RAISES (ImportError): If matplotlib is not installed.
    """
    if not records:
        raise ValueError("There are no records to report: no run has finished without an error.")
    text = ["# Experiments"]
    values = {}
    files: list[tuple[Path, str | bytes]] = []
    for grid in dict.fromkeys(record["grid"] for record in records):
        own = [record for record in records if record["grid"] == grid]
        names = list(dict.fromkeys(str(record["condition"]) for record in own))
        conditions = {
            name: group_by_variant([record for record in own if record["condition"] == name], reference)
            for name in names
        }
        task = get_task(own[0]["component"])
        # Records may come from elsewhere: a figure stays in the folder whatever its grid is called.
        file = re.sub(r"[^\w.-]+", "_", str(grid)).lstrip(".")
        sections: list[tuple[str, Variants, list[Table], list[Picture]]] = []
        if len(conditions) > 1:
            all_ = group_by_variant(own, reference)
            curves = draw_condition_figures(file, task, conditions)
            sections.append((str(grid), all_, condition_tables(task, conditions), curves))
        for name, variants in conditions.items():
            title = f"{grid}: {name}" if name else str(grid)
            figures = draw_figures(file, task, variants) if len(conditions) == 1 else []
            sections.append((title, variants, report_tables(task, variants), figures))
        for title, variants, tables, figures in sections:
            files += [(output / figure.name, figure.content) for figure in figures]
            text += [f"## {escape_markdown(title)}", describe_runs(variants)]
            text += [f"![{figure.title}]({figure.name})" for figure in figures]
            text += [table.to_markdown() for table in tables]
            values[title] = {table.title: table.values for table in tables}
    files = [
        (output / "report.md", "\n\n".join(text) + "\n"),
        (output / "report.json", json.dumps(values, indent=1, ensure_ascii=False) + "\n"),
        *files,
    ]
    write_files(files)
    return [path for path, _ in files]


def group_by_variant(records: Sequence[Record], reference: str) -> Variants:
    """The runs of each variant: the reference first, then the variants of the paper, then others in their order."""
    names = list(dict.fromkeys(record["variant"] for record in records))
    first = (reference, *ORDER)
    names.sort(key=lambda name: first.index(name) if name in first else len(first))
    return {name: [record for record in records if record["variant"] == name] for name in names}


def describe_runs(variants: Variants) -> str:
    """A summary of the runs."""
    records = records_of(variants)
    seeds = sorted({record["seed"] for record in records})
    folds = dict.fromkeys(record["fold"] for record in records)
    tokens = {record["fold"]: record["tokens"] for record in records}
    return (
        f"{len(records)} runs of {len(variants)} variants. Seeds: {', '.join(map(str, seeds))}. "
        f"Folds: {', '.join(folds)}. Annotated test tokens: {sum(tokens.values()):,}. "
        "Mean ± standard deviation over runs, in per cent unless stated otherwise."
    )
