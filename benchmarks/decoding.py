"""What the decoder and its threshold do to a trained pipeline: nothing else changes between the rows.

    python benchmarks/decoding.py training/litbank0/model-best corpus/litbank0/dev.spacy corpus/litbank0/test.spacy

Choose a threshold on development data alone; other data are for showing that the choice holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import spacy
import typer
from spacy.training import Corpus
from wasabi import msg

from spacy_span_selector.pipeline.structured_coref import StructuredCoref

THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6)
DECODERS = [("map", 0.0), *(("marginal", threshold) for threshold in THRESHOLDS)]
COLUMNS = {
    "CoNLL F1": ("coref_f", 100, ".1f"),
    "mentions P": ("coref_ment_p", 100, ".1f"),
    "mentions R": ("coref_ment_r", 100, ".1f"),
    "spans per token": ("coref_density", 1, ".3f"),
}


def main(
    model: Annotated[Path, typer.Argument(help="A trained pipeline with structured_coref")],
    data: Annotated[list[Path], typer.Argument(help="Files with gold annotation")],
    component: Annotated[str, typer.Option(help="Name of the component")] = "structured_coref",
) -> None:
    """Print a table for each file."""
    nlp = spacy.load(model)
    settings = cast(StructuredCoref, nlp.get_pipe(component)).cfg
    for path in data:
        examples = list(Corpus(path)(nlp))
        rows = []
        for decoding, threshold in DECODERS:
            settings.update(decoding=decoding, threshold=threshold)
            scores = nlp.evaluate(examples)
            values = (format(factor * scores[name], form) for name, factor, form in COLUMNS.values())
            rows.append((decoding if decoding == "map" else f"{decoding}, {threshold}", *values))
        typer.echo(f"\n{path}")
        msg.table(rows, header=("decoder", *COLUMNS), aligns=("l", *"rrrr"), divider=True)


if __name__ == "__main__":
    typer.run(main)
