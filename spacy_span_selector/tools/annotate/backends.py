"""Annotate parts in this process or in several. Results come in the order of the parts."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from ..files.processes import prepare_worker
from .annotator import Annotator, PartResult, Tick
from .pipelines import Job
from .records import Part

Results = Generator[PartResult, None, None]
Backend = Callable[[Job, Iterable[Part], Tick], Results]
"""Takes what to do, the parts, and what to call when input has been annotated; yields what became of each part, in any
order. When it is closed, it stops what is under way."""

_annotators: dict[Job, Annotator] = {}
"""The one that a worker process has loaded."""


def in_this_process(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
    """Annotate parts in this process."""
    annotate = Annotator(job)
    for part in parts:
        yield annotate(part, tick)


def in_processes(n_process: int) -> Backend:
    """Annotate several parts at once, each in a process of its own, which loads the pipeline once.

    n_process (int): The number of processes. They are spawned, not forked: torch, Arrow and GPUs do not survive a fork
        in every state. Each has one thread, unless the job says otherwise.
    RETURNS (Backend): What annotates parts.
    """

    def annotate(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
        if job.threads is None:
            job = replace(job, threads=1)
        before = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(n_process, mp_context=context, initializer=prepare_worker)
        waiting: deque[tuple[Part, Future[PartResult]]] = deque()
        try:
            for part in parts:
                waiting.append((part, _submit(executor, job, part)))
                if len(waiting) > 2 * n_process:  # more than are under way, so that nobody waits for a slow one
                    yield _result(*waiting.popleft(), tick)
            while waiting:
                yield _result(*waiting.popleft(), tick)
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()  # what is under way is not wanted any more
            raise
        executor.shutdown()

    return annotate


def _submit(executor: ProcessPoolExecutor, job: Job, part: Part) -> Future[PartResult]:
    try:
        return executor.submit(_annotate, job, part)
    except BrokenProcessPool as error:  # what was submitted before may be done all the same
        future: Future[PartResult] = Future()
        future.set_exception(error)
        return future


def _result(part: Part, future: Future[PartResult], tick: Tick) -> PartResult:
    try:
        result = future.result()
    except BrokenProcessPool as error:
        raise ValueError(
            f"A process that annotates has ended, perhaps for lack of memory, when part {part.number}, {part.place}, "
            "and the parts after it were under way. The same command goes on there; fewer processes (--n-process) or "
            "smaller batches (--batch-words) need less memory."
        ) from error
    tick(result.end, result.words)
    return result


def _annotate(job: Job, part: Part) -> PartResult:
    """Annotate a part in a worker process."""
    if job not in _annotators:
        _annotators[job] = Annotator(job)
    return _annotators[job](part)
