from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import spacy

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.dataset import TableAnnotator
from spacy_span_selector.tools.annotate.pipelines import describe_pipeline

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra 'ray'")


def make_annotator(job: Job, text: str = "text", name: str = "id", **changes: Any) -> TableAnnotator:
    return TableAnnotator(replace(job, **changes), describe_pipeline(job), text, name)


def annotate(annotator: TableAnnotator, columns: dict[str, Any]) -> list[dict[str, Any]]:
    return pyarrow.concat_tables(annotator(pyarrow.table(columns))).to_pylist()


def test_rows_are_plain_data_with_all_other_columns(job: Job):
    rows = annotate(
        make_annotator(job, tokens=True), {"id": [7, 8], "text": ["Ann saw Bob.", ""], "year": [1813, None]}
    )
    nlp = spacy.load(job.model)
    assert [row["year"] for row in rows] == [1813, None]
    assert [row["error"] for row in rows] == [None, None]
    for row, name, text in zip(rows, "78", ("Ann saw Bob.", ""), strict=True):
        assert to_dict(from_dict(row, nlp), tokens=True) == {**to_dict(nlp(text), tokens=True), "id": name}


def test_rows_that_cannot_be_annotated_say_why_and_keep_their_place(job: Job):
    rows = annotate(make_annotator(job), {"id": list("abcd"), "text": ["Ann", None, "Boom", "Bob"], "n": [1, 2, 3, 4]})
    assert [(row["id"], row["text"], row["n"]) for row in rows] == [
        ("a", "Ann", 1), ("b", None, 2), ("c", "Boom", 3), ("d", "Bob", 4)
    ]  # fmt: skip
    assert [row["error"] for row in rows] == [
        None, "the text is None; expected a string.", "the pipeline failed: KeyError: 'boom'", None
    ]  # fmt: skip
    assert [row["clusters"] is None for row in rows] == [False, True, True, False]


def test_a_value_that_python_cannot_hold_costs_at_most_its_row(job: Job):
    raw = [None, pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0\5\0\0\0"), pyarrow.py_buffer(b"\xff\xfeAnn")]
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 2, raw)
    first, second = annotate(
        make_annotator(job), {"id": pyarrow.array([0, 3_000_000], pyarrow.date32()), "text": texts}
    )
    assert (first["id"], first["text"]) == ("1970-01-01", None)
    assert first["error"].endswith("; expected a string.")
    assert (second["id"], second["text"], second["error"]) == ("10183-09-21", "Ann", None)


def test_large_tables_come_in_pieces(job: Job):
    columns = {"text": [f"Ann{i} saw Bob." for i in range(9)], "n": list(range(9))}
    pieces = list(make_annotator(job, batch_words=9)(pyarrow.table(columns)))
    assert [len(piece) for piece in pieces] == [3, 3, 3]
    rows = pyarrow.concat_tables(pieces).to_pylist()
    assert [row["text"] for row in rows] == columns["text"]
    assert [row["n"] for row in rows] == columns["n"]


def test_texts_and_names_may_be_in_any_columns_and_names_need_not_be_there(job: Job):
    (row,) = annotate(make_annotator(job, "body", "key"), {"body": ["Ann"], "key": ["x"], "clusters": [1], "id": [5]})
    assert (row["text"], row["id"], row["mentions"]["start"]) == ("Ann", "x", [0])
    (row,) = annotate(make_annotator(job), {"text": ["Ann"]})
    assert row["id"] is None


def test_columns_that_are_passed_on_keep_their_types(job: Job):
    columns = {"text": ["Ann"], "tags": pyarrow.array([["x"]], pyarrow.list_(pyarrow.large_string()))}
    (table,) = make_annotator(job)(pyarrow.table(columns))
    assert table.schema.field("tags").type == columns["tags"].type


def test_a_missing_column_is_named(job: Job):
    with pytest.raises(ValueError, match=r"There is no column 'body' among \['text'\]\."):
        annotate(make_annotator(job, "body"), {"text": ["Ann"]})


def test_another_pipeline_is_refused(job: Job):
    with pytest.raises(ValueError, match="is another pipeline on"):
        TableAnnotator(job, {**describe_pipeline(job), "files": "0"}, "text", "id")
