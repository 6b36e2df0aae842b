"""Who gets which part, with a twin of Ray; Ray itself is in `test_ray.py`."""

from __future__ import annotations

import builtins
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.annotator import PartResult
from spacy_span_selector.tools.annotate.backends import in_this_process
from spacy_span_selector.tools.annotate.cluster import Pool, Worker, find_room, in_ray, knock, require_ray, worker_job
from spacy_span_selector.tools.annotate.pipelines import describe_pipeline
from spacy_span_selector.tools.annotate.records import Part, cut_into_parts
from spacy_span_selector.tools.files.fingerprints import versions

from .conftest import make_records
from .test_backends import ignore

PARTS = list(cut_into_parts(make_records("Ann", "Bob", "Eve", "Kim", "Lee"), 1))


class RayError(Exception):
    """A worker has died."""


class RayTaskError(RayError):
    """A worker has raised an error."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("a long message")
        self.cause = cause


class FakeRay:
    """Workers that do what a function says, in the order in which they were asked."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, annotate: Callable[[Part], str], check: Callable[[int], Any] = lambda number: None) -> None:
        self.functions = annotate, check
        self.workers: list[FakeWorker] = []
        self.killed: list[FakeWorker] = []
        self.most_under_way = 0

    def make_worker(self, job: Job, pipeline: dict[str, Any]) -> FakeWorker:
        self.workers.append(FakeWorker(len(self.workers), *self.functions))
        return self.workers[-1]

    def wait(self, promises: list[Callable[[], Any]], num_returns: int) -> tuple[list[Any], list[Any]]:
        self.most_under_way = max(self.most_under_way, len(promises))
        ready = [promise for promise in promises if promise() != "never"]
        return ready[:num_returns], []

    def get(self, promise: Callable[[], Any]) -> Any:
        found = promise()
        if isinstance(found, Exception):
            raise found
        return found

    def kill(self, worker: FakeWorker) -> None:
        self.killed.append(worker)


class FakeWorker:
    def __init__(self, number: int, annotate: Callable[[Part], Any], check: Callable[[int], Any]) -> None:
        self.number = number
        self.annotate = SimpleNamespace(remote=lambda part: promise(annotate(part) or PartResult(part.number, "", 0)))
        self.check = SimpleNamespace(remote=lambda: promise(check(number) or ("host", versions())))


def promise(found: Any) -> Callable[[], Any]:
    return lambda: found


def annotate(ray: FakeRay, job: Job, parts: Any = PARTS, workers: int = 2) -> Iterator[PartResult]:
    return Pool(ray, ray.make_worker, job).annotate(parts, workers, ignore)


def numbers(results: Iterator[PartResult]) -> list[int]:
    return [result.number for result in results]


def dies(*deaths: int) -> Callable[[Part], Any]:
    """What happens to parts: with each of these numbers a worker dies, as often as the number comes."""
    left = list(deaths)

    def annotate(part: Part) -> Any:
        if part.number in left:
            left.remove(part.number)
            return RayError(f"part {part.number}")
        return None

    return annotate


def test_each_part_is_done_once_and_all_workers_end(job: Job):
    ray = FakeRay(dies())
    assert sorted(numbers(annotate(ray, job))) == [0, 1, 2, 3, 4]
    assert {worker.number for worker in ray.killed} == {0, 1}


def test_parts_of_workers_that_die_are_done_by_others(job: Job):
    ray = FakeRay(dies(1, 4, 4))
    assert sorted(numbers(annotate(ray, job))) == [0, 1, 2, 3, 4]
    assert len(ray.workers) == 2 + 3
    assert {worker.number for worker in ray.killed} == {0, 1, 2, 3, 4}


def test_a_part_that_kills_each_worker_ends_the_run_and_is_named(job: Job):
    ray = FakeRay(dies(1, 1, 1))
    found = []
    message = r"3 workers have died annotating part 1, from file:2 to file:2, .*--batch-words.* Ray says: part 1"
    with pytest.raises(ValueError, match=message):
        for result in annotate(ray, job):
            found.append(result.number)
    assert 1 not in found
    assert len(ray.killed) >= len(ray.workers)


def test_workers_that_die_before_they_are_ready_end_the_run(job: Job):
    with pytest.raises(ValueError, match=r"3 workers have died loading the pipeline, .* Ray says: no memory"):
        numbers(annotate(FakeRay(dies(), lambda number: RayError("no  memory")), job))


def test_workers_may_die_before_they_are_ready_if_others_do_not(job: Job):
    ray = FakeRay(dies(), lambda number: RayError("no memory") if number in (0, 2) else None)
    assert sorted(numbers(annotate(ray, job))) == [0, 1, 2, 3, 4]


def test_a_worker_for_which_there_is_no_room_any_more_keeps_nobody_waiting(job: Job):
    ray = FakeRay(dies(0), lambda number: "never" if number >= 2 else None)
    assert sorted(numbers(annotate(ray, job))) == [0, 1, 2, 3, 4]


def test_what_a_worker_raises_is_raised(job: Job):
    ray = FakeRay(lambda part: RayTaskError(OSError("no room on the device")))
    with pytest.raises(OSError, match=r"^no room on the device$"):
        numbers(annotate(ray, job))
    assert {worker.number for worker in ray.killed} == {0, 1}


def test_parts_are_read_when_a_worker_needs_them(job: Job):
    read = []

    def parts() -> Iterator[Part]:
        for part in PARTS:
            read.append(part.number)
            yield part

    results = annotate(FakeRay(dies()), job, parts())
    assert next(results).number in read
    assert len(read) <= 3


def test_workers_end_when_nobody_wants_their_results(job: Job):
    ray = FakeRay(dies())
    with closing(annotate(ray, job)) as results:
        next(results)
    assert {worker.number for worker in ray.killed} == {0, 1}


def test_progress_is_told(job: Job):
    ticks = []
    ray = FakeRay(dies(2))
    for _ in Pool(ray, ray.make_worker, job).annotate(PARTS, 1, lambda *tick: ticks.append(tick)):
        pass
    assert ticks == [(0, 0)] * 5


def test_other_versions_are_told_once(job: Job):
    other = {**versions(), "torch": "0.1"}
    with pytest.warns(UserWarning, match=r"node7 has torch 0\.1 and not ") as warned:
        numbers(annotate(FakeRay(dies(), lambda number: ("node7", other)), job, workers=3))
    assert len(warned) == 1


def test_a_worker_annotates_with_the_pipeline_of_the_run(job: Job):
    worker = Worker(job, describe_pipeline(job))
    assert worker.check() == (socket.gethostname(), versions())
    assert [worker.annotate(part) for part in PARTS] == list(in_this_process(job, PARTS, ignore))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"files": "0"}, r"pipeline is another pipeline on .* than where the run was started\. Copy it there"),
        (None, r": none: no such folder with a pipeline, .* Copy it there"),
    ],
)
def test_a_worker_refuses_another_pipeline(job: Job, change: dict[str, str] | None, message: str):
    worker = Worker(job if change else replace(job, model="none"), {**describe_pipeline(job), **(change or {})})
    with pytest.raises(ValueError, match=message):
        worker.check()


def test_the_job_of_a_worker_holds_in_any_folder(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(Path(job.model).parent)
    name = Path(job.model).name
    found = worker_job(Job(model=name, code=Path("a.py"), gpu_id=3), num_cpus=2, num_gpus=0)
    assert (found.model, found.code) == (job.model, Path(job.model).parent / "a.py")
    assert (found.threads, found.gpu_id) == (2, -1)
    found = worker_job(Job(model="some_package"), num_cpus=0.5, num_gpus=0.25)
    assert (found.model, found.threads, found.gpu_id) == ("some_package", 1, 0)
    assert worker_job(Job(model="x", threads=4), num_cpus=1, num_gpus=0).threads == 4


@pytest.mark.parametrize(("num_cpus", "num_gpus", "room"), [(1, 0, 8), (3, 0, 2), (0.1, 0, 80), (1, 0.5, 4), (1, 1, 2)])
def test_there_are_as_many_workers_as_there_is_room_for(num_cpus: float, num_gpus: float, room: int):
    cluster = SimpleNamespace(cluster_resources=lambda: {"CPU": 8.0, "GPU": 2.0, "memory": 1e9})
    assert find_room(cluster, num_cpus, num_gpus) == room


def test_without_room_for_a_worker_the_error_says_what_there_is():
    cluster = SimpleNamespace(cluster_resources=lambda: {"CPU": 8.0})
    with pytest.raises(ValueError, match=r"A worker takes 1 CPUs and 1 GPUs, but all machines together have 8 and 0\."):
        find_room(cluster, 1, 1)


def test_without_ray_the_error_says_what_installs_it(monkeypatch: pytest.MonkeyPatch):
    original = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "ray":
            raise ImportError(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    for function in (require_ray, in_ray):
        with pytest.raises(ImportError, match=r"python -m pip install 'spacy-span-selector\[ray\]'"):
            function()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "[::1]:1", "ray://127.0.0.1:99999"])
def test_where_no_cluster_is_the_error_comes_at_once(address: str):
    with pytest.raises(ConnectionError, match=re.escape(f"{address}: no Ray cluster there (")):
        knock(address)


def test_a_port_that_listens_may_be_that_of_a_cluster():
    with socket.create_server(("127.0.0.1", 0)) as server:
        knock(f"127.0.0.1:{server.getsockname()[1]}")
    knock("auto")
