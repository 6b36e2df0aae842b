"""The long run: `python -m tests.robustness` tries new inputs of every kind, and prints how many, and what failed."""

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
    """Counts what pytest reports, by test module: tests, failures, and seconds with what they needed to start."""

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
        """Properties, inputs, failures and seconds of each kind, and of all; without drawn inputs each test is one."""
        tried = Counter({name.rpartition(".")[2]: count for name, count in fuzzing.inputs.items()})
        rows = [
            (self.tests[kind], tried[kind] or self.tests[kind], self.failures[kind], round(self.seconds[kind]))
            for kind in self.tests
        ]
        kinds = [*(kind.removeprefix("test_") for kind in self.tests), "all"]
        sums = [sum(column) for column in zip(*rows, strict=True)] or [0] * 4
        cells = [(kind, *(f"{number:,}" for number in row)) for kind, row in zip(kinds, [*rows, sums], strict=True)]
        header = ("kind", "properties", "inputs", "failures", "seconds")
        return str(table(cells, header=header, divider=True, aligns=("l", "r", "r", "r", "r")))


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
