"""Parts annotated by the workers of a Ray cluster, which may be this machine alone (docs/scale.md).

A part is handed to one worker at a time; if that dies, to another. Parts are cut from one stream, which only the
process that started the run can read, such as its standard input. So they are no `ray.data.Dataset`, which workers read
by themselves; `dataset.py` is for those.
"""

from __future__ import annotations

import math
import os
import socket
import sys
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..files.fingerprints import versions
from .annotator import Annotator, PartResult, Tick
from .backends import Backend, Results
from .pipelines import Job, describe_pipeline
from .records import Part

LOCAL = "local"
MOST_DEATHS = 3
"""So many workers may die with the same part, or one after the other while they load the pipeline."""

SECONDS_TO_CONNECT = 10

SILENT = {"RAY_USAGE_STATS_ENABLED": "0"}
PRIVATE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Variables of the environment, which Ray reads when it is imported. With the second it listens on localhost only, and
not just on Windows."""


def require_ray(address: str = "") -> Any:
    """Import Ray, which then sends no statistics; on this machine alone, it listens on localhost only.

    address (str): What it will be connected to, if known.
    RAISES (ImportError): If it is not installed, with what installs it.
    """
    if "ray" not in sys.modules:
        for name, value in {**SILENT, **(PRIVATE if address == LOCAL else {})}.items():
            os.environ.setdefault(name, value)
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ImportError(
            "This needs Ray. Install it with: python -m pip install 'spacy-span-selector[ray]'"
        ) from error
    return ray


def in_ray(address: str = LOCAL, *, workers: int | None = None, num_cpus: float = 1, num_gpus: float = 0) -> Backend:
    """Annotate parts on a Ray cluster, one at a time on each worker. Results come in the order in which they are ready.

    Each worker loads the pipeline once, from where the job says: it must be there on each machine. If this process is
    connected to a cluster already, that is used, whatever the address.

    address (str): `HOST:PORT` of a cluster; "auto" for the one that this machine is in; "local" for Ray on this machine
        alone, started for the run.
    workers (int | None): The number of workers; None for as many as the cluster has CPUs and GPUs for.
    num_cpus (float): The CPUs that each takes, and its threads, unless the job says how many.
    num_gpus (float): The GPUs that each takes, less than 1 if several share one; 0 to compute on the CPU.
    RETURNS (Backend): What annotates parts.
    RAISES (ImportError): If Ray is not installed.
    """
    require_ray(address)

    def annotate(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
        with connected(address, None if workers is None else math.ceil(workers * num_cpus)) as ray:
            # A cluster that grows may have no machine yet, and someone has to say how many workers it should get.
            room = 0 if workers and address != LOCAL else find_room(ray, num_cpus, num_gpus)
            # Ray could restart workers, too. But it would do so without end, and would never take another one.
            make_worker = ray.remote(num_cpus=num_cpus, num_gpus=num_gpus, max_restarts=0)(Worker).remote
            pool = Pool(ray, make_worker, worker_job(job, num_cpus, num_gpus))
            yield from pool.annotate(parts, workers or room, tick)

    return annotate


def worker_job(job: Job, num_cpus: float, num_gpus: float) -> Job:
    """The job of a worker: its threads, the only GPU that Ray lets it see, and paths that hold in any folder."""
    return replace(
        job,
        model=str(Path(job.model).resolve()) if Path(job.model).is_dir() else job.model,
        code=job.code and job.code.resolve(),
        gpu_id=0 if num_gpus else -1,
        threads=job.threads or max(1, int(num_cpus)),
    )


def check_pipeline(job: Job, expected: dict[str, Any]) -> None:
    """Check that a machine has the pipeline that another one has.

    job (Job): The job that names it.
    expected (dict[str, Any]): What `describe_pipeline` says there.
    RAISES (ValueError): If it has none of this name, or another one.
    """
    host, cure = socket.gethostname(), "Copy it there, or name a folder that all machines share."
    try:
        found = describe_pipeline(job)
    except OSError as error:
        raise ValueError(f"{host}: {error} {cure}") from error
    if found != expected:
        raise ValueError(f"{job.model} is another pipeline on {host} than where the run was started. {cure}")


@contextmanager
def connected(address: str, cpus: int | None = None) -> Iterator[Any]:
    """Be connected to a cluster, and yield Ray. A connection that is there already is used, and stays.

    address (str): As for `in_ray`.
    cpus (int | None): The CPUs that a cluster has if it is started; None for those of this machine.
    RAISES (OSError): If there is no such cluster.
    """
    ray = require_ray(address)
    if ray.is_initialized():
        yield ray
        return
    knock(address)
    new = {"num_cpus": cpus, "include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(address=address, logging_level="ERROR", **new)
    except (RuntimeError, ray.exceptions.RayError) as error:  # such as another version of Ray, or a token that is wrong
        raise ConnectionError(f"{address}: can't be connected to: {error}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def knock(address: str) -> None:
    """Fail at once if nothing listens at `HOST:PORT`: Ray would try for minutes.

    RAISES (OSError): If nothing does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_CONNECT).close()
        except (OSError, OverflowError) as error:
            raise ConnectionError(
                f"{address}: no Ray cluster there ({error}). Expected the address of its head, HOST:PORT."
            ) from error


class Worker:
    """Annotates parts in a process of its own."""

    def __init__(self, job: Job, pipeline: dict[str, Any]) -> None:
        """Load the pipeline.

        job (Job): What to do.
        pipeline (dict[str, Any]): What `describe_pipeline` says where the run was started.
        """
        self.problem: Exception | None = None
        try:
            check_pipeline(job, pipeline)
            self.annotator = Annotator(job)
        except (ImportError, OSError, ValueError) as error:  # Ray would pass it on in words only
            self.problem = error

    def check(self) -> tuple[str, dict[str, str]]:
        """The machine, and the versions there.

        RAISES (Exception): If the pipeline could not be loaded.
        """
        if self.problem is not None:
            raise self.problem
        return socket.gethostname(), versions()

    def annotate(self, part: Part) -> PartResult:
        """Annotate a part."""
        return self.annotator(part)


class Pool:
    """Workers, and what each does."""

    def __init__(self, ray: Any, make_worker: Any, job: Job) -> None:
        self.ray = ray
        self.make_worker = make_worker
        self.job = job
        self.pipeline = describe_pipeline(job)
        self.busy: dict[Any, tuple[Any, Part | None]] = {}
        """The worker of each result to come, and its part; None while it loads the pipeline."""
        self.workers: list[Any] = []
        self.idle: list[Any] = []
        self.left = True  # perhaps
        self.again: deque[Part] = deque()
        self.deaths: Counter[int | None] = Counter()
        self.warned: set[str] = set()

    def annotate(self, parts: Iterable[Part], workers: int, tick: Tick) -> Results:
        """Annotate parts, and end all workers."""
        source = iter(parts)
        try:
            for _ in range(workers):
                self._start()
            while self.left or any(part for _, part in self.busy.values()):
                (ready,), _ = self.ray.wait([*self.busy], num_returns=1)
                worker, part = self.busy.pop(ready)
                try:
                    result = self.ray.get(ready)
                except self.ray.exceptions.RayTaskError as error:
                    raise error.cause from error
                except self.ray.exceptions.RayError as error:
                    self._replace(worker, part, error)
                    result = None
                else:
                    self.idle.append(worker)
                self._hand_out(source)  # first, so that no worker waits until the result is saved
                if isinstance(result, PartResult):
                    tick(result.end, result.words)
                    yield result
                elif result:
                    self._compare_versions(*result)
        finally:
            for worker in self.workers:
                self.ray.kill(worker)

    def _start(self) -> None:
        """Start a worker, which may have to wait until there is room for it."""
        worker = self.make_worker(self.job, self.pipeline)
        self.workers.append(worker)
        self.busy[worker.check.remote()] = worker, None

    def _hand_out(self, source: Iterator[Part]) -> None:
        """Give each idle worker a part, while there are any."""
        while self.idle and self.left:
            part = self.again.popleft() if self.again else next(source, None)
            if part is None:
                self.left = False
            else:
                worker = self.idle.pop()
                self.busy[worker.annotate.remote(part)] = worker, part

    def _replace(self, worker: Any, part: Part | None, error: Exception) -> None:
        """Start another worker, and do the part of the one that has died again."""
        self.workers.remove(worker)
        self.ray.kill(worker)  # if only its result was lost
        number = part.number if part else None
        self.deaths[number] += 1
        if self.deaths[number] == MOST_DEATHS:
            what = f"annotating part {part.number}, {part.place}" if part else "loading the pipeline"
            raise ValueError(
                f"{MOST_DEATHS} workers have died {what}, perhaps for lack of memory. The same command goes on there; "
                "fewer workers (--n-process) or smaller batches (--batch-words) need less memory. Ray says: "
                f"{' '.join(str(error).split())}"
            ) from error
        if part:
            self.again.append(part)
            self.left = True
        self._start()

    def _compare_versions(self, host: str, found: dict[str, str]) -> None:
        """A worker has loaded the pipeline; warn if it has other versions."""
        del self.deaths[None]
        here = versions()
        other = ", ".join(
            f"{name} {found[name]} and not {here[name]}" for name in here if found.get(name) != here[name]
        )
        if other and other not in self.warned:
            self.warned.add(other)
            warnings.warn(f"The result may differ a little from that of one machine: {host} has {other}.", stacklevel=2)


def find_room(ray: Any, num_cpus: float, num_gpus: float) -> int:
    """The number of workers that a cluster has room for.

    ray (Any): Ray, connected to it.
    num_cpus, num_gpus (float): What each worker takes.
    RAISES (ValueError): If it has no room for any.
    """
    has = ray.cluster_resources()
    shares = [(has.get(kind, 0), share) for kind, share in (("CPU", num_cpus), ("GPU", num_gpus)) if share]
    if room := min(int(number / share) for number, share in shares):
        return room
    raise ValueError(
        f"A worker takes {num_cpus:g} CPUs and {num_gpus:g} GPUs, but all machines together have "
        f"{has.get('CPU', 0):g} and {has.get('GPU', 0):g}. Ask for less (--num-cpus, --num-gpus)."
    )
