"""A whole run: from files to a folder of parts, or to a stream."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from tqdm import tqdm

from ..files.fingerprints import versions
from ..files.processes import only_process_in
from ..formats.registry import formats
from .annotator import PartResult, no_counts
from .backends import Backend, in_this_process
from .formats import output_suffixes
from .inputs import InputFile, describe_inputs, total_size
from .output import COMMAND, OutputFolder
from .pipelines import Job, describe_pipeline
from .reading import read_records
from .records import Part, Reading, cut_into_parts

MANY = 100
"""So many records that cannot be annotated, and none that can, end a run: something else must be wrong."""

KNOWN = "{percentage:3.0f}% |{bar}| {desc} [{elapsed}, left {remaining}]"
UNKNOWN = "{desc} [{elapsed}]"
SECONDS_IN_LOG = 30  # between two lines, where nobody watches


class Progress:
    """A bar that counts the bytes of input that have been read, and the words of documents that have been annotated."""

    def __init__(self, total: int | None) -> None:
        """Begin.

        total (int | None): The bytes of all inputs; None if unknown.
        """
        self.words = 0
        self.seconds = 0.0
        self.begin()
        self._bar = tqdm(
            total=total,
            bar_format=KNOWN if total else UNKNOWN,
            smoothing=0,
            dynamic_ncols=True,
            mininterval=0.1 if sys.stderr.isatty() else SECONDS_IN_LOG,
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def begin(self) -> None:
        """Start the clock of words per second: the pipeline has been loaded."""
        self._begin = time.perf_counter()

    def skip(self, end: int) -> None:
        """Note what was done by an earlier run; it does not count for the time that is left."""
        self._bar.initial += max(0, end - self._bar.n)
        self._bar.n = max(end, self._bar.n)

    def tick(self, end: int, words: int) -> None:
        """Note what has been annotated.

        end (int): The bytes of input that were read up to it.
        words (int): Its words.
        """
        self.words += words
        self.seconds = time.perf_counter() - self._begin
        self._bar.set_description_str(f"{self.words:,} words, {self.rate:,.0f} words/s", refresh=False)
        self._bar.update(max(0, end - self._bar.n))

    @property
    def rate(self) -> float:
        """Words per second."""
        return self.words / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Summary:
    """The result of a run.

    documents, words, errors (int): In all parts, those of earlier runs included.
    plain (int): The texts that were read as transcripts and have no turns.
    annotated (int): The words that this run has annotated.
    rate (float): Its words per second.
    warnings (list[str]): What may make the result differ from that of one run.
    """

    documents: int
    words: int
    plain: int
    errors: int
    annotated: int
    rate: float
    warnings: list[str]


def annotate_to_folder(
    job: Job,
    files: list[InputFile],
    out: Path,
    *,
    reading: Reading,
    part_words: int | None = None,
    backend: Backend = in_this_process,
) -> Summary:
    """Annotate files into a folder, and go on where an earlier run in it was stopped.

    job (Job): What to do.
    files (list[InputFile]): The inputs.
    out (Path): The folder.
    reading (Reading): How records are read.
    part_words (int | None): About how many words a part has at most; None for what suits the format.
    backend (Backend): Where parts are annotated.
    RETURNS (Summary): What is in the folder.
    RAISES (OSError): If there is no such pipeline, or a file can't be written.
    RAISES (ValueError): If the folder has something else, or is in use, or nothing could be annotated.
    """
    part_words = part_words or formats.get(job.format).part_words
    fields = {"text_field": reading.text_field, "id_field": reading.id_field, "part_words": part_words}
    manifest = {
        "settings": {**job.identity(), **fields},
        "pipeline": describe_pipeline(job),
        "inputs": describe_inputs(files),
        "versions": versions(),
    }
    with only_process_in(out, COMMAND, "take another folder"), Progress(total_size(files)) as progress:
        folder = OutputFolder(out, manifest, output_suffixes(job))
        parts = _watch(cut_into_parts(read_records(files, reading), part_words), progress, folder.done)
        with closing(backend(job, folder.pending(parts), progress.tick)) as results:
            for result in results:
                _check(result, folder.totals["documents"])
                folder.save(result)
        folder.finish()
    return Summary(**folder.totals, annotated=progress.words, rate=progress.rate, warnings=folder.warnings)


def annotate_to_stream(
    job: Job,
    files: list[InputFile],
    out: IO[bytes],
    errors: IO[str],
    *,
    reading: Reading,
    part_words: int | None = None,
    backend: Backend = in_this_process,
) -> Summary:
    """Annotate files into a stream, which can't be gone on with.

    job, files, reading, part_words, backend: As for `annotate_to_folder`.
    out (IO[bytes]): Gets the documents.
    errors (IO[str]): Gets what could not be annotated, a line of JSON each.
    RETURNS (Summary): What was written.
    """
    totals = no_counts()
    parts = cut_into_parts(read_records(files, reading), part_words or formats.get(job.format).part_words)
    with (
        Progress(total_size(files)) as progress,
        closing(backend(job, _watch(parts, progress), progress.tick)) as results,
    ):
        for result in _in_order(results):
            _check(result, totals["documents"])
            out.write(result.content)
            out.flush()
            errors.writelines(f"{json.dumps(error)}\n" for error in result.errors)
            totals.update(result.counts())
    return Summary(**totals, annotated=progress.words, rate=progress.rate, warnings=[])


def _watch(parts: Iterable[Part], progress: Progress, done: Container[int] = ()) -> Iterator[Part]:
    """All parts. The clock starts before the first; those that are done do not count for the time that is left."""
    progress.begin()
    for part in parts:
        if part.number in done:
            progress.skip(part.end)
        yield part


def _in_order(results: Iterable[PartResult]) -> Iterator[PartResult]:
    """The results of all parts in the order of the parts; those that come early wait."""
    early: dict[int, PartResult] = {}
    number = 0
    for result in results:
        early[result.number] = result
        while number in early:
            yield early.pop(number)
            number += 1


def _check(result: PartResult, documents: int) -> None:
    """Fail if nothing could be annotated so far, and that often enough to be no accident."""
    if len(result.errors) >= MANY and not result.documents and not documents:
        first = result.errors[0]
        raise ValueError(
            f"Nothing could be annotated in {len(result.errors):,} records, so the cause is none of them. "
            f"The first: {first['source']}: {first['reason']}"
        )
