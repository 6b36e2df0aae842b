import gc
import multiprocessing
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from spacy_span_selector.tools.annotate import Job, Reading
from spacy_span_selector.tools.annotate.annotator import Tick
from spacy_span_selector.tools.annotate.inputs import find_inputs
from spacy_span_selector.tools.annotate.output import OutputStream
from spacy_span_selector.tools.annotate.records import Part, cut_into_parts
from spacy_span_selector.tools.annotate.run import Results, annotate_to, in_processes, in_this_process

from ...processes import spawn_fresh
from . import components
from .conftest import make_records, read_lines

CODE = Path(components.__file__)


def ignore(end: int, words: int) -> None:
    pass


def backwards(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
    """Finish the last part first, as a cluster may."""
    yield from reversed(list(in_this_process(job, parts, tick)))


def test_a_stream_has_documents_and_errors_in_order_however_parts_are_done(job: Job, tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "{word}"}}\n' for word in ("Ann", "Boom", "Bob", "Boom")))
    out, errors = BytesIO(), StringIO()
    files = find_inputs([str(tmp_path / "a.jsonl")])
    annotate_to(OutputStream(out, errors), job, files, Reading(), part_words=1, backend=backwards)
    assert [line["text"] for line in read_lines(out.getvalue())] == ["Ann", "Bob"]
    assert [line["part"] for line in read_lines(errors.getvalue().encode())] == [1, 3]


def test_the_words_of_a_part_that_is_tried_twice_count_once(job: Job, tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"text": "Ann left."}\n{"text": "Bob\\u0000"}\n')  # which BIO can't hold
    files, stream = find_inputs([str(tmp_path / "a.jsonl")]), OutputStream(BytesIO(), StringIO())
    summary = annotate_to(stream, replace(job, format="bio"), files, Reading(), None, in_this_process)
    assert (summary.words, summary.annotated, summary.errors) == (3, 3, 1)


def test_two_processes_do_what_one_does_in_the_same_order(job: Job, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(multiprocessing, "get_context", spawn_fresh)
    job = replace(job, code=CODE, threads=1)
    parts = list(cut_into_parts(make_records(*(f"Ann saw Bob{i}. Ann left." for i in range(9)), "Boom"), 12))
    assert len(parts) > 4
    ticks: list[tuple[int, int]] = []
    several = list(in_processes(2)(job, parts, lambda *tick: ticks.append(tick)))
    assert several == list(in_this_process(job, parts, ignore))
    assert len(several[-1].errors) == 1
    assert ticks == [(result.end, result.counts["words"]) for result in several]


def test_garbage_is_collected_as_ever_behind_a_run_in_this_process(job: Job):
    results = in_this_process(job, cut_into_parts(make_records("Ann left.", "Bob left."), 1), ignore)
    next(results)
    assert gc.get_freeze_count() > 0
    results.close()
    assert gc.get_freeze_count() == 0


def test_a_process_that_is_killed_is_reported_with_what_was_under_way(job: Job, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(multiprocessing, "get_context", spawn_fresh)

    def parts() -> Iterator[Part]:
        first, *others = cut_into_parts(make_records("Ann left.", "Eve left.", "Bob left."), 1)
        yield first
        for process in multiprocessing.active_children():
            process.kill()
        yield from others

    with (
        pytest.raises(ValueError, match=r"A process that annotates has ended, .* part 0, from file:1.*--batch-words"),
        closing(in_processes(1)(replace(job, code=CODE), parts(), ignore)) as results,
    ):
        list(results)


STARTS_A_WORKER = """
import os, signal, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from spacy_span_selector.tools.files.runs import prepare_worker

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
