"""What a trained pipeline needs for one long document: seconds, words per second and peak memory by length, and how
much of it is for what comes before `structured_coref`: the encoder.

python benchmarks/long_documents.py training/litbank0/model-best corpus/litbank0/test.spacy

The documents are the texts of a corpus one after the other, again and again if need be. Each length is annotated in a
process of its own.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from wasabi import msg

from spacy_span_selector.experiments.peak_memory import peak_memory, start_measuring

MB = 1_000_000


class Measurement(NamedTuple):
    """Of the whole pipeline and of what comes before structured_coref: seconds, and peak MB above the loaded pipeline.
    MB of the loaded pipeline; mentions and clusters that were found."""

    seconds: float
    seconds_before: float
    megabytes: float
    megabytes_before: float
    loaded: float
    mentions: int
    clusters: int


def main(
    model: Annotated[Path, typer.Argument(help="A trained pipeline with structured_coref")],
    data: Annotated[Path, typer.Argument(help="A .spacy file; only its texts are used")],
    words: Annotated[str, typer.Option(help="Lengths of the documents")] = "2000,20000,100000",
    threads: Annotated[int, typer.Option(help="Threads that torch uses; its own choice if 0")] = 0,
    repeats: Annotated[int, typer.Option(help="How often each document is annotated; the fastest counts")] = 1,
) -> None:
    """Print a table."""
    rows = []
    for length in (int(number) for number in words.split(",")):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found = pool.submit(measure, model, data, length, threads, repeats).result()
        rows.append(
            (
                f"{length:,}",
                f"{found.seconds:.1f}",
                f"{length / found.seconds:,.0f}",
                f"{found.seconds_before:.1f}",
                f"{found.megabytes:,.0f}",
                f"{found.megabytes_before:,.0f}",
                f"{found.loaded:,.0f}",
                f"{found.mentions:,}",
                f"{found.clusters:,}",
            )
        )
        typer.echo(f"{length:,} words done", err=True)
    header = ("words", "seconds", "words/s", "encoder, s", "MB", "encoder, MB", "loaded, MB", "mentions", "clusters")
    msg.table(rows, header=header, aligns=("r",) * len(header), divider=True)


def measure(model: Path, data: Path, words: int, threads: int, repeats: int) -> Measurement:
    """Annotate one document."""
    if threads:
        torch.set_num_threads(threads)
    nlp = spacy.load(model)
    nlp.max_length = sys.maxsize
    doc = make_document(nlp, data, words)
    nlp(make_document(nlp, data, min(words, 500)))  # what is built at first use is not counted
    loaded = start_measuring() / MB
    best = (float("inf"), float("inf"))
    megabytes_before = 0.0
    for _ in range(repeats):
        annotated, begin, before = doc.copy(), time.perf_counter(), 0.0
        for name, pipe in nlp.pipeline:
            if name == "structured_coref":
                before = time.perf_counter() - begin
                megabytes_before = megabytes_before or peak_memory() / MB - loaded
            annotated = pipe(annotated)
        best = min(best, (time.perf_counter() - begin, before))
    clusters = sum(1 for key in annotated.spans if key.startswith("coref_clusters_"))
    mentions = len(annotated.spans["coref_mentions"])
    return Measurement(*best, peak_memory() / MB - loaded, megabytes_before, loaded, mentions, clusters)


def make_document(nlp: Language, data: Path, words: int) -> Doc:
    """A document of so many tokens, not annotated."""
    texts = [doc.text for doc in DocBin().from_disk(data).get_docs(nlp.vocab)]
    docs: list[Doc] = []
    while sum(map(len, docs)) < words:
        docs.append(nlp.make_doc(texts[len(docs) % len(texts)]))
    return Doc.from_docs(docs)[:words].as_doc()


if __name__ == "__main__":
    typer.run(main)
