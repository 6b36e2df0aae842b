from __future__ import annotations

import builtins
import datetime
import json
import math
import pickle
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import spacy

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.tools.annotate import Job, Reading
from spacy_span_selector.tools.annotate.annotator import Annotator
from spacy_span_selector.tools.annotate.inputs import find_inputs
from spacy_span_selector.tools.annotate.reading import read_records
from spacy_span_selector.tools.annotate.records import Part, Record
from spacy_span_selector.tools.annotate.tables import (
    make_row,
    passed_columns,
    plain_schema,
    require_pyarrow,
    table_schema,
    write_rows,
)

from .conftest import make_records, read_lines

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra 'parquet'")
parquet = pytest.importorskip("pyarrow.parquet")


def write(path: Path, columns: dict[str, Any]) -> None:
    parquet.write_table(pyarrow.table(columns), path)


def read(path: Path, reading: Reading | None = None) -> list[Record]:
    return list(read_records(find_inputs([str(path)]), reading or Reading()))


def written(data: list[dict[str, Any]], columns: bytes | None) -> list[dict[str, Any]]:
    schema = table_schema(columns)
    return rows(write_rows([make_row(row, columns, schema) for row in data], schema))


def rows(content: bytes) -> list[dict[str, Any]]:
    return parquet.read_table(BytesIO(content)).to_pylist()


def test_rows_are_records_with_all_other_columns(tmp_path: Path):
    day = datetime.date(1813, 1, 28)
    write(tmp_path / "a.parquet", {"id": [7, 8], "text": ["Ann", "Bob"], "day": [day, None]})
    first, second = read(tmp_path / "a.parquet")
    assert (first.id, first.content, first.fields) == ("7", "Ann", {"day": day})
    assert (second.id, second.source, second.fields) == ("8", f"{tmp_path / 'a.parquet'}:2", {"day": None})
    assert second.end == (tmp_path / "a.parquet").stat().st_size


def test_names_that_became_floats_are_whole_numbers_and_those_that_are_missing_are_places(tmp_path: Path):
    write(tmp_path / "a.parquet", {"id": [7.0, math.nan, None, 0.5], "text": ["Ann"] * 4})
    records = read(tmp_path / "a.parquet")
    assert [record.id for record in records[:3]] == ["7", f"{tmp_path / 'a.parquet'}:2", f"{tmp_path / 'a.parquet'}:3"]
    assert records[3].problem == "'id' is 0.5; expected a string or a whole number."


@pytest.mark.parametrize("values", [[None, "Bob"], [math.nan, 1.0]])
def test_a_row_without_a_text_says_so(tmp_path: Path, values: list[Any]):
    write(tmp_path / "a.parquet", {"text": values})
    assert read(tmp_path / "a.parquet")[0].problem.startswith("'text' is ")


def test_a_table_without_the_column_says_which_it_has(tmp_path: Path):
    write(tmp_path / "a.parquet", {"body": ["Ann"]})
    assert read(tmp_path / "a.parquet")[0].problem.startswith("there is no 'text' among ['body']")


ODD = {
    "date": ([3_000_000], pyarrow.date32(), "10183-09-21"),
    "time": ([2**62], pyarrow.timestamp("us"), "<value out of range: 4611686018427387904>"),
    "zone": ([0], pyarrow.timestamp("us", tz="No/Where"), "1970-01-01 00:00:00.000000Z"),
    "list": ([[2**62]], pyarrow.list_(pyarrow.timestamp("us")), "[ <value out of range: 4611686018427387904> ]"),
    "span": ([2**62], pyarrow.duration("s"), "4611686018427387904"),
}
"""Values that Python can't hold."""


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_a_value_that_python_cannot_hold_is_passed_on(tmp_path: Path, job: Job, name: str, format_: str):
    values, kind, shown = ODD[name]
    column = pyarrow.array([*values, None], kind)
    write(tmp_path / "a.parquet", {"text": ["Ann", "Bob"], "odd": column})
    files = find_inputs([str(tmp_path)])
    records = pickle.loads(pickle.dumps(list(read_records(files, Reading()))))
    columns = passed_columns(files, Reading()) if format_ == "parquet" else None
    result = Annotator(replace(job, format=format_, columns=columns))(Part(0, records))
    assert result.errors == []
    if format_ == "parquet":
        assert parquet.read_table(BytesIO(result.content)).column("odd").combine_chunks().equals(column)
    else:
        assert [line["odd"] for line in read_lines(result.content)] == [shown, None]


def test_a_value_that_does_not_fit_costs_its_record(tmp_path: Path, job: Job):
    write(tmp_path / "a.parquet", {"text": ["Ann", "Bob"], "number": [2**53 + 1, 1]})
    write(tmp_path / "b.parquet", {"text": ["Eve"], "number": [0.5]})
    files = find_inputs([str(tmp_path)])
    job = replace(job, format="parquet", columns=passed_columns(files, Reading()))
    result = Annotator(job)(Part(0, list(read_records(files, Reading()))))
    assert [error["source"] for error in result.errors] == [f"{tmp_path / 'a.parquet'}:1"]
    assert result.errors[0]["reason"].startswith("it can't be written: ")
    assert [row["number"] for row in rows(result.content)] == [1.0, 0.5]


NANOSECONDS = """
import sys
sys.modules["pandas"] = None
from spacy_span_selector.tools.annotate import Reading
from spacy_span_selector.tools.annotate.inputs import find_inputs
from spacy_span_selector.tools.annotate.reading import read_records

for record in read_records(find_inputs(sys.argv[1:]), Reading()):
    print(record.problem, record.fields["at"])
"""


def test_nanoseconds_need_no_pandas(tmp_path: Path):
    at = pyarrow.array([1234567890123456789, 0], pyarrow.timestamp("ns"))
    write(tmp_path / "a.parquet", {"text": ["Ann", "Bob"], "at": at})
    command = [sys.executable, "-c", NANOSECONDS, str(tmp_path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.strip() for line in lines] == ["2009-02-13 23:31:30.123456789", "1970-01-01 00:00:00"]


def test_a_text_that_is_not_utf_8_costs_its_row(tmp_path: Path):
    raw = [None, pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0\5\0\0\0"), pyarrow.py_buffer(b"\xff\xfeAnn")]
    write(tmp_path / "a.parquet", {"text": pyarrow.Array.from_buffers(pyarrow.string(), 2, raw)})
    first, second = read(tmp_path / "a.parquet")
    assert first.problem.endswith("; expected a string. Is --text-field right?")
    assert (second.problem, second.content) == ("", "Ann")


def test_columns_of_the_same_name_are_an_error_of_their_table(tmp_path: Path):
    table = pyarrow.Table.from_arrays([pyarrow.array(["Ann"]), pyarrow.array(["Bob"])], names=["text", "text"])
    parquet.write_table(table, tmp_path / "a.parquet")
    write(tmp_path / "b.parquet", {"text": ["Eve"], "year": [1813]})
    files = find_inputs([str(tmp_path)])
    twice, good = list(read_records(files, Reading()))
    assert twice.problem == "2 columns are called 'text', so which is meant is open. Rename one."
    assert (good.content, good.problem) == ("Eve", "")
    assert table_schema(passed_columns(files, Reading())).field("year").type == pyarrow.int64()


def test_damaged_tables_have_no_columns_to_pass_on(tmp_path: Path):
    (tmp_path / "a.parquet").write_bytes(b"no table")
    files = find_inputs([str(tmp_path)])
    assert table_schema(passed_columns(files, Reading())).names == plain_schema().names


@pytest.mark.parametrize("content", [b"no table", b"PAR1" * 20])
def test_a_damaged_table_says_so(tmp_path: Path, content: bytes):
    (tmp_path / "a.parquet").write_bytes(content)
    (record,) = read(tmp_path / "a.parquet")
    assert record.problem.startswith("the table can't be read from here on (")


def test_columns_of_tables_are_passed_on_with_their_types(tmp_path: Path):
    day = datetime.date(1813, 1, 28)
    write(tmp_path / "a.parquet", {"text": ["Ann"], "day": [day], "rating": [math.nan], "clusters": [1]})
    write(tmp_path / "b.parquet", {"text": ["Bob"], "tags": [["x"]], "rating": [2]})
    files = find_inputs([str(tmp_path)])
    columns = passed_columns(files, Reading())
    schema = table_schema(columns)
    assert (schema.field("day").type, schema.field("rating").type) == (pyarrow.date32(), pyarrow.float64())
    records = list(read_records(files, Reading()))
    first, second = written([{"text": r.content, "fields": r.fields} for r in records], columns)
    assert (first["text"], first["day"], first["tags"], first["clusters"]) == ("Ann", day, None, None)
    assert math.isnan(first["rating"])
    assert (second["tags"], second["rating"]) == (["x"], 2.0)


def test_names_of_records_may_have_other_types_in_other_tables(tmp_path: Path):
    write(tmp_path / "a.parquet", {"text": ["Ann"], "id": [1], "year": [1813]})
    write(tmp_path / "b.parquet", {"text": ["Bob"], "id": ["x"]})
    columns = passed_columns(find_inputs([str(tmp_path)]), Reading())
    assert table_schema(columns).names == [*plain_schema().names, "year"]


def test_columns_that_do_not_go_together_are_named(tmp_path: Path):
    write(tmp_path / "a.parquet", {"text": ["Ann"], "day": [1]})
    write(tmp_path / "b.parquet", {"text": ["Bob"], "day": [["x"]]})
    with pytest.raises(ValueError, match=r"different types in columns of the same name \(.*day.*Annotate them in"):
        passed_columns(find_inputs([str(tmp_path)]), Reading())


def test_fields_of_other_inputs_are_json(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann")
    assert passed_columns(find_inputs([str(tmp_path)]), Reading()) is None
    fields = [{"n": math.nan, "day": datetime.date(1813, 1, 28), "raw": b"\xff"}, {}]
    first, second = written([{"text": "Ann", "fields": part} for part in fields], None)
    assert json.loads(first["fields"]) == {"n": None, "day": "1813-01-28", "raw": "\\xff"}
    assert second["fields"] is None


def test_the_columns_are_the_keys_of_plain_data():
    schema = table_schema(None)
    assert schema.names == [
        *("format", "id", "text", "sentences", "tokens", "speakers", "clusters", "mentions"),
        *("characters", "unlinked_mentions", "frames", "arguments", "rolesets", "quotations", "labelled_spans"),
        "fields",
    ]
    span = "start: list<item: int64>, end: list<item: int64>, score: list<item: double>"
    names = "roleset: list<item: string>, roleset_name: list<item: string>"
    assert str(schema.field("frames").type) == f"struct<{span}, {names}>"
    assert str(schema.field("rolesets").type).endswith("roles: list<item: map<string, string>>>")


def test_a_row_reads_back_as_the_document(job: Job):
    annotator = Annotator(Job(model=job.model, format="parquet", tokens=True))
    result = annotator(Part(0, make_records("Ann saw Bob. Ann left.", "nothing")))
    nlp = spacy.load(job.model)
    for row, text in zip(rows(result.content), ("Ann saw Bob. Ann left.", "nothing"), strict=True):
        assert to_dict(from_dict(row, nlp), tokens=True) == {**to_dict(nlp(text), tokens=True), "id": row["id"]}


def test_without_pyarrow_the_error_says_what_installs_it(monkeypatch: pytest.MonkeyPatch):
    original = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"python -m pip install 'spacy-span-selector\[parquet\]'"):
        require_pyarrow()
