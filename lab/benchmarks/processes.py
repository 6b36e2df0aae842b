"""Annotation by several processes compared with one, in each of the ways in which srsly finds its codecs.

    python -m lab.benchmarks.processes corpus/litbank0/dev.spacy training/litbank0/model-best

spaCy sends each document from a worker to the main process as bytes, so documents with many span groups take long to
send: see `benchmarks.keeping`, which explains the ways. One process and several take turns. CPU seconds, unlike those
of a clock, hardly depend on what else the machine does. The last column is how much faster several processes are if the
main process and the workers share as many cores as there are workers evenly.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.cli._app import friendly_errors

from .documents import own_documents
from .keeping import WAYS, find_codecs
from .measuring import Spread, print_header, print_row, ratios, take_turns
from .pipelines import describe_pipeline, load_pipeline


def main(
    data: Annotated[Path, typer.Argument(metavar="DATA.spacy", help="A corpus; only its texts are used")],
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained pipeline")],
    processes: Annotated[int, typer.Option(min=2, help="Number of processes")] = 2,
    documents: Annotated[int, typer.Option(help="Number of documents; 0 for all")] = 0,
    batch_size: Annotated[int, typer.Option(help="Number of documents that a process gets at once")] = 1,
    repeats: Annotated[int, typer.Option(help="Number of timed repetitions")] = 3,
) -> None:
    """Print a table."""
    with friendly_errors():
        nlp = load_pipeline(model, threads=1, gpu_id=-1)
        docs = own_documents(nlp, data)[: documents or None]
        annotated = annotate(nlp, docs, 1, batch_size)
        words, groups = sum(map(len, annotated)), sum(len(doc.spans) for doc in annotated)
        typer.echo(f"{describe_pipeline(nlp)}: {len(docs):,} documents, {words:,} words, {groups:,} span groups\n")
        print_header(
            *("codecs", "1 process, s", f"{processes} processes, s", "1 / several, time"),
            *("1 process, CPU s", "several: main, CPU s", "workers, CPU s", "1 / several, CPU per core"),
            texts=1,
        )
        for way in WAYS:
            with find_codecs(way):
                print_row(way, *measure(nlp, docs, processes, batch_size, repeats))


def measure(nlp: Language, docs: list[str | Doc], processes: int, batch_size: int, repeats: int) -> list[str]:
    """The cells of a row: seconds, their ratio, seconds of the CPU, and their ratio on as many cores as processes."""
    spent: list[list[float]] = []

    def run(count: int) -> None:
        before = os.times()
        annotate(nlp, docs, count, batch_size)
        after = os.times()
        own = after.user + after.system - before.user - before.system
        workers = after.children_user + after.children_system - before.children_user - before.children_system
        spent.append([own, workers])

    one, several = take_turns([lambda: run(1), lambda: run(processes)], repeats)
    alone = [own for own, _ in spent[::2]]
    main, workers = ([part[number] for part in spent[1::2]] for number in range(2))
    per_core = [sum(parts) / processes for parts in zip(main, workers, strict=True)]
    cells = [*map(Spread.of, (one, several)), ratios(one, several), *map(Spread.of, (alone, main, workers))]
    return [spread.format(".2f") for spread in (*cells, ratios(alone, per_core))]


def annotate(nlp: Language, docs: list[str | Doc], processes: int, batch_size: int) -> list[Doc]:
    """Annotate copies of documents, and keep them."""
    copies = [doc.copy() if isinstance(doc, Doc) else doc for doc in docs]
    return list(nlp.pipe(copies, n_process=processes, batch_size=batch_size))


if __name__ == "__main__":
    typer.run(main)
