"""What one core annotates, and how many cores one `annotate` can keep busy (docs/scale.md).

    python -m lab.benchmarks.scale training/litbank0/model-best novels/*.txt

The first table is of one core, by the words that it annotates at once: words per second of its own time, and the peak
memory of its process. The second is of the one process that reads inputs, hands out parts and writes results: first
with results that are there already, then with processes, and with Ray on this machine, that make them.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal, NamedTuple

import typer

from spacy_span_selector.annotate import Job, Reading, annotate_to_folder
from spacy_span_selector.annotate.annotator import Annotator, Tick
from spacy_span_selector.annotate.backends import Backend, Results, in_processes
from spacy_span_selector.annotate.cluster import in_ray
from spacy_span_selector.annotate.inputs import find_inputs
from spacy_span_selector.annotate.parts import Part, cut_into_parts
from spacy_span_selector.annotate.stream import read_records
from spacy_span_selector.cli._app import friendly_errors

from .measuring import MB, in_fresh_process, measure_memory, print_header, print_row

BATCH_WORDS = (1_000, 5_000, 20_000, 50_000)
PART_WORDS = 5_000
ROUNDS = 30  # where results are there already, and time is short

Way = Literal["results that are there", "processes", "Ray"]
WAYS: tuple[Way, ...] = ("results that are there", "processes", "Ray")


class Cost(NamedTuple):
    """What annotating took.

    words (int): The words.
    seconds (float): The time that the process itself computed.
    peak (float): The most bytes of the process.
    """

    words: int
    seconds: float
    peak: float = 0

    @property
    def rate(self) -> float:
        """Words per second."""
        return self.words / self.seconds


def main(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained pipeline")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Text files of some thousand words")],
    workers: Annotated[int, typer.Option(help="Number of processes")] = 2,
    repeats: Annotated[int, typer.Option(help="Number of timed repetitions, of which the fastest counts")] = 3,
) -> None:
    """Print two tables."""
    with friendly_errors():
        print_header("words at once", "words", "words per CPU s", "peak MB", texts=0)
        costs = []
        for batch_words in BATCH_WORDS:
            cost = in_fresh_process(annotate, model, files, batch_words, repeats)
            print_row(f"{batch_words:,}", f"{cost.words:,}", f"{cost.rate:,.0f}", f"{cost.peak / MB:,.0f}")
            costs.append(cost)
        core = max(cost.rate for cost in costs)
        typer.echo("")
        print_header("annotated by", "words per CPU s of the one process", "cores that it can feed", texts=1)
        for way in WAYS:
            cost = min((in_fresh_process(hand_out, model, files, way, workers) for _ in range(repeats)), key=pace)
            print_row(way, f"{cost.rate:,.0f}", f"{cost.rate / core:,.0f}")


def pace(cost: Cost) -> float:
    """Seconds per word."""
    return cost.seconds / cost.words


def annotate(model: Path, files: list[Path], batch_words: int, repeats: int) -> Cost:
    """Annotate in this process, which must be new, with one thread."""
    annotator = Annotator(Job(model=str(model), batch_words=batch_words, threads=1))
    records = list(read_records(find_inputs(list(map(str, files))), Reading()))
    runs: list[Cost] = []

    def run() -> None:
        begin = time.process_time()
        result = annotator(Part(0, records))
        runs.append(Cost(result.words, time.process_time() - begin))

    memory = measure_memory(run)
    for _ in range(repeats - 1):
        run()
    return min(runs, key=pace)._replace(peak=memory.before + memory.peak)


def hand_out(model: Path, files: list[Path], way: Way, workers: int) -> Cost:
    """Time this process while others annotate, from the first result on: starting them costs the same for any text."""
    job, inputs = Job(model=str(model)), find_inputs(list(map(str, files)))
    times: list[Cost] = []
    if way == "processes":
        backend = in_processes(workers)
    elif way == "Ray":
        backend = in_ray(workers=workers)
    else:
        backend = from_memory(job, cut_into_parts(read_records(inputs, Reading()), PART_WORDS))

    def timed(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
        for result in backend(job, parts, tick):
            times.append(Cost(result.words, time.process_time()))
            yield result

    words, seconds = 0, 0.0
    for _ in range(ROUNDS if way == "results that are there" else 1):
        times.clear()
        with TemporaryDirectory() as folder:
            annotate_to_folder(job, inputs, Path(folder), reading=Reading(), part_words=PART_WORDS, backend=timed)
            end = time.process_time()
        words += sum(cost.words for cost in times[1:])
        seconds += end - times[0].seconds
    return Cost(words, seconds)


def from_memory(job: Job, parts: Iterable[Part]) -> Backend:
    """What returns results that are made beforehand, after what sending part and result to another process takes."""
    annotator = Annotator(job)
    results = {part.number: pickle.dumps(annotator(part)) for part in parts}

    def annotate(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
        for part in parts:
            pickle.dumps(part)
            result = pickle.loads(results[part.number])
            tick(result.end, result.words)
            yield result

    return annotate


if __name__ == "__main__":
    typer.run(main)
