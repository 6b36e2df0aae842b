"""A whole run: from files to a folder of parts, or to a stream, by this process or several."""

from __future__ import annotations

import gc
import multiprocessing
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tqdm import tqdm

from ..files.pipelines import describe_pipeline
from ..files.runs import only_process_in, prepare_worker, versions
from .annotator import Annotator, Job, PartResult, Tick
from .formats import TABLES, output_format
from .inputs import InputFile, describe_inputs, read_records, total_size
from .output import COMMAND, Output, OutputFolder
from .records import Part, Reading, cut_into_parts

SETTINGS = ("format", "transcripts", "tokens", "tables", "max_length")  # those of a job that change the output
MANY = 100  # records that cannot be annotated, and none that can, end a run: something else must be wrong

Results = Generator[PartResult, None, None]
Backend = Callable[[Job, Iterable[Part], Tick], Results]
"""Takes what to do, the parts, and what to call when input has been annotated; yields what became of each part, in any
order. When it is closed, it stops what is under way."""


def in_this_process(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
    annotate = Annotator(job)
    gc.freeze()  # collecting garbage takes a tenth of the time where it visits all that a pipeline is made of
    try:
        for part in parts:
            yield annotate(part, tick)
    finally:
        gc.unfreeze()


def in_processes(n_process: int) -> Backend:
    """Annotate several parts at once, each in a process with one thread, which loads the pipeline once."""

    def annotate(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
        job = replace(job, threads=job.threads or 1)
        before = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")  # torch, Arrow and GPUs do not survive a fork in every state
        executor = ProcessPoolExecutor(n_process, mp_context=context, initializer=prepare_worker)
        waiting: deque[tuple[Part, Future[PartResult]]] = deque()
        try:
            for part in parts:
                waiting.append((part, executor.submit(_annotate, job, part)))
                if len(waiting) > 2 * n_process:  # more than are under way, so that no process waits for a slow one
                    yield _first(waiting, tick)
            while waiting:
                yield _first(waiting, tick)
        except BaseException as error:
            executor.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()  # what is under way is not wanted any more
            if isinstance(error, BrokenProcessPool):
                raise report_death(waiting[0][0]) from error
            raise
        executor.shutdown()

    return annotate


def _first(waiting: deque[tuple[Part, Future[PartResult]]], tick: Tick) -> PartResult:
    result = waiting[0][1].result()
    waiting.popleft()
    tick(result.end, result.counts["words"])
    return result


@cache  # a worker process loads the pipeline once
def _load(job: Job) -> Annotator:
    annotate = Annotator(job)
    gc.freeze()
    return annotate


def _annotate(job: Job, part: Part) -> PartResult:
    return _load(job)(part)


def report_death(part: Part) -> ValueError:
    """The error if the process that annotates a part, or one of those after it, has died."""
    found = f"A process that annotates has ended, perhaps for lack of memory, at part {part.number}, {part.place}"
    cure = "The same command goes on there; a smaller --n-process or --batch-words needs less memory."
    return ValueError(f"{found}, or one after it. {cure}")


class Progress:
    """A bar that counts the bytes of input that have been read, and the words of documents that have been annotated."""

    def __init__(self, total: int | None) -> None:
        self.words = 0
        self.begun = self.seconds = 0.0
        shown = "{percentage:3.0f}% |{bar}| {desc} [{elapsed}, left {remaining}]" if total else "{desc} [{elapsed}]"
        seconds = 0.1 if sys.stderr.isatty() else 30  # between two lines
        self.bar = tqdm(total=total, bar_format=shown, smoothing=0, dynamic_ncols=True, mininterval=seconds)

    def begin(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Start the clock with the first part, for which a backend asks once it has loaded the pipeline."""
        self.begun = time.perf_counter()
        yield from parts

    def skip(self, end: int) -> None:
        """Note what was done by an earlier run; it does not count for the time that is left."""
        self.bar.initial += max(0, end - self.bar.n)
        self.bar.n = max(end, self.bar.n)

    def tick(self, end: int, words: int) -> None:
        """Note so many words, which have been annotated, up to a place in the bytes of the input."""
        self.words += words
        self.seconds = time.perf_counter() - self.begun
        self.bar.set_description_str(f"{self.words:,} words, {self.words / self.seconds:,.0f} words/s", refresh=False)
        self.bar.update(max(0, end - self.bar.n))


@dataclass(frozen=True)
class Summary:
    """The result of a run: the counts of all parts, those of earlier runs included, and more."""

    documents: int
    words: int
    plain: int  # texts that were read as transcripts and have no turns
    errors: int
    annotated: int  # the words that this run has annotated
    rate: float  # its words per second
    warnings: list[str]  # what may make the result differ from that of one run


def annotate_to_folder(
    job: Job,
    files: list[InputFile],
    out: Path,
    *,
    reading: Reading,
    part_words: int | None = None,
    backend: Backend = in_this_process,
) -> Summary:
    """Annotate files into a folder, and go on where an earlier run in it was stopped."""
    format_ = output_format(job.format)
    part_words = part_words or format_.part_words
    fields = {"text_field": reading.text_field, "id_field": reading.id_field, "part_words": part_words}
    manifest = {
        "settings": {**{name: getattr(job, name) for name in SETTINGS}, **fields},
        "pipeline": describe_pipeline(job.model, job.code),
        "inputs": describe_inputs(files),
        "versions": versions(),
    }
    suffixes = {"": format_.suffixes[0].removeprefix("."), **(dict.fromkeys(TABLES, job.tables) if job.tables else {})}
    with only_process_in(out, COMMAND, "take another folder"):
        return annotate_to(OutputFolder(out, manifest, suffixes), job, files, reading, part_words, backend)


def annotate_to(
    output: Output, job: Job, files: list[InputFile], reading: Reading, part_words: int | None, backend: Backend
) -> Summary:
    """Annotate files into a folder that is locked, or into a stream."""
    progress = Progress(total_size(files))
    before = output.totals["words"]
    parts = cut_into_parts(read_records(files, reading), part_words or output_format(job.format).part_words)
    pending = progress.begin(output.pending(parts, progress.skip))
    with closing(progress.bar), closing(backend(job, pending, progress.tick)) as results:
        for result in results:
            if result.counts["errors"] >= MANY and not (output.totals + result.counts)["documents"]:
                found = f"Nothing could be annotated in {len(result.errors):,} records, so the cause is none of them."
                raise ValueError("{} The first: {source}: {reason}".format(found, **result.errors[0]))
            output.save(result)
        output.finish()
    annotated = output.totals["words"] - before  # the progress also counts those of a part that was tried twice
    rate = annotated / progress.seconds if progress.seconds else 0.0
    return Summary(**output.totals, annotated=annotated, rate=rate, warnings=output.warnings)
