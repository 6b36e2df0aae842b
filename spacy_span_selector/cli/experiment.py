"""`experiment`: train and measure a grid of selectors, seeds and folds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from thinc.compat import has_gpu
from wasabi import msg

from ._app import app


@app.command("experiment")
def experiment_cli(
    grid: Annotated[Path, typer.Argument(metavar="GRID.cfg", help="What to train: see lab/grids")],
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
    from lab.experiments.grid import check_runs, choose_runs, read_grid
    from lab.experiments.lock import only_experiment_in
    from lab.experiments.runner import Workplace, pending_runs, run_all

    if gpu_id >= 0 and not has_gpu:
        raise ValueError(
            f"There is no GPU {gpu_id}: spaCy finds no GPU, or lacks CuPy, which "
            "'pip install spacy[cuda12x]' installs. Omit --gpu-id to use the CPU."
        )
    runs = choose_runs(read_grid(grid), only or [])
    workplace = Workplace(out_dir, gpu_id, jobs, keep_models)
    check_runs(pending_runs(runs, workplace.results))
    with only_experiment_in(out_dir):
        pending = pending_runs(runs, workplace.results)  # another experiment may have ended in the meantime
        typer.echo(f"{len(runs)} runs, {len(runs) - len(pending)} of them done")
        failures = run_all(pending, workplace)
    typer.echo(f"Records: {workplace.results}")
    if failures:
        msg.fail(f"{len(failures)} of {len(pending)} runs failed: {', '.join(failures)}", exits=1)
