"""Datasets of Ray Data: one of texts becomes one of plain data, on all machines of a cluster (docs/scale.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy.tokens import Doc

from ...annotation.checks import show
from ...pipeline.batches import batch_by_words
from .annotator import Annotator, PartResult
from .cluster import MOST_DEATHS, check_pipeline, require_ray, worker_job
from .formats import Settings
from .pipelines import Job, Precision, describe_pipeline
from .records import RESERVED, Record
from .tables import plain_schema, require_pyarrow, to_python, to_row

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset

ERROR = "error"
"""The column that says why a text could not be annotated."""


def annotate_dataset(
    model: str | Path,
    dataset: Dataset,
    *,
    text_column: str = "text",
    id_column: str = "id",
    tokens: bool = False,
    code: Path | None = None,
    max_length: int | None = None,
    precision: Precision | None = None,
    batch_words: int = 20_000,
    workers: int | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
) -> Dataset:
    """Annotate a dataset of texts. As all of Ray Data, this happens when the result is used.

    Each worker loads the pipeline once, from the same path on each machine. A block of the dataset whose worker has
    died is done again. No row is lost: one that can't be annotated says why.

    model (str | Path): A path, or the name of a package.
    dataset (ray.data.Dataset): The texts.
    text_column (str): The column with the text.
    id_column (str): The column with the name of the text; it need not be there.
    tokens (bool): Whether to say where tokens are.
    code (Path | None): A Python file with registered functions that the pipeline needs.
    max_length (int | None): The most characters that a text may have; None for what the pipeline says.
    precision (Precision | None): What encoders multiply in, where the device can; None for what the pipeline says.
    batch_words (int): About how many words are annotated at once.
    workers (int | None): The number of workers; None for as many as there is room for, which may change on the way.
    num_cpus (float): The CPUs that each takes, and its threads.
    num_gpus (float): The GPUs that each takes, less than 1 if several share one; 0 to compute on the CPU.
    RETURNS (ray.data.Dataset): A row for each row: what `to_dict` returns, `error`, and all other columns of the texts
        but those of the same names.
    RAISES (OSError): If there is no such pipeline.
    """
    ray = require_ray()
    settings: dict[str, Any] = {
        "tokens": tokens,
        "max_length": max_length,
        "precision": precision,
        "batch_words": batch_words,
    }
    job = worker_job(Job(model=str(model), code=code, **settings), num_cpus, num_gpus)
    pool = {"min_size": 1} if workers is None else {"size": workers}
    return dataset.map_batches(
        TableAnnotator,
        fn_constructor_args=(job, describe_pipeline(job), text_column, id_column),
        batch_size=None,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(**pool),
        num_cpus=num_cpus,
        num_gpus=num_gpus,
        max_task_retries=MOST_DEATHS - 1,
    )


class TableAnnotator:
    """Annotates tables of texts in a process of its own."""

    def __init__(self, job: Job, pipeline: dict[str, Any], text_column: str, id_column: str) -> None:
        """Load the pipeline.

        job (Job): What to do.
        pipeline (dict[str, Any]): What `describe_pipeline` says where the dataset was made.
        text_column, id_column (str): The columns with texts and their names.
        """
        check_pipeline(job, pipeline)
        self.annotator = Annotator(job)
        self.text_column = text_column
        self.id_column = id_column

    def __call__(self, table: pyarrow.Table) -> Iterator[pyarrow.Table]:
        """Annotate a table, and yield the result in pieces, so that not all of it must be in memory."""
        taken = {self.text_column, self.id_column, *RESERVED, ERROR}
        passed = table.select([name for name in table.column_names if name not in taken])
        begin = 0
        for records in batch_by_words(self._read(table), self.annotator.job.batch_words):
            piece = self._annotate(records)
            for field, column in zip(passed.schema, passed.slice(begin, len(records)).columns, strict=True):
                piece = piece.append_column(field, column)
            yield piece
            begin += len(records)

    def _read(self, table: pyarrow.Table) -> Iterator[Record]:
        if self.text_column not in table.column_names:
            raise ValueError(f"There is no column '{self.text_column}' among {show(table.column_names)}.")
        has_names = self.id_column in table.column_names
        rows = ((batch, row) for batch in table.to_batches() for row in range(batch.num_rows))
        for number, (batch, row) in enumerate(rows):
            text = to_python(batch[self.text_column], row)
            name = to_python(batch[self.id_column], row) if has_names else None
            problem = "" if isinstance(text, str) else f"the text is {show(text)}; expected a string."
            content = "" if problem else text
            yield Record("" if name is None else str(name), str(number), 0, content, problem=problem)

    def _annotate(self, records: Sequence[Record]) -> pyarrow.Table:
        arrow = require_pyarrow()
        rows, result = Rows(self.annotator.settings), PartResult(0, "", 0)
        self.annotator.annotate(records, rows, result)
        for error in result.errors:
            record = records[int(error["source"]) - int(records[0].source)]
            text = None if record.problem else record.content
            values = {"id": record.id or None, "text": text, ERROR: error["reason"]}
            rows.found[record.source] = to_row(values, rows.schema)
        return arrow.Table.from_batches([rows.found[record.source] for record in records], rows.schema)


class Rows:
    """A writer that keeps the plain data of each record as a row of a table."""

    def __init__(self, settings: Settings) -> None:
        arrow = require_pyarrow()
        self.settings = settings
        self.schema = plain_schema().append(arrow.field(ERROR, arrow.string()))
        self.found: dict[str, pyarrow.RecordBatch] = {}

    def add(self, record: Record, doc: Doc) -> None:
        """Keep the plain data of a document."""
        self.found[record.source] = to_row(self.settings.to_dict(doc), self.schema)

    def finish(self) -> bytes:
        """There is no file."""
        return b""
