"""`evaluate`: the scores of a pipeline, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from wasabi import msg

from ._app import app, friendly_errors

METRICS = {"coref": "CoNLL", "muc": "MUC", "b3": "B3", "ceaf": "CEAF-phi4", "lea": "LEA", "ment": "Mentions"}


@app.command("evaluate")
def evaluate_cli(
    model: Annotated[str, typer.Argument(help="A trained pipeline: a path or the name of a package")],
    data: Annotated[Path, typer.Argument(help="A .spacy file with gold annotation")],
    output: Annotated[Path | None, typer.Option(help="Write all scores to this JSON file")] = None,
    gpu_id: Annotated[int, typer.Option(help="GPU to use; -1 for the CPU")] = -1,
) -> None:
    """Print precision, recall and F1 of every coreference metric.

    The scores are those of `spacy evaluate`, which prints only the metrics of spaCy's own components.
    """
    import spacy
    import srsly
    from spacy.cli._util import setup_gpu
    from spacy.training import Corpus

    with friendly_errors():
        if not data.is_file():
            raise FileNotFoundError(f"{data}: no such file. Expected a .spacy file, as 'convert' writes it.")
        setup_gpu(gpu_id, silent=True)
        nlp = spacy.load(model)
        scores = nlp.evaluate(list(Corpus(data)(nlp)))
        if scores.get("coref_f") is None:
            raise ValueError(f"{data} has no coreference annotation, or {model} no coreference component.")
        _print_scores(scores)
        if output is not None:
            output.parent.mkdir(parents=True, exist_ok=True)
            srsly.write_json(output, scores)
            typer.echo(f"Scores: {output}")


def _print_scores(scores: dict[str, Any]) -> None:
    rows = []
    for name, title in METRICS.items():
        prefix = "coref" if name == "coref" else f"coref_{name}"
        rows.append((title, *(f"{100 * scores[f'{prefix}_{part}']:.1f}" for part in "prf")))
    msg.table(rows, header=("", "P", "R", "F"), aligns=("l", "r", "r", "r"), divider=True)
    typer.echo(f"Spans per token: {scores['coref_density']:.3f}   Words per second: {scores['speed']:,.0f}")
