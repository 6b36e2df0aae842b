from __future__ import annotations

import builtins
import datetime
import json
import math
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import spacy

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.bulk import Job, Reading
from spacy_span_selector.bulk.annotator import Annotator
from spacy_span_selector.bulk.inputs import find_inputs
from spacy_span_selector.bulk.parts import Part
from spacy_span_selector.bulk.records import Record
from spacy_span_selector.bulk.stream import read_records
from spacy_span_selector.bulk.tables import passed_columns, require_pyarrow, table_schema, write_table
from spacy_span_selector.corpora.plain import read_schema

from .conftest import make_records

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra 'parquet'")
parquet = pytest.importorskip("pyarrow.parquet")


def write(path: Path, columns: dict[str, Any]) -> None:
    parquet.write_table(pyarrow.table(columns), path)


def read(path: Path, reading: Reading | None = None) -> list[Record]:
    return list(read_records(find_inputs([str(path)]), reading or Reading()))


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
    first, second = rows(write_table([{"text": r.content, "fields": r.fields} for r in records], columns))
    assert (first["text"], first["day"], first["tags"], first["clusters"]) == ("Ann", day, None, None)
    assert math.isnan(first["rating"])
    assert (second["tags"], second["rating"]) == (["x"], 2.0)


def test_columns_that_do_not_go_together_are_named(tmp_path: Path):
    write(tmp_path / "a.parquet", {"text": ["Ann"], "day": [1]})
    write(tmp_path / "b.parquet", {"text": ["Bob"], "day": [["x"]]})
    with pytest.raises(ValueError, match=r"different types in columns of the same name \(.*day.*Annotate them in"):
        passed_columns(find_inputs([str(tmp_path)]), Reading())


def test_fields_of_other_inputs_are_json(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann")
    assert passed_columns(find_inputs([str(tmp_path)]), Reading()) is None
    fields = [{"n": math.nan, "day": datetime.date(1813, 1, 28), "raw": b"\xff"}, {}]
    first, second = rows(write_table([{"text": "Ann", "fields": part} for part in fields], None))
    assert json.loads(first["fields"]) == {"n": None, "day": "1813-01-28", "raw": "\\xff"}
    assert second["fields"] is None


def test_the_columns_are_the_keys_of_plain_data():
    def names(kind: Any) -> Any:
        if pyarrow.types.is_list(kind):
            return names(kind.value_type)
        return {field.name: names(field.type) for field in kind} if pyarrow.types.is_struct(kind) else None

    def keys(schema: dict[str, Any]) -> Any:
        if "$ref" in schema:
            schema = {**defs[schema["$ref"].rpartition("/")[2]], **{k: v for k, v in schema.items() if k != "$ref"}} | {
                "properties": {
                    **all_properties(defs[schema["$ref"].rpartition("/")[2]]),
                    **schema.get("properties", {}),
                }
            }
        if schema.get("type") == "array":
            return keys(schema["items"])
        properties = all_properties(schema)
        return {name: keys(part) for name, part in properties.items()} if properties else None

    def all_properties(schema: dict[str, Any]) -> dict[str, Any]:
        inherited = all_properties(defs[schema["$ref"].rpartition("/")[2]]) if "$ref" in schema else {}
        return {**inherited, **schema.get("properties", {})}

    document = read_schema()
    defs = document["$defs"]
    columns = {field.name: names(field.type) for field in table_schema(None)}
    assert columns.pop("fields", "missing") is None
    assert columns == keys(document)


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
