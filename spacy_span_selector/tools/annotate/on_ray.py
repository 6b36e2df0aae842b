"""Annotation on Ray Data, which restarts workers that die: parts of `annotate --ray`, and datasets (docs/scale.md)."""

from __future__ import annotations

import logging
import os
import pickle
import socket
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...annotation.checks import show
from ..files.pipelines import describe_pipeline
from .annotator import Annotator, Job, PartResult, Tick
from .formats import plain_schema
from .records import Part, Record, describe, require_pyarrow
from .run import Backend, Results, report_death

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset

LOCAL = "local"
MOST_DEATHS = 3  # of workers with the same block
PARTS_PER_WORKER = 20  # that are read and handed out at once, as one dataset


def require_ray(address: str = "") -> Any:
    """Import Ray, which then sends no statistics and, if it is local, listens to this machine only."""
    if "ray" not in sys.modules:  # it reads these when it is imported
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address == LOCAL:
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray.data
    except ImportError as error:
        message = "This needs Ray. Install it with: python -m pip install 'spacy-span-selector[ray]'"
        raise ImportError(message) from error
    return ray


@contextmanager
def connected(address: str, cpus: int | None = None) -> Iterator[Any]:
    """Be connected to a cluster or, if it is local, start one with so many CPUs, and yield Ray."""
    ray = require_ray(address)
    if ray.is_initialized():  # such a connection stays
        yield ray
        return
    host, _, port = address.rpartition(":")
    new = {"num_cpus": cpus, "include_dashboard": False} if address == LOCAL else {}
    try:
        if host:  # Ray would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        ray.init(address=address, logging_level="ERROR", **new)
    except (OSError, OverflowError, RuntimeError, ray.exceptions.RayError) as error:  # such as another version of Ray
        cure = "Expected the address of the head of a Ray cluster, HOST:PORT."
        raise ConnectionError(f"{address}: can't be connected to ({error}). {cure}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def in_ray(address: str = LOCAL, *, workers: int | None = None, num_gpus: float = 0) -> Backend:
    """Annotate parts on a Ray cluster: at `HOST:PORT`, that of this machine if "auto", or else started here."""

    def annotate(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
        parts = iter(parts)
        with connected(address, workers) as ray:
            ray.data.DataContext.get_current().enable_progress_bars = False
            logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what ends the run is raised
            cpus, gpus = (ray.cluster_resources().get(kind, 0) for kind in ("CPU", "GPU"))
            size = workers or int(min(cpus, gpus / num_gpus) if num_gpus else cpus)
            if not size:
                found = f"all machines together have {cpus:g} and {gpus:g}. Ask for less (--num-gpus)."
                raise ValueError(f"A worker takes 1 CPU and {num_gpus:g} GPUs, but {found}")
            while several := list(islice(parts, PARTS_PER_WORKER * size)):
                for result in _annotate_parts(ray, job, several, size, num_gpus):
                    tick(result.end, result.counts["words"])
                    yield result

    return annotate


def _annotate_parts(ray: Any, job: Job, parts: list[Part], workers: int, num_gpus: float) -> Results:
    dataset = ray.data.from_arrow([_pickled(part) for part in parts])
    annotated = _map(dataset, PartWorker, job, size=min(workers, len(parts)), num_gpus=num_gpus)
    left = {part.number: part for part in parts}
    try:
        for row in annotated.iter_rows():
            result = pickle.loads(row["pickled"])
            if isinstance(result, Exception):
                raise result
            del left[result.number]
            yield result
    except ray.exceptions.RayError as error:
        raise report_death(next(iter(left.values()))) from error


def annotate_dataset(
    model: str | Path,
    dataset: Dataset,
    *,
    text_column: str = "text",
    id_column: str = "id",
    tokens: bool = False,
    code: Path | None = None,
    max_length: int | None = None,
    batch_words: int = 20_000,
    workers: int | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
) -> Dataset:
    """Annotate a dataset of texts, when the result is used, as all of Ray Data.

    model (str | Path): A path, which must be there on each machine, or the name of a package.
    id_column (str): The column with the name of the text; it need not be there.
    tokens, code, max_length, batch_words: As for a `Job`.
    workers (int | None): None for as many as there is room for, which may change on the way.
    num_cpus, num_gpus (float): The CPUs, and threads, that each takes, and its GPUs, less than 1 if several share one.
    RETURNS (ray.data.Dataset): For each row what `to_dict` returns, or in `error` why not, and all other columns.
    """
    job = Job(model=str(model), code=code, tokens=tokens, max_length=max_length, batch_words=batch_words)
    pool = {"min_size": 1} if workers is None else {"size": workers}
    return _map(dataset, TextWorker, job, text_column, id_column, num_cpus=num_cpus, num_gpus=num_gpus, **pool)


def _map(
    dataset: Dataset, worker: type, job: Job, *columns: str, num_cpus: float = 1, num_gpus: float, **pool: int
) -> Dataset:
    job = replace(
        job,
        model=str(Path(job.model).resolve()) if Path(job.model).is_dir() else job.model,
        code=job.code and job.code.resolve(),
        gpu_id=0 if num_gpus else -1,  # the only one that Ray lets it see
        threads=max(1, int(num_cpus)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of max_task_retries, for which Ray has nothing else yet
        return dataset.map_batches(
            worker,
            fn_constructor_args=(job, describe_pipeline(job.model, job.code), *columns),
            batch_size=None,
            batch_format="pyarrow",
            compute=require_ray().data.ActorPoolStrategy(**pool),
            num_cpus=num_cpus,
            num_gpus=num_gpus,
            max_task_retries=MOST_DEATHS - 1,
        )


class Worker:
    """Annotates in a process of its own, whose pipeline must have the files that `pipeline` describes."""

    def __init__(self, job: Job, pipeline: dict[str, Any], *columns: str) -> None:
        self.job = job
        self.pipeline = pipeline
        self.columns = columns

    @cached_property
    def annotator(self) -> Annotator:
        """The annotator. It is loaded with the first block: Ray would start what dies before that without end."""
        found = None
        with suppress(OSError):
            found = describe_pipeline(self.job.model, self.job.code)
        if found != self.pipeline:
            here = f"{socket.gethostname()} has another pipeline {self.job.model} than the machine of the run, or none."
            raise ValueError(f"{here} Copy it there, or name a folder that all machines share.")
        return Annotator(self.job)


class PartWorker(Worker):
    """Annotates tables with a pickled part each; returns its result, or the error that ends the run."""

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        try:
            return _pickled(self.annotator(pickle.loads(table["pickled"][0].as_py())))
        except Exception as error:  # Ray would pass it on in words only
            return _pickled(error)


def _pickled(value: Any) -> pyarrow.Table:
    arrow = require_pyarrow()
    return arrow.table({"pickled": arrow.array([pickle.dumps(value)], arrow.large_binary())})


class TextWorker(Worker):
    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        text_column, _ = self.columns
        if text_column not in table.column_names:
            raise ValueError(f"There is no column '{text_column}' among {show(table.column_names)}.")
        records = [self._read(table, number) for number in range(len(table))]
        rows = {record.source: {"id": record.id or None, "text": record.content or None} for record in records}
        result, to_dict = PartResult(0, "", 0), self.annotator.settings.to_dict
        self.annotator.annotate(records, lambda record, doc: rows[record.source].update(to_dict(doc)), result)
        for error in result.errors:
            rows[error["source"]]["error"] = error["reason"]
        arrow = require_pyarrow()
        schema = plain_schema().append(arrow.field("error", arrow.string()))
        annotated = arrow.Table.from_pylist(list(rows.values()), schema)
        for field in table.schema:
            if field.name not in (*self.columns, *schema.names):
                annotated = annotated.append_column(field, table[field.name])
        return annotated

    def _read(self, table: pyarrow.Table, number: int) -> Record:
        text_column, id_column = self.columns
        try:
            name = table[id_column][number].as_py() if id_column in table.column_names else None
            text = table[text_column][number].as_py()
        except Exception as error:  # each type has values that Python can't hold
            return Record("", str(number), 0, problem=f"it can't be read: {describe(error)}")
        problem = "" if isinstance(text, str) else f"the text is {show(text)}; expected a string."
        return Record("" if name is None else str(name), str(number), 0, "" if problem else text, problem=problem)
