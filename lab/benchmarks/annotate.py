"""Time and memory of annotation by a trained pipeline, compared with its encoder alone.

    python -m lab annotate corpus/litbank0/test.spacy training/litbank0/model-best

Each pipeline annotates the documents of the corpus as they are, then documents of each length made from its text, then
documents whose sentences all have the same length. "Encoder" is the same pipeline without the components of this
package: tokenizer, sentence boundaries and encoder. Both alternate in one process, and each ratio is that of one turn.
Peak memory is in addition to that of the loaded pipeline after annotating a short text; each value is measured in a
separate process.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.scoring.task import find_tasks

from ..measuring import (
    GpuId,
    Memory,
    Models,
    Part,
    Repeats,
    Spread,
    Texts,
    Threads,
    in_fresh_process,
    measure_memory,
    numbers,
    peaks_of_parts,
    print_header,
    print_row,
    ratios,
    take_turns,
)
from .documents import documents_of_length, own_documents, with_sentences_of
from .pipelines import Found, count_found, describe_pipeline, find_encoder, load_pipeline, selector_pipes

WORDS_AT_LEAST = 10_000
"""Minimum number of words of all documents of one length."""

WORDS_OF_DOCUMENT = 2_000
"""Length of the documents whose sentences have a given length."""

SHORT_TEXT = "Ann saw Bob. He was in her garden, near the old wall."


class Case(NamedTuple):
    """The documents to annotate.

    words (int | None): The length of each document; None for the documents of the corpus as they are.
    sentence_words (int | None): The length of each sentence; None if the pipeline sets sentence boundaries.
    """

    words: int | None = None
    sentence_words: int | None = None

    def documents(self, nlp: Language, data: Path) -> list[str | Doc]:
        """The documents that a pipeline is given."""
        if self.words is None:
            return own_documents(nlp, data)
        count = -(-WORDS_AT_LEAST // self.words)
        docs = documents_of_length(nlp, data, self.words, count)
        if self.sentence_words is None:
            return [doc.text for doc in docs]
        return [with_sentences_of(doc, self.sentence_words) for doc in docs]

    def describe(self) -> tuple[str, str]:
        """The lengths of documents and sentences."""
        words = "own" if self.words is None else f"{self.words:,}"
        return words, "own" if self.sentence_words is None else f"{self.sentence_words:,}"


class Times(NamedTuple):
    """The speed of annotation, and its results.

    pipeline (str): The components of this package in the pipeline.
    documents, words (int): The numbers of annotated documents and words.
    encoder, whole (Spread): Words per second.
    ratio (Spread): Time of the whole pipeline divided by that of the encoder.
    found (Found): The annotation found in all documents.
    """

    pipeline: str
    documents: int
    words: int
    encoder: Spread
    whole: Spread
    ratio: Spread
    found: Found


def main(
    data: Texts,
    models: Models,
    words: Annotated[str, typer.Option(help="Lengths of documents")] = "200,2000,20000,100000",
    sentence_words: Annotated[str, typer.Option(help="Lengths of sentences")] = "10,25,50,100,200,400",
    threads: Threads = 0,
    repeats: Repeats = 5,
    gpu_id: GpuId = -1,
) -> None:
    """Print a table."""
    cases = [
        Case(),
        *(Case(length) for length in numbers(words)),
        *(Case(WORDS_OF_DOCUMENT, length) for length in numbers(sentence_words)),
    ]
    print_header(
        *("pipeline", "words of each document", "of each sentence", "documents", "words"),
        *("encoder, words/s", "whole, words/s", "whole / encoder, time"),
        *("loaded, MB", "encoder, peak MB", "whole, peak MB", "spans", "clusters or frames"),
        texts=3,
    )
    for model in models:
        for case in cases:
            times = in_fresh_process(measure_times, model, data, case, threads, repeats, gpu_id)
            measure = partial(measure_peak, model, data, case, threads=threads, gpu_id=gpu_id)
            print_row(
                *(times.pipeline, *case.describe(), f"{times.documents:,}", f"{times.words:,}"),
                *(times.encoder.format(",.0f"), times.whole.format(",.0f"), times.ratio.format(".2f")),
                *peaks_of_parts(measure),
                *(f"{times.found.spans:,}", f"{times.found.groups:,}"),
            )
            typer.echo(f"{model}: {times.documents:,} documents of {case.describe()[0]} words done", err=True)


def measure_times(model: Path, data: Path, case: Case, threads: int, repeats: int, gpu_id: int) -> Times:
    """Time a case in this process."""
    nlp = load_pipeline(model, threads, gpu_id)
    find_encoder(nlp)  # raises an error if there is none
    documents = case.documents(nlp, data)
    annotate(nlp, [SHORT_TEXT])
    copies = iter([_copy(documents) for _ in range(2 * repeats)])
    results: list[tuple[int, Found]] = []
    encoder, whole = take_turns(
        [
            lambda: annotate(nlp, next(copies), "encoder"),
            lambda: results.append(annotate(nlp, next(copies))),
        ],
        repeats,
        gpu_id,
    )
    words, found = results[-1]
    return Times(
        pipeline=describe_pipeline(nlp),
        documents=len(documents),
        words=words,
        encoder=Spread.of([words / seconds for seconds in encoder]),
        whole=Spread.of([words / seconds for seconds in whole]),
        ratio=ratios(whole, encoder),
        found=found,
    )


def measure_peak(model: Path, data: Path, case: Case, part: Part, threads: int, gpu_id: int) -> Memory:
    """Measure the memory of a case in this process, which must be new."""
    nlp = load_pipeline(model, threads, gpu_id)
    documents = case.documents(nlp, data)
    annotate(nlp, [SHORT_TEXT])  # count what is built at first use as part of the loaded pipeline
    return measure_memory(lambda: annotate(nlp, documents, part), gpu_id)


def annotate(nlp: Language, documents: Sequence[str | Doc], part: Part = "whole") -> tuple[int, Found]:
    """Annotate documents without keeping them.

    nlp (Language): The pipeline.
    documents (Sequence[str | Doc]): The documents.
    part (Part): The part of the pipeline to run.
    RETURNS (tuple[int, Found]): The number of their words, and the annotation found.
    """
    pipes, tasks = selector_pipes(nlp), find_tasks(nlp)
    words, found = 0, Found(0, 0)
    with nlp.select_pipes(disable=[*pipes] if part == "encoder" else []):
        for doc in nlp.pipe(documents):
            words += len(doc)
            if part == "whole":
                counts = [found, *(count_found(doc, pipe, tasks[name]) for name, pipe in pipes.items())]
                found = Found(*(sum(column) for column in zip(*counts, strict=True)))
    return words, found


def _copy(documents: Sequence[str | Doc]) -> list[str | Doc]:
    """Documents that have not been annotated before."""
    return [document.copy() if isinstance(document, Doc) else document for document in documents]
