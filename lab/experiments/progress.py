"""The code of a training, `spacy train --code`: a logger that also writes the progress to a file, and the baselines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from spacy import registry
from spacy.language import Language
from spacy.training.loggers import console_logger

import lab.baselines  # noqa: F401  # registers them
from spacy_span_selector.tools.files.writing import append_line, write_file

LogStep = Callable[[dict[str, Any] | None], None]


@registry.loggers("lab.ProgressLogger.v1")
def progress_logger(path: str) -> Callable[..., tuple[LogStep, Callable[[], None]]]:
    """Create a logger that prints spaCy's table, and writes a line of JSON after each step.

    path (str): The file. Each line has `step` and `seconds` since training began; lines with an evaluation also have
        `words`, the number read so far, and `score`.
    RETURNS (Callable): A function that sets the logger up for a pipeline.
    """
    console = console_logger(progress_bar=False)

    def setup(
        nlp: Language, stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr
    ) -> tuple[LogStep, Callable[[], None]]:
        log_to_console, finalize_console = console(nlp, stdout, stderr)
        write_file(Path(path), b"")
        begin = time.perf_counter()
        step = 0

        def log_step(info: dict[str, Any] | None) -> None:
            nonlocal step
            log_to_console(info)
            # spaCy logs a step before the first update, and after each further one.
            line: dict[str, Any] = {"step": step, "seconds": round(time.perf_counter() - begin, 3)}
            if info is not None:
                line |= {"words": info["words"], "score": float(info["score"])}
            append_line(Path(path), json.dumps(line), sync=False)
            step += 1

        return log_step, finalize_console

    return setup


def read_progress(path: Path) -> list[dict[str, Any]]:
    """The complete lines that a logger has written so far; empty if it has not started."""
    try:
        *lines, _ = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]
