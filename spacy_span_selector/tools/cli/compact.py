"""`compact`: a copy of a pipeline whose weights take less space."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ._app import Model, app, load_pipeline


@app.command("compact")
def compact_cli(
    model: Model,
    out_path: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write")],
    weights: Annotated[
        str, typer.Option(help="How weights are stored: int8, with a unit for each row, float16 or float32")
    ] = "int8",
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it exists")] = False,
) -> None:
    """Write a copy of a pipeline whose weights take a quarter of the space, or half.

    Loaded weights are float32 again, so it runs as fast as before and can be trained further. Score the copy: what is
    lost depends on the pipeline, so its meta.json has no scores.

    The words of the corpora that it was trained on are left out, unless a component may need them.
    """
    from ...models.compact import save_compact
    from ..training.checkpoints import whole_folder

    if out_path.exists() and not force:
        raise FileExistsError(f"{out_path} exists. Name a folder that does not, or give --force.")
    nlp = load_pipeline(model)
    nlp.meta.pop("performance", None)
    with whole_folder(out_path) as folder:
        needing = save_compact(nlp, folder, weights)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if needing:
        msg.warn(f"{out_path} has all words of its training, which these components may need: {', '.join(needing)}")
    typer.echo(f"{out_path}: {size / 1e6:.1f} MB")
