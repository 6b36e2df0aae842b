"""The long run: `python -m tests.robustness` tries new inputs of every kind, and prints how many, and what failed."""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from wasabi import msg, table

from . import fuzzing

FOLDER = Path(__file__).parent


class Figures:
    """Counts what pytest reports, by test module.

    tests, failures (Counter[str]): How many ran, and failed.
    seconds (Counter[str]): How long they took, with what they needed to start.
    """

    def __init__(self) -> None:
        self.tests: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        module = Path(report.nodeid.split("::")[0]).stem
        self.tests[module] += report.when == "call"
        self.failures[module] += report.failed
        self.seconds[module] += report.duration

    def table(self) -> str:
        """Kind, properties, inputs, failures and seconds: a row for each module, and their sums."""
        tried = Counter({name.rpartition(".")[2]: count for name, count in fuzzing.inputs.items()})
        rows = [
            (
                module.removeprefix("test_"),
                self.tests[module],
                tried[module] or self.tests[module],  # without drawn inputs each test is one
                self.failures[module],
                round(self.seconds[module]),
            )
            for module in self.tests
        ]
        sums = ("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])) if rows else ()
        cells = [tuple(f"{cell:,}" if isinstance(cell, int) else cell for cell in row) for row in [*rows, sums]]
        header = ("kind", "properties", "inputs", "failures", "seconds")
        text: str = table(cells, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))
        return text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness", description=__doc__)
    parser.add_argument("--times", type=int, default=12, help="factor of the numbers of inputs (12)")
    parser.add_argument("--seed", type=int, help="of the inputs, to repeat a run; by default a new one")
    parser.add_argument("--as-found", action="store_true", help="do not make what fails small, which may take minutes")
    parser.add_argument("pytest_arguments", nargs="*", help="such as a file of this folder, or -k NAME after --")
    arguments = parser.parse_args()
    if arguments.times < 1:
        parser.error("--times must be at least 1")
    fuzzing.times, fuzzing.shrink = arguments.times, not arguments.as_found
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    figures = Figures()
    started = time.perf_counter()
    selected = arguments.pytest_arguments or [str(FOLDER)]
    status = pytest.main(["-q", f"--hypothesis-seed={seed}", *selected], plugins=[figures])
    print(figures.table())
    msg.info(f"seed {seed}, {arguments.times} times, {time.perf_counter() - started:,.0f} seconds in all")
    return int(status)


if __name__ == "__main__":
    raise SystemExit(main())
