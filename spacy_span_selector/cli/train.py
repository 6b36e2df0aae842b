"""`train`: spaCy's training, made so that it can go on after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from wasabi import msg

from ._app import app, friendly_errors


@app.command("train", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def train_cli(
    ctx: typer.Context,
    config_path: Annotated[Path, typer.Argument(metavar="CONFIG", help="A config, as for 'spacy train'", exists=True)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for pipelines and checkpoints")],
    code_path: Annotated[
        Path | None, typer.Option("--code", "-c", help="Python file with registered functions", exists=True)
    ] = None,
    gpu_id: Annotated[int, typer.Option("--gpu-id", "-g", help="GPU to use; -1 for the CPU")] = -1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint, if there is one")] = False,
) -> None:
    """Train a pipeline like 'spacy train', with checkpoints that a kill can't destroy.

    Settings of the config may be given as options, as in --training.max_steps 1000. After a kill, or Ctrl-C, the same
    command with --resume goes on from the newest checkpoint, to the same result as without an interruption. With
    --resume from the start, it may be run again until it ends.
    """
    from spacy.cli._util import import_code, parse_config_overrides, setup_gpu, show_validation_error
    from spacy.util import load_config

    from ..training.checkpoints import Checkpoints, CheckpointSettings
    from ..training.identity import identity

    overrides = parse_config_overrides(ctx.args)
    import_code(code_path)
    setup_gpu(gpu_id)
    with show_validation_error(config_path), friendly_errors():
        config = load_config(config_path, overrides=overrides, interpolate=False)
        settings = CheckpointSettings.read(config.interpolate())
        checkpoints = Checkpoints(output, identity(config, code_path, gpu_id), settings)
        if resume and checkpoints.is_finished():
            msg.good(f"This training has ended: {output}", "Without --resume, it begins anew.")
            return
        stopped_by = _train(config, checkpoints, resume, gpu_id)
    if stopped_by:
        msg.info(f"Stopped by {stopped_by.name}. The same command with --resume goes on.")
        raise typer.Exit(128 + stopped_by)
    msg.good("Saved the pipeline", output / "model-last")


def _train(config: Any, checkpoints: Any, resume: bool, gpu_id: int) -> Any:
    """Train from the newest checkpoint, or from the beginning; the signal that stopped it, if any."""
    from spacy.training.initialize import init_nlp

    from ..training.loop import train

    start = checkpoints.newest()
    if start and not resume:
        raise ValueError(
            f"{start.path} is of a training that has not ended. Go on with --resume, or delete {checkpoints.folder} "
            "to begin anew."
        )
    if start:
        for line in checkpoints.check(start):
            msg.warn(f"The result may differ from that of one run: {line}")
        msg.divider("Loading checkpoint")
        nlp = start.load_pipeline()
        msg.good(f"Going on after step {start.state['step']} of {start.path}")
    else:
        msg.divider("Initializing pipeline")
        nlp = init_nlp(config, use_gpu=gpu_id)
        msg.good("Initialized pipeline")
    msg.divider("Training pipeline")
    msg.info(f"Pipeline: {nlp.pipe_names}")
    return train(nlp, checkpoints, start, use_gpu=gpu_id)
