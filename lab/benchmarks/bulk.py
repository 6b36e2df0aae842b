"""`annotate` compared with spaCy's `nlp.pipe` alone: time, and memory for one text and for all.

    python -m lab.benchmarks.bulk training/litbank0/model-best novels/*.txt

Both annotate the same texts in turns in one process, which counts only its own CPU time. `annotate` reads files, writes
JSON lines and forgets the words of each batch. Peak memory is that of a whole process, with Python, torch and the
pipeline, and each value is measured in a separate one.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal, NamedTuple

import typer

from spacy_span_selector.annotate import Job, Reading, annotate_to_folder
from spacy_span_selector.annotate.annotator import Annotator
from spacy_span_selector.annotate.inputs import find_inputs
from spacy_span_selector.annotate.parts import cut_into_parts
from spacy_span_selector.annotate.stream import read_records
from spacy_span_selector.cli._app import friendly_errors

from .measuring import MB, Spread, in_fresh_process, measure_memory, print_header, print_row, ratios, take_turns
from .pipelines import load_pipeline

Way = Literal["nlp.pipe", "annotate"]
WAYS: tuple[Way, Way] = ("nlp.pipe", "annotate")
PART_WORDS = 50_000


class Times(NamedTuple):
    """The speed of both.

    words (int): The number of words.
    pipe, annotate (Spread): Words per second.
    ratio (Spread): Time of `annotate` divided by that of `nlp.pipe`.
    """

    words: int
    pipe: Spread
    annotate: Spread
    ratio: Spread


def main(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained pipeline")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Text files")],
    threads: Annotated[int, typer.Option(help="Threads of torch; 0 for its default")] = 1,
    repeats: Annotated[int, typer.Option(help="Number of timed repetitions, of the first file")] = 3,
) -> None:
    """Print a table."""
    print_header(
        *("texts", "words", "nlp.pipe, words per CPU s", "annotate, words per CPU s", "annotate / nlp.pipe, time"),
        *("nlp.pipe, peak MB", "annotate, peak MB"),
        texts=0,
    )
    with friendly_errors():
        for texts in (files[:1], files):
            pipe, annotate = (in_fresh_process(measure_peak, model, texts, threads, way) for way in WAYS)
            times = in_fresh_process(measure_times, model, texts, threads, repeats if texts == files[:1] else 1)
            speed = [times.pipe.format(",.0f"), times.annotate.format(",.0f"), times.ratio.format(".3f")]
            peaks = [f"{pipe / MB:,.0f}", f"{annotate / MB:,.0f}"]
            print_row(f"{len(texts):,}", f"{times.words:,}", *speed, *peaks)


def measure_times(model: Path, files: list[Path], threads: int, repeats: int) -> Times:
    """Time both in this process."""
    nlp = load_pipeline(model, threads, gpu_id=-1)
    annotator = Annotator(Job(model=str(model), threads=threads or None))
    parts = list(cut_into_parts(read_records(find_inputs(list(map(str, files))), Reading()), PART_WORDS))
    texts = [str(record.content) for part in parts for record in part.records]
    words: list[int] = []
    pipe, annotate = take_turns(
        [
            lambda: words.append(sum(len(doc) for doc in nlp.pipe(texts))),
            lambda: [annotator(part) for part in parts],
        ],
        repeats,
        clock=time.process_time,
    )
    speed_of_pipe, speed = (Spread.of([words[0] / seconds for seconds in way]) for way in (pipe, annotate))
    return Times(words[0], speed_of_pipe, speed, ratios(annotate, pipe))


def measure_peak(model: Path, files: list[Path], threads: int, way: Way) -> float:
    """Measure the most bytes of this process, which must be new."""
    with TemporaryDirectory() as folder:
        memory = measure_memory(lambda: run(model, files, threads, way, Path(folder)))
    return memory.before + memory.peak


def run(model: Path, files: list[Path], threads: int, way: Way, out: Path) -> None:
    """Load the pipeline and annotate files."""
    if way == "annotate":
        job, inputs = Job(model=str(model), threads=threads or None), find_inputs(list(map(str, files)))
        annotate_to_folder(job, inputs, out, reading=Reading(), part_words=PART_WORDS)
        return
    nlp = load_pipeline(model, threads, gpu_id=-1)
    for _ in nlp.pipe(file.read_text(encoding="utf-8") for file in files):
        pass


if __name__ == "__main__":
    typer.run(main)
