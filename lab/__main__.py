"""The laboratory's command line: `python -m lab`, from the root of a clone."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from thinc.compat import has_gpu
from wasabi import msg

from spacy_span_selector.tools.cli._app import FriendlyGroup

from .experiments.grid import check_runs, choose_runs, read_grid
from .experiments.records import read_records
from .experiments.report import write_report
from .experiments.runner import Workplace, pending_runs, run_all
from .tree import main as tree_cli

BENCHMARKS = (
    *("annotate", "train-step", "profile", "long-documents", "wcfg", "decoding", "marked-tagger", "quotations"),
    *("casts", "things", "name-relations", "official-scorer", "official-srl-scorer", "entities", "fastcoref"),
    *("calls", "coreferee", "declared-types", "everyday", "contradictions", "talk", "winobias", "gap", "qasrl"),
)
"""Their commands, named like their modules, each of which has a `main`, and whose docstring is the help."""

app = typer.Typer(
    name="python -m lab",
    cls=FriendlyGroup,
    help="Run experiments and benchmarks of the package; see lab/README.md.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("experiment")
def experiment_cli(
    grid: Annotated[Path, typer.Argument(metavar="GRID.cfg", help="The grid: see lab/grids")],
    out_dir: Annotated[Path, typer.Argument(help="Folder for results.jsonl, and for config and log of each run")],
    gpu_id: Annotated[int, typer.Option(min=-1, help="GPU to use; -1 for the CPU")] = -1,
    jobs: Annotated[int, typer.Option(min=1, help="Number of parallel runs")] = 1,
    only: Annotated[
        list[str] | None, typer.Option(help="Run only runs whose name matches, as 'greedy-seed0-*'; may be repeated")
    ] = None,
    keep_models: Annotated[bool, typer.Option(help="Keep the pipelines after they are measured")] = False,
) -> None:
    """Train and measure every variant of a grid with every seed on every fold.

    A run whose record is in OUT_DIR/results.jsonl is not repeated, so an interrupted experiment can be resumed by
    starting it again. If runs fail, the others continue, and the exit status is 1.
    """
    if gpu_id >= 0 and not has_gpu:
        raise ValueError(
            f"There is no GPU {gpu_id}: spaCy finds no GPU, or lacks CuPy, which "
            "'pip install spacy[cuda12x]' installs. Omit --gpu-id to use the CPU."
        )
    runs = choose_runs(read_grid(grid), only or [])
    workplace = Workplace(out_dir, gpu_id, jobs, keep_models)
    check_runs(pending_runs(runs, workplace.results))
    with workplace.alone():
        pending = pending_runs(runs, workplace.results)  # another experiment may have ended in the meantime
        typer.echo(f"{len(runs)} runs, {len(runs) - len(pending)} of them done")
        failures = run_all(pending, workplace)
    typer.echo(f"Records: {workplace.results}")
    if failures:
        msg.fail(f"{len(failures)} of {len(pending)} runs failed: {', '.join(failures)}", exits=1)


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
    if output is None:
        output = results[0] if results[0].is_dir() else results[0].parent
    for path in write_report(read_records(results), output, reference):
        typer.echo(str(path))


app.command("tree")(tree_cli)

for name in BENCHMARKS:
    module = import_module(f".benchmarks.{name.replace('-', '_')}", __package__)
    text = str(module.__doc__)
    unknown = {"ignore_unknown_options": name == "casts"}  # it takes settings of the pipeline
    app.command(name, help=text, short_help=text.splitlines()[0], context_settings=unknown)(module.main)

if __name__ == "__main__":
    app()
