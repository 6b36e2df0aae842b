"""Measuring for benchmarks: alternatives in turns, several times; peak memory in separate processes."""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Literal, NamedTuple, ParamSpec, TypeVar

import torch
import typer

from lab.experiments.peak_memory import peak_memory, start_measuring

MB = 1_000_000

Part = Literal["encoder", "whole"]
PARTS: tuple[Part, Part] = ("encoder", "whole")
"""The part of a pipeline to measure."""

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


def _give_back_freed_memory() -> None:
    """Let glibc return freed memory to the system; other C libraries have no such function."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
