"""`compact`: a copy of a pipeline whose weights take less space."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from ._app import app, load_pipeline

MEASURED_WORDS = 20_000
"""About how many words are read, divided among the files, to measure a pipeline."""


@app.command("compact")
def compact_cli(
    model: Annotated[str, typer.Argument(help="A trained pipeline: a path or the name of a package")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write")],
    weights: Annotated[
        str, typer.Option(help="How weights are stored: int8, with a unit for each row, float16 or float32")
    ] = "int8",
    texts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Texts like those that will be annotated (.txt, .jsonl, .parquet or .spacy; can be repeated): the "
            "copy then computes in int8 on CPUs without bfloat16",
        ),
    ] = None,
    hidden_width: Annotated[
        int | None,
        typer.Option(min=1, help="How many units of each hidden layer are left, for faster scores; only with --texts"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it exists")] = False,
) -> None:
    """Write a copy of a pipeline whose weights take a quarter of the space, or half.

    Loaded weights are float32 again, so it runs as fast as before and can be trained further. Score the copy: what is
    lost depends on the pipeline, so its meta.json has no scores.

    The words of the corpora that it was trained on are left out, unless a component may need them.

    With --texts, the pipeline annotates the beginnings of these, of 20,000 words in all. What the layers of its encoder
    read is stored: with that it can multiply in int8. With --hidden-width, hidden units that others can stand in for
    are left out of its other networks. What is annotated then differs a little, see docs/pipelines.md.
    """
    from ...encoders.int8 import encoder_shims, measure_ranges
    from ...models.compact import save_compact
    from ...pipeline.pruning import narrow
    from ..training.checkpoints import whole_folder

    if out_path.exists() and not force:
        raise FileExistsError(f"{out_path} exists. Name a folder that does not, or give --force.")
    if hidden_width and not texts:
        raise ValueError("--hidden-width needs --texts FILE: units are chosen by what they do in texts.")
    nlp = load_pipeline(model)
    nlp.meta.pop("performance", None)
    if texts:
        docs = [doc for path in texts for doc in _read_beginning(path, nlp, MEASURED_WORDS // len(texts))]
        if hidden_width:
            for (component, module), pruned in narrow(nlp, docs, hidden_width).items():
                typer.echo(
                    f"{component}, {module}: {len(pruned.kept)} of {pruned.before} hidden units, scores off by "
                    f"{pruned.error:.2g} of {pruned.size:.2g}"
                )
        if encoder_shims(nlp) or not hidden_width:
            typer.echo(f"Ranges for int8: measured on {measure_ranges(nlp, docs):,} words")
    with whole_folder(out_path) as folder:
        needing = save_compact(nlp, folder, weights)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if needing:
        msg.warn(f"{out_path} has all words of its training, which these components may need: {', '.join(needing)}")
    typer.echo(f"{out_path}: {size / 1e6:.1f} MB")


def _read_beginning(path: str, nlp: Language, words: int) -> Iterator[Doc]:
    """The first documents of a file, or of a folder, of about as many words; the last one is cut."""
    from ...documents.tokenized import make_doc
    from ..annotate.inputs import find_inputs
    from ..annotate.reading import read_records
    from ..annotate.records import Reading

    for record in read_records(find_inputs([path]), Reading()):
        if record.problem:
            raise ValueError(f"{record.source}: {record.problem}")
        content = record.content
        doc = make_doc(nlp, content if isinstance(content, str) else Doc(nlp.vocab).from_bytes(content).text)
        yield doc[:words].as_doc()
        words -= len(doc)
        if words <= 0:
            return
