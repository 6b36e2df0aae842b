from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.backends import in_processes, in_this_process
from spacy_span_selector.tools.annotate.records import cut_into_parts

from ...processes import spawn_fresh
from . import components
from .conftest import make_records

CODE = Path(components.__file__)


def ignore(end: int, words: int) -> None:
    pass


def test_two_processes_do_what_one_does_in_the_same_order(job: Job, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(multiprocessing, "get_context", spawn_fresh)
    job = replace(job, code=CODE, threads=1)
    parts = list(cut_into_parts(make_records(*(f"Ann saw Bob{i}. Ann left." for i in range(9)), "Boom"), 12))
    assert len(parts) > 4
    ticks: list[tuple[int, int]] = []
    several = list(in_processes(2)(job, parts, lambda *tick: ticks.append(tick)))
    assert several == list(in_this_process(job, parts, ignore))
    assert len(several[-1].errors) == 1
    assert ticks == [(result.end, result.words) for result in several]


STARTS_A_WORKER = """
import os, signal, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from spacy_span_selector.tools.files.processes import prepare_worker

if __name__ == "__main__":
    executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=prepare_worker)
    print(executor.submit(os.getpid).result(), flush=True)
    executor.submit(time.sleep, 600)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_ends_with_the_process_that_started_it(tmp_path: Path):
    (tmp_path / "script.py").write_text(STARTS_A_WORKER)
    with subprocess.Popen([sys.executable, tmp_path / "script.py"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline())
        assert process.stdout.read() == b""  # its end comes when the worker has closed it, too
    assert process.returncode == -signal.SIGKILL


def test_a_process_that_is_killed_is_reported_with_what_was_under_way(job: Job, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(components.KILL, "1")
    parts = list(cut_into_parts(make_records("Ann left.", "Kill", "Bob left."), 1))
    with (
        pytest.raises(ValueError, match=r"A process that annotates has ended, .* part [01], from file:.*--batch-words"),
        closing(in_processes(1)(replace(job, code=CODE), parts, ignore)) as results,
    ):
        list(results)
