"""Measuring: options that benchmarks share, alternatives in turns, peak memory in separate processes, tables."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, ParamSpec, TypeVar

import spacy
import torch
import typer
from spacy.language import Language
from thinc.api import set_gpu_allocator

from spacy_span_selector.tools.files.writing import write_file

MB = 1_000_000
BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024  # of getrusage
STATUS = Path("/proc/self/status")
FORGET_PEAK = Path("/proc/self/clear_refs")

Part = Literal["encoder", "whole"]
PARTS: tuple[Part, Part] = ("encoder", "whole")
"""The part of a pipeline to measure."""

Texts = Annotated[Path, typer.Argument(metavar="DATA.spacy", help="A corpus; only its texts are used")]
Models = Annotated[list[Path], typer.Argument(metavar="MODEL...", help="Trained pipelines")]
Threads = Annotated[int, typer.Option(help="Threads of torch; 0 for its default")]
Repeats = Annotated[int, typer.Option(help="Number of timed repetitions")]
Output = Annotated[
    Path | None, typer.Option(help="Add the results to this JSON file, which has those of several benchmarks")
]
GpuId = Annotated[int, typer.Option(help="GPU to use; -1 for the CPU")]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Spread(NamedTuple):
    """The results of several runs."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    def format(self, form: str) -> str:
        """The median, with minimum and maximum in brackets; `form` is the format of each number."""
        return f"{self.median:{form}} ({self.least:{form}} to {self.greatest:{form}})"


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> Spread:
    """The ratio of the two times of each round, since temporary slowdowns of the machine affect both."""
    return Spread.of([above / below for above, below in zip(numerators, denominators, strict=True)])


def take_turns(
    functions: Sequence[Callable[[], object]],
    repeats: int,
    gpu_id: int = -1,
    clock: Callable[[], float] = time.perf_counter,
) -> list[list[float]]:
    """Call functions in turns, and measure the time of each call.

    functions (Sequence[Callable[[], object]]): The functions to compare.
    repeats (int): The number of rounds.
    gpu_id (int): The GPU to wait for; -1 for none.
    clock (Callable[[], float]): The time in seconds; `time.process_time` counts only what this process computes.
    RETURNS (list[list[float]]): The seconds of each function in each round.
    """
    seconds: list[list[float]] = [[] for _ in functions]
    for _ in range(repeats):
        for function, own in zip(functions, seconds, strict=True):
            wait_for(gpu_id)
            begin = clock()
            function()
            wait_for(gpu_id)
            own.append(clock() - begin)
    return seconds


def start_measuring(gpu_id: int = -1) -> int:
    """Reset the peak.

    gpu_id (int): The GPU, for its allocated memory; -1 for the resident memory of this process. On systems other than
        Linux the latter peak cannot be reset.
    RETURNS (int): The number of bytes in use.
    """
    if gpu_id >= 0:
        torch.cuda.reset_peak_memory_stats(gpu_id)
        return torch.cuda.memory_allocated(gpu_id)
    if os.access(FORGET_PEAK, os.W_OK):
        FORGET_PEAK.write_text("5")
        return _status("VmRSS")
    return peak_memory(gpu_id)


def peak_memory(gpu_id: int = -1) -> int:
    """The peak number of bytes in use since `start_measuring`, which has the same argument."""
    if gpu_id >= 0:
        return torch.cuda.max_memory_allocated(gpu_id)
    if os.access(FORGET_PEAK, os.W_OK):
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_UNIT


def _status(name: str) -> int:
    """A value of Linux's status file of this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])


class Memory(NamedTuple):
    """Bytes in use before a function was called, and the maximum in addition during the call."""

    before: float
    peak: float


def measure_memory(function: Callable[[], object], gpu_id: int = -1) -> Memory:
    """Call a function and measure its memory. Only the first call in a process is accurate: freed memory is not
    always returned to the system, and its reuse would not be measured.

    function (Callable[[], object]): The function to measure.
    gpu_id (int): The GPU whose memory is measured; -1 for the resident memory of this process.
    RETURNS (Memory): The memory before and during the call.
    """
    _give_back_freed_memory()
    before = start_measuring(gpu_id)
    function()
    return Memory(before, peak_memory(gpu_id) - before)


def peaks_of_parts(measure: Callable[[Part], Memory]) -> list[str]:
    """The table cells for the loaded pipeline and the peaks of encoder and whole pipeline in MB, each measured in a new
    process.

    measure (Callable[[Part], Memory]): Measures a part; must be picklable.
    RETURNS (list[str]): Three cells.
    """
    encoder, whole = (in_fresh_process(measure, part) for part in PARTS)
    return [f"{value / MB:,.0f}" for value in (whole.before, encoder.peak, whole.peak)]


def wait_for(gpu_id: int) -> None:
    """Wait until a GPU has finished its work; -1 for none."""
    if gpu_id >= 0:
        torch.cuda.synchronize(gpu_id)


def in_fresh_process(
    function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Result:
    """Call a function of a module in a new process; arguments, result and errors are passed on."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **named).result()


def use_gpu(gpu_id: int) -> None:
    """Use a GPU, of which torch allocates all memory, so that it can be measured; -1 for the CPU."""
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
        set_gpu_allocator("pytorch")


def set_threads(threads: int) -> None:
    """Set the number of threads of torch; 0 for its default."""
    if threads:
        torch.set_num_threads(threads)


def numbers(text: str) -> list[int]:
    """The numbers of an option such as "200,2000"."""
    try:
        return [int(number) for number in text.split(",") if number]
    except ValueError as error:
        raise typer.BadParameter(f"found {text!r}; expected numbers with commas between them: 200,2000") from error


def print_header(*names: str, texts: int) -> None:
    """Print the header of a Markdown table, in which the first `texts` columns are texts and the others numbers."""
    print_row(*names)
    print_row(*["---"] * texts, *["---:"] * (len(names) - texts))


def print_row(*cells: str) -> None:
    """Print a row of a Markdown table."""
    typer.echo(f"| {' | '.join(cells)} |")


def add_results(output: Path | None, benchmark: str, nlp: Language, rows: Mapping[str, Mapping[str, float]]) -> None:
    """Add what a benchmark found to a JSON file, with the day and the pipeline, in place of what it found before.

    output (Path | None): The file, which need not exist; None to do nothing.
    benchmark (str): The name in the file.
    nlp (Language): The pipeline.
    rows (Mapping[str, Mapping[str, float]]): Counts and scores by name, for each row of its table.
    """
    if output is None:
        return
    known = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    pipeline = f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    known[benchmark] = {"pipeline": pipeline, "day": date.today().isoformat(), "rows": rows}
    write_file(output, json.dumps(known, indent=2, ensure_ascii=False) + "\n")


def _give_back_freed_memory() -> None:
    """Let glibc return freed memory to the system; other C libraries have no such function."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
