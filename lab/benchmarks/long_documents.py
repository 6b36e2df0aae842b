"""Time and memory of one long document, by its length and by what it consists of.

    python -m lab long-documents MODEL original/158_emma.txt original/1023_bleak_house.txt

Each row is one document, which `annotate` makes a line of JSON of, in a process of its own. "prose" is the text of the
files, one after the other; "table" has lines of numbers without any end of a sentence; the others repeat one character.
Times are CPU time, without loading; peak memory is that of the whole process.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.annotator import Annotator, PartResult
from spacy_span_selector.tools.annotate.records import Part, Record

from ..measuring import MB, Threads, in_fresh_process, measure_memory, numbers, print_header, print_row

SEED = 0
REPEATED = {"a": "a", "=": "=", "space": " ", "line": "\n"}


class Cost(NamedTuple):
    """What a document took.

    seconds (float): CPU seconds.
    peak (float): The most bytes of the process.
    words (int): Its words; 0 if it could not be annotated.
    problem (str): Why it could not.
    """

    seconds: float
    peak: float
    words: int
    problem: str


def main(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A trained pipeline")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Text files, for prose")],
    lengths: Annotated[str, typer.Option(help="Lengths in characters")] = "10000,100000,200000,500000,1000000,2000000",
    kinds: Annotated[str, typer.Option(help="What documents consist of")] = f"prose,table,{','.join(REPEATED)}",
    threads: Threads = 1,
) -> None:
    """Print a table."""
    print_header("text", "problem", "characters", "words", "CPU s", "CPU s per 10,000 characters", "peak, MB", texts=2)
    for kind in kinds.split(","):
        for length in numbers(lengths):
            text = make_text(kind, length, files)
            cost = in_fresh_process(measure, model, text, threads)
            rate = f"{cost.seconds / length * 10_000:.2f}"
            sizes = f"{length:,}", f"{cost.words:,}", f"{cost.seconds:.1f}", rate, f"{cost.peak / MB:,.0f}"
            print_row(kind, cost.problem, *sizes)


def make_text(kind: str, length: int, files: list[Path]) -> str:
    """A text of a kind and a length.

    RAISES (ValueError): If the files have too little, or there is no such kind.
    """
    if kind == "prose":
        text = "\n\n".join(file.read_text(encoding="utf-8") for file in files)
        if len(text) < length:
            raise ValueError(f"The files have {len(text):,} characters, and {length:,} are to be annotated. Name more.")
        return text[:length]
    if kind == "table":
        numbers_of = random.Random(SEED)
        line = "{} | Item {} | {} pieces | {}.50 | paid\n"
        lines = (line.format(i, *(numbers_of.randrange(1000) for _ in range(3))) for i in range(length // 20))
        return "".join(lines)[:length]
    if kind not in REPEATED:
        raise ValueError(f"There is no kind {kind!r}; expected prose, table, {', '.join(REPEATED)}.")
    return REPEATED[kind] * length


def measure(model: str, text: str, threads: int) -> Cost:
    """Annotate a text in this process, which must be new."""
    annotator = Annotator(Job(model=model, max_length=len(text), threads=threads or None))
    annotator(Part(0, [Record("short", "short", 0, "She said that he left.")]))  # what is built at first use
    found: list[tuple[float, PartResult]] = []

    def run() -> None:
        begin = time.process_time()
        result = annotator(Part(0, [Record("long", "long", len(text), text)]))
        found.append((time.process_time() - begin, result))

    memory = measure_memory(run)
    seconds, result = found[0]
    problem = result.errors[0]["reason"] if result.errors else ""
    return Cost(seconds, memory.before + memory.peak, result.counts["words"], problem)
