"""`report`: the tables and figures of experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._app import app


@app.command("report")
def report_cli(
    results: Annotated[
        list[Path], typer.Argument(metavar="OUT_DIR...", help="Folders of experiments, or their files of records")
    ],
    output: Annotated[
        Path | None, typer.Option(help="Folder for report.md, report.json and figures; by default the first OUT_DIR")
    ] = None,
    reference: Annotated[str, typer.Option(help="The variant that the others are compared with")] = "structured",
) -> None:
    """Make the paper's tables and figures from the records of experiments.

    Records of several folders are combined: parts of a grid that were run on several machines, or several grids.
    """
    from lab.experiments.records import read_records
    from lab.experiments.report import write_report

    if output is None:
        output = results[0] if results[0].is_dir() else results[0].parent
    for path in write_report(read_records(results), output, reference):
        typer.echo(str(path))
