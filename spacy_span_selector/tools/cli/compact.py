"""`compact`: a copy of a pipeline whose weights take less space."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.strings import StringStore
from spacy.util import load_model
from wasabi import msg

from ..files.folders import made_as
from ..files.pipelines import load_pipeline
from ._app import Model, app

NEEDS_NO_STRING = {
    "entity_resolver",
    "sentencizer",
    "structured_coref",
    "structured_spancat",
    "structured_srl",
    "tok2vec",
    "transformer",
    "word_sentencizer",
}
"""Factories whose components need no string but their labels and those that they add when they are loaded."""


@app.command("compact")
def compact_cli(
    model: Model,
    out_path: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write")],
    weights: Annotated[str, typer.Option(help="How they are stored: int8, float16 or float32")] = "int8",
    force: Annotated[bool, typer.Option("--force", help="Replace the pipeline that is there")] = False,
) -> None:
    """Write a copy of a pipeline whose weights take a quarter of the space, or half.

    Loaded weights are float32 again, so it runs as fast as before and can be trained further. Score the copy: what is
    lost depends on the pipeline. The words of its training corpora are left out, unless a component may need them.
    """
    from ..training.checkpoints import whole_folder

    out_path = out_path.resolve()
    if out_path.exists() and not force:
        raise FileExistsError(f"{out_path} exists. Name a folder that does not, or give --force.")
    if out_path.exists() and made_as(out_path) != "a pipeline":
        raise FileExistsError(f"{out_path} is no pipeline, so it is not replaced. Name another folder.")
    nlp = load_pipeline(model)
    nlp.meta.pop("performance", None)
    with whole_folder(out_path) as folder:
        needing = save_compact(nlp, folder, weights)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if needing:
        msg.warn(f"{out_path} has all words of its training, which these components may need: {', '.join(needing)}")
    typer.echo(f"{out_path}: {size / 1e6:.1f} MB")


def save_compact(nlp: Language, folder: Path, kind: str = "int8") -> list[str]:
    """Save a pipeline so that it takes little space: its weights as numbers of a kind, and no strings, unless there are
    components that may need any, which are returned."""
    from ...models.weights import stored_as

    with stored_as(kind):
        nlp.to_disk(folder)
        unknown = [name for name in nlp.component_names if nlp.get_pipe_meta(name).factory not in NEEDS_NO_STRING]
        if not unknown:
            _leave_out_strings(nlp, folder)
    return unknown


def _leave_out_strings(nlp: Language, folder: Path) -> None:
    """Leave all strings out of a saved pipeline but labels, words that have vectors, and those that loading adds."""
    labels = [label for labels in nlp.pipe_labels.values() for label in labels]
    words = [nlp.vocab.strings[key] for key in nlp.vocab.vectors.key2row if key in nlp.vocab.strings]
    path = folder / "vocab" / "strings.json"
    StringStore([*labels, *words]).to_disk(path)
    load_model(folder).vocab.strings.to_disk(path)
