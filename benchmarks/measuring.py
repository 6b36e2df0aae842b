"""How benchmarks measure: alternatives in turns, several times; peak memory in processes of their own."""

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

from spacy_span_selector.experiments.peak_memory import peak_memory, start_measuring

MB = 1_000_000

Part = Literal["encoder", "whole"]
PARTS: tuple[Part, Part] = ("encoder", "whole")
"""What of a pipeline is measured."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Spread(NamedTuple):
    """What came of several runs."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    def format(self, form: str) -> str:
        """The median, and in brackets from where to where the values go; `form` is that of each number."""
        return f"{self.median:{form}} ({self.least:{form}} to {self.greatest:{form}})"


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> Spread:
    """The ratio of the two times of each round: what slows the machine down for a while slows both."""
    return Spread.of([above / below for above, below in zip(numerators, denominators, strict=True)])


def take_turns(functions: Sequence[Callable[[], object]], repeats: int, gpu_id: int = -1) -> list[list[float]]:
    """Call functions in turns, and measure the time of each call.

    functions (Sequence[Callable]): What is compared.
    repeats (int): The number of rounds.
    gpu_id (int): The GPU whose work is waited for; -1 for none.
    RETURNS (list[list[float]]): Of each function its seconds in each round.
    """
    seconds: list[list[float]] = [[] for _ in functions]
    for _ in range(repeats):
        for function, own in zip(functions, seconds, strict=True):
            wait_for(gpu_id)
            begin = time.perf_counter()
            function()
            wait_for(gpu_id)
            own.append(time.perf_counter() - begin)
    return seconds


class Memory(NamedTuple):
    """Bytes in use before a function was called, and how many more there were at the most during the call."""

    before: float
    peak: float


def measure_memory(function: Callable[[], object], gpu_id: int = -1) -> Memory:
    """Call a function and measure its memory. Only the first call in a process counts: what has been freed is not
    always given back, and would be used again without being seen.

    function (Callable): What is measured.
    gpu_id (int): The GPU whose memory is meant; -1 for the resident memory of this process.
    """
    _give_back_freed_memory()
    before = start_measuring(gpu_id)
    function()
    return Memory(before, peak_memory(gpu_id) - before)


def peaks_of_parts(measure: Callable[[Part], Memory]) -> list[str]:
    """The cells of the loaded pipeline and of the peaks of encoder and whole, in MB, each measured in a new process.

    measure (Callable[[Part], Memory]): Measures a part; must be fit to be pickled.
    """
    encoder, whole = (in_fresh_process(measure, part) for part in PARTS)
    return [f"{value / MB:,.0f}" for value in (whole.before, encoder.peak, whole.peak)]


def wait_for(gpu_id: int) -> None:
    """Wait until a GPU has done what it was asked to do; -1 for none."""
    if gpu_id >= 0:
        torch.cuda.synchronize(gpu_id)


def in_fresh_process(
    function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Result:
    """Call a function of a module in a new process. Arguments, result and errors are passed on."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments, **named).result()


def set_threads(threads: int) -> None:
    """Let torch use so many threads; its own choice if 0."""
    if threads:
        torch.set_num_threads(threads)


def numbers(text: str) -> list[int]:
    """The numbers of an option such as "200,2000"."""
    try:
        return [int(number) for number in text.split(",") if number]
    except ValueError as error:
        raise typer.BadParameter(f"found {text!r}; expected numbers with commas between them: 200,2000") from error


def print_header(*names: str, texts: int) -> None:
    """Print the header of a table in Markdown, of which so many columns are texts, and the others numbers."""
    print_row(*names)
    print_row(*["---"] * texts, *["---:"] * (len(names) - texts))


def print_row(*cells: str) -> None:
    """Print a row of a table in Markdown."""
    typer.echo(f"| {' | '.join(cells)} |")


def _give_back_freed_memory() -> None:
    """Ask glibc to; other libraries of C have no such function."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
