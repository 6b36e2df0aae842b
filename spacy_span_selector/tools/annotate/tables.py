"""Parquet tables, read and written by pyarrow, which need not be installed."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel

from ..formats.plain.schema import Document
from .inputs import InputFile
from .records import RESERVED, Reading, Record, plain, source_name

if TYPE_CHECKING:
    import pyarrow

ROWS = 64  # that are in memory at once; each may be a novel
FIELDS = "fields"
PRIMITIVE = {str: "string", int: "int64", float: "float64", bool: "bool"}


def require_pyarrow() -> Any:
    """Import pyarrow with what reads and writes Parquet.

    RAISES (ImportError): If it is not installed, with what installs it.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "Parquet needs pyarrow. Install it with: python -m pip install 'spacy-span-selector[parquet]'"
        ) from error
    return pyarrow


class Cell:
    """A value of a table that Python can't hold, such as a date after the year 9999, as Arrow holds it."""

    def __init__(self, column: pyarrow.Array) -> None:
        """Keep a value.

        column (pyarrow.Array): The value alone, which can be pickled as it is.
        """
        self.column = column

    def __str__(self) -> str:
        return " ".join(self.column.to_string().split()).removeprefix("[ ").removesuffix(" ]")

    __repr__ = __str__


def read_table(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read a table, some rows at a time.

    file (InputFile): The file.
    reading (Reading): Which columns have name and text.
    YIELDS (Record): The rows, and one for what a file that is damaged has lost, or for a table that is none.
    """
    arrow = require_pyarrow()
    name, number, end = source_name(file.path), 0, file.start
    try:
        with arrow.parquet.ParquetFile(file.path) as table:
            check_names(table.schema_arrow)
            rows = max(1, table.metadata.num_rows)
            for batch in table.iter_batches(batch_size=ROWS):
                for row in range(batch.num_rows):
                    number += 1
                    end = file.start + (file.size or 0) * number // rows
                    values = {key: to_python(batch[key], row) for key in batch.schema.names}
                    yield reading.make_record(f"{name}:{number}", end, values)
    except RepeatedNameError as error:
        yield Record(name, name, end, problem=str(error))
    except (OSError, ValueError, arrow.ArrowException) as error:
        source = f"{name}:{number + 1}"
        yield Record(source, source, end, problem=f"the table can't be read from here on ({error}). Copy it again.")


def to_python(column: pyarrow.Array, row: int) -> Any:
    """A value of a column in Python, or a `Cell` if it has no such value, or none that other processes can get."""
    try:
        value = column[row].as_py()
        pickle.dumps(value)
    except MemoryError:  # for which no value is to blame
        raise
    except Exception:  # each type fails in its own way
        return Cell(column.take([row]))
    return value


class RepeatedNameError(ValueError):
    """Two columns of a table have the same name."""


def check_names(schema: pyarrow.Schema) -> None:
    """Fail if columns have the same name.

    RAISES (RepeatedNameError): If some do, naming one.
    """
    for name, times in Counter(schema.names).items():
        if times > 1:
            raise RepeatedNameError(f"{times} columns are called '{name}', so which is meant is open. Rename one.")


def passed_columns(files: Sequence[InputFile], reading: Reading) -> bytes | None:
    """The columns of tables that are passed on to tables.

    files (Sequence[InputFile]): All inputs.
    reading (Reading): Which columns have name and text.
    RETURNS (bytes | None): An Arrow schema, which a worker gets; None if not all inputs are tables. Then a column of
        JSON has the fields, because nothing says beforehand which there will be.
    RAISES (ValueError): If two tables have a column of the same name, but of types that do not go together.
    """
    if not all(file.kind == "parquet" for file in files):
        return None
    arrow = require_pyarrow()
    taken = {reading.text_field, reading.id_field or "id", *RESERVED}
    schemas = [arrow.schema([])]
    for file in files:
        try:
            schema = arrow.parquet.read_schema(file.path).remove_metadata()
            check_names(schema)
        except (OSError, RepeatedNameError, arrow.ArrowException):
            continue  # reading reports it
        schemas.append(arrow.schema([column for column in schema if column.name not in taken]))
    try:
        kept = arrow.unify_schemas(schemas, promote_options="permissive")
    except arrow.ArrowException as error:
        raise ValueError(
            f"The tables have different types in columns of the same name ({error}), so there is none for the output. "
            "Annotate them in separate runs, or take another --format."
        ) from error
    return bytes(kept.serialize().to_pybytes())


def make_row(row: dict[str, Any], columns: bytes | None, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Plain data as a row of a table.

    row (dict[str, Any]): What `to_dict` returns, with the fields of the record as `fields`.
    columns (bytes | None): The columns that are passed on, as `passed_columns` returns them.
    schema (pyarrow.Schema): All columns, as `table_schema` returns them.
    RAISES (Exception): If a value does not fit in its column, of many kinds.
    """
    if columns is None:
        values = {**row, FIELDS: _to_json(row[FIELDS])}
    else:
        fields = {key: value.column[0] if isinstance(value, Cell) else value for key, value in row[FIELDS].items()}
        values = {**fields, **{key: row[key] for key in row if key != FIELDS}}
    return to_row(values, schema)


def to_row(values: dict[str, Any], schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Values as a row of a table.

    RAISES (Exception): If one does not fit in its column, of many kinds.
    """
    arrow = require_pyarrow()
    return arrow.RecordBatch.from_struct_array(arrow.array([values], type=arrow.struct(list(schema))))


def write_rows(rows: Sequence[pyarrow.RecordBatch], schema: pyarrow.Schema) -> bytes:
    """Write a table; all tables of a run have the same columns.

    rows (Sequence[pyarrow.Table]): What `make_row` returns.
    schema (pyarrow.Schema): All columns.
    RETURNS (bytes): The file.
    """
    return _write(require_pyarrow().Table.from_batches(rows, schema))


def write_objects(rows: list[dict[str, Any]], schema: pyarrow.Schema) -> bytes:
    """Write objects as a table, as `write_rows` does; keys that are no columns are left out."""
    return _write(require_pyarrow().Table.from_pylist(rows, schema))


def _write(table: pyarrow.Table) -> bytes:
    stream = BytesIO()
    require_pyarrow().parquet.write_table(table, stream)
    return stream.getvalue()


def table_schema(columns: bytes | None) -> pyarrow.Schema:
    """The columns of a table of documents: those of plain data, and those that are passed on."""
    arrow = require_pyarrow()
    passed = [arrow.field(FIELDS, arrow.string())]
    if columns is not None:
        passed = list(arrow.ipc.read_schema(arrow.py_buffer(columns)))
    return arrow.schema([*plain_schema(), *passed])


@cache
def plain_schema() -> pyarrow.Schema:
    """The columns of plain data, which its models declare."""
    return record_schema(Document)


def record_schema(model: type[BaseModel]) -> pyarrow.Schema:
    """The columns of a table whose rows a model declares."""
    return require_pyarrow().schema(list(_record_type(model)))


def _arrow_type(kind: Any) -> pyarrow.DataType:
    """The type of a column for the type of a field."""
    arrow = require_pyarrow()
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _record_type(kind)
    if kind in PRIMITIVE:
        return arrow.type_for_alias(PRIMITIVE[kind])
    if get_origin(kind) is Literal:
        return arrow.string()
    if get_origin(kind) is list:
        return arrow.list_(_arrow_type(get_args(kind)[0]))
    if get_origin(kind) is dict:
        return arrow.map_(*map(_arrow_type, get_args(kind)))
    return _arrow_type(get_args(kind)[0])  # what is annotated, or may be missing


def _record_type(model: type[BaseModel]) -> pyarrow.StructType:
    fields = [(name, _arrow_type(field.annotation)) for name, field in model.model_fields.items()]
    return require_pyarrow().struct(fields)


def _to_json(fields: dict[str, Any]) -> str | None:
    return json.dumps(plain(fields), ensure_ascii=False) if fields else None
