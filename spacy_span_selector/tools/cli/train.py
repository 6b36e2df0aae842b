"""`train`: spaCy's training, with checkpoints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from spacy.language import Language
from wasabi import msg

from ._app import app, naming_config, parse_overrides

if TYPE_CHECKING:
    from ..training.checkpoints import Checkpoint, Checkpoints


@app.command("train", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def train_cli(
    ctx: typer.Context,
    config_path: Annotated[Path, typer.Argument(metavar="CONFIG", help="A config, as for 'spacy train'", exists=True)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for pipelines and checkpoints")],
    code_path: Annotated[
        Path | None, typer.Option("--code", "-c", help="Python file with registered functions", exists=True)
    ] = None,
    gpu_id: Annotated[int, typer.Option("--gpu-id", "-g", min=-1, help="GPU to use; -1 for the CPU")] = -1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint, if there is one")] = False,
) -> None:
    """Train a pipeline as 'spacy train' does, with checkpoints that a kill can't destroy.

    Settings of the config can be given as options, such as --training.dropout 0.2. After a kill, or Ctrl-C, the same
    command with --resume goes on from the newest checkpoint, to the same result as without an interruption. A command
    that has --resume from the beginning can be repeated until the training has ended.
    """
    from spacy.cli._util import ENV_VARS, import_code, setup_gpu
    from spacy.training.initialize import init_nlp
    from spacy.util import load_config

    from ..checking.trainings import check_training
    from ..training.checkpoints import Checkpoints, CheckpointSettings, identity

    overrides = parse_overrides(ctx.args, env_var=ENV_VARS.CONFIG_OVERRIDES)
    import_code(code_path)
    setup_gpu(gpu_id)
    with naming_config(config_path):
        config = load_config(config_path, overrides=overrides, interpolate=False)
        settings = config.interpolate()
        check_training(config)
        own_settings = CheckpointSettings.read(settings)
    checkpoints = Checkpoints(output, identity(settings, code_path, gpu_id), own_settings)
    if resume and checkpoints.is_finished():
        msg.good("This training has ended. Without --resume it begins anew.", output)
        return

    def initialize() -> Language:
        msg.divider("Initializing pipeline")
        with naming_config(config_path):
            nlp = init_nlp(config, use_gpu=gpu_id)
        msg.good("Initialized pipeline")
        return nlp

    run_training(checkpoints, initialize, resume=resume, gpu_id=gpu_id)
    msg.good("Saved the pipeline", output / "model-last")


def run_training(checkpoints: Checkpoints, begin: Callable[[], Language], *, resume: bool, gpu_id: int) -> None:
    """Train a pipeline to the end, or until a signal asks to stop; then the command exits.

    checkpoints (Checkpoints): Where the training is.
    begin (Callable): Makes the pipeline, if there is no checkpoint to go on from.
    resume (bool): Whether to go on from one.
    gpu_id (int): The GPU; -1 for the CPU.
    RAISES (ValueError): If a training that has not ended would be lost, or a different one continued.
    """
    from ..training.loop import StopRequest, train

    start = _find_start(checkpoints, resume)
    checkpoints.check_folder()
    if start:
        nlp = start.load_pipeline()
        msg.good(f"Going on after step {start.state['step']}", start.path)
    else:
        nlp = begin()
    msg.divider("Training pipeline")
    msg.info(f"Pipeline: {nlp.pipe_names}")
    with StopRequest(lambda number: os.write(2, b"\nStopping after this step. Again to stop at once.\n")) as stop:
        stopped_by = train(nlp, checkpoints, start, stop, use_gpu=gpu_id, stdout=sys.stdout, stderr=sys.stderr)
    if stopped_by:
        msg.info(f"Stopped by {stopped_by.name}. The same command with --resume goes on.")
        raise typer.Exit(128 + stopped_by)


def _find_start(checkpoints: Checkpoints, resume: bool) -> Checkpoint | None:
    """Find the checkpoint to go on from; None to begin.

    RAISES (ValueError): If a training that has not ended would be lost, or a different one continued.
    """
    start = checkpoints.newest()
    if start and not resume:
        raise ValueError(
            f"{start.path} is of a training that has not ended. Go on with --resume, or delete {checkpoints.folder} "
            "to begin anew."
        )
    if start:
        for line in checkpoints.check(start):
            msg.warn(f"The result may differ from that of one run: {line}")
    return start
