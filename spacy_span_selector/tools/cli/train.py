"""`train`: spaCy's training, with checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from spacy.language import Language
from spacy.util import load_model
from wasabi import msg

from ...signatures import naming
from ._app import WITH_OVERRIDES, CodePath, GpuId, Resume, app, naming_config

if TYPE_CHECKING:
    from ..training.checkpoints import Checkpoints


@app.command("train", context_settings=WITH_OVERRIDES)
def train_cli(
    ctx: typer.Context,
    config_path: Annotated[Path, typer.Argument(metavar="CONFIG", help="A config, as for 'spacy train'", exists=True)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for pipelines and checkpoints")],
    code_path: CodePath = None,
    gpu_id: GpuId = -1,
    resume: Resume = False,
) -> None:
    """Train a pipeline as 'spacy train' does, with checkpoints that a kill can't destroy.

    Settings of the config can be given as options, such as --training.dropout 0.2. After a kill, or Ctrl-C, the same
    command with --resume goes on from the newest checkpoint, to the same result as without an interruption. A command
    that has --resume from the beginning can be repeated until the training has ended.
    """
    from spacy.cli._util import import_code, parse_config_overrides, setup_gpu
    from spacy.training.initialize import init_nlp
    from spacy.util import load_config

    from ..checking.trainings import check_training
    from ..training.checkpoints import Checkpoints, identity

    overrides = parse_config_overrides(ctx.args)
    import_code(code_path)
    setup_gpu(gpu_id)
    with naming_config(config_path), naming("[checkpoints]"):
        config = load_config(config_path, overrides=overrides, interpolate=False)
        settings = config.interpolate()
        check_training(config)
        own = settings.get("checkpoints", {})
        checkpoints = Checkpoints(output, identity(settings, code_path, gpu_id), **own)
    for path in checkpoints.identity["files"]:
        if output.resolve().is_relative_to(Path(path).resolve()):
            raise ValueError(f"--output {output} is in {path}, which the training reads. Take another folder.")
    if resume and checkpoints.is_finished() and (output / "model-last").exists():
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
    """Train a pipeline to the end, or until a signal asks to stop; then the command exits."""
    from ..files.runs import only_process_in
    from ..training.checkpoints import PIPELINE
    from ..training.loop import noting_signals, train

    with only_process_in(checkpoints.folder, "train", "take another --output"):
        start = checkpoints.newest()
        if start and not resume:
            found = f"{start.path} is of a training that has not ended"
            raise ValueError(f"{found}. Go on with --resume, or delete {checkpoints.folder} to begin anew.")
        if start:
            for line in checkpoints.check(start):
                msg.warn(f"The result may differ from that of one run: {line}")
            nlp = load_model(start.path / PIPELINE)
            msg.good(f"Going on after step {start.state['step']}", start.path)
        else:
            nlp = begin()
        msg.divider("Training pipeline")
        msg.info(f"Pipeline: {nlp.pipe_names}")
        with noting_signals() as received:
            if not train(nlp, checkpoints, start, received, use_gpu=gpu_id):
                msg.info(f"Stopped by {received[0].name}. The same command with --resume goes on.")
                raise typer.Exit(128 + received[0])
