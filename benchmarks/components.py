"""How long each component of a trained pipeline takes to annotate a corpus, and how much memory that needs.

python benchmarks/components.py training/ewt-StructuredSelector/model-best corpus/ewt/test.spacy
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, cast

import spacy
import torch
import typer
from spacy.pipeline import Pipe
from wasabi import msg

from spacy_span_selector.experiments.peak_memory import peak_memory
from spacy_span_selector.readers import create_corpus

MB = 1 << 20


def main(
    model: Annotated[Path, typer.Argument(help="A trained pipeline")],
    data: Annotated[Path, typer.Argument(help="A .spacy file; only its text is used")],
    threads: Annotated[int, typer.Option(help="Threads that torch uses; its own choice if 0")] = 0,
) -> None:
    """Print a table."""
    if threads:
        torch.set_num_threads(threads)
    nlp = spacy.load(model)
    docs = [example.predicted for example in create_corpus(data, gold_tokens=False, sentences=False)(nlp)]
    list(nlp.pipe(doc.copy() for doc in docs[:3]))  # what is built at first use is not counted
    loaded = peak_memory() / MB
    words = sum(map(len, docs))
    seconds: dict[str, float] = {}
    for name, pipe in nlp.pipeline:
        start = time.perf_counter()
        docs = list(cast(Pipe, pipe).pipe(docs, batch_size=nlp.batch_size))
        seconds[name] = time.perf_counter() - start
    total = sum(seconds.values())
    rows = [(name, f"{spent:.2f}", f"{100 * spent / total:.0f} %") for name, spent in seconds.items()]
    msg.table(rows, header=("component", "seconds", "share"), aligns=("l", "r", "r"), divider=True)
    typer.echo(f"{words:,} words in {total:.1f} s: {words / total:,.0f} words per second")
    typer.echo(
        f"Peak memory {peak_memory() / MB:,.0f} MB, {loaded:,.0f} MB of it once the pipeline was loaded and warm"
    )


if __name__ == "__main__":
    typer.run(main)
