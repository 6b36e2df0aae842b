import builtins
import csv
import datetime
import json
import math
import re
from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.lang.en import English
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_span_selector import annotation, from_dict, to_dict
from spacy_span_selector.annotation import Argument, Frame, Quotation
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.tools.annotate import Job, Reading
from spacy_span_selector.tools.annotate.annotator import Annotator
from spacy_span_selector.tools.annotate.formats import (
    TABLES,
    TRANSFORMER_OUTPUT,
    Docs,
    Rows,
    Settings,
    find_rows,
    make_writer,
    output_formats,
    passed_columns,
    plain_schema,
    require_pyarrow,
    table_schema,
    write_tables,
)
from spacy_span_selector.tools.annotate.inputs import InputFile, find_inputs, read_records
from spacy_span_selector.tools.annotate.on_ray import require_ray
from spacy_span_selector.tools.annotate.records import Part, Record, plain
from spacy_span_selector.tools.formats.bracketed import read_bracketed

from .conftest import make_records, read_lines, write_table

TEXTS = ("Ann saw Bob. Ann left.", "", "Eve saw Ann.")


def content(model: str, format_: str, *texts: str, tokens: bool = False) -> bytes:
    records = make_records(*texts)
    for record in records[:1]:
        record.fields.update(year=1813)
    return Annotator(Job(model=model, format=format_, tokens=tokens))(Part(0, records)).content


@pytest.fixture
def nlp(model: str) -> Language:
    return spacy.load(model)


def test_tokens_are_written_if_asked(model: str):
    (line,) = read_lines(content(model, "jsonl", "Ann left", tokens=True))
    assert line["tokens"] == {"start": [0, 4], "end": [3, 8]}


def test_spacy_files_have_everything_but_what_encoders_computed(model: str, nlp: Language, tmp_path: Path):
    (tmp_path / "a.spacy").write_bytes(content(model, "spacy", *TEXTS))
    docs = list(read_docs(tmp_path / "a.spacy", nlp.vocab))
    assert [doc.text for doc in docs] == list(TEXTS)
    assert [annotation.get_title(doc) for doc in docs] == ["id1", "id2", "id3"]
    assert docs[0].user_data["fields"] == {"year": 1813}
    assert "fields" not in docs[1].user_data
    for doc, text in zip(docs, TEXTS, strict=True):
        expected = nlp(text)
        assert (annotation.get_clusters(doc), annotation.get_frames(doc)) == (
            annotation.get_clusters(expected),
            annotation.get_frames(expected),
        )
    writer, record = Docs(Settings({})), make_records("Ann left.")[0]
    docs[0].user_data = {TRANSFORMER_OUTPUT: object()}
    docs[1].user_data = {"what": object()}  # which can't be saved, and leaves no half
    writer.add(record, docs[0])
    with pytest.raises(TypeError):
        writer.add(record, docs[1])
    (written,) = DocBin(store_user_data=True).from_bytes(writer.finish()).get_docs(nlp.vocab)
    assert written.user_data == {}


def test_a_page_shows_all_documents(model: str):
    page = content(model, "html", *TEXTS, "<script>").decode()
    assert page.count("<article ") == 4
    assert "<h2>id3</h2>" in page
    assert "<dt>see.01</dt>" in page
    assert page.count("<script>") == 1  # its own


def test_bracketed_files_are_read_back_also_if_not_all_of_their_documents_can_be_saved(
    model: str, nlp: Language, tmp_path: Path
):
    (tmp_path / "a.txt").write_bytes(content(model, "bracketed", *TEXTS))
    docs = read_bracketed(tmp_path / "a.txt", nlp)
    assert [(doc.text, annotation.get_title(doc)) for doc in docs] == list(
        zip(TEXTS, ("id1", "id2", "id3"), strict=True)
    )
    assert annotation.get_clusters(docs[0]) == annotation.get_clusters(nlp(TEXTS[0]))
    assert [frame.roleset for frame in annotation.get_frames(docs[0])] == ["see.01"]
    writer = make_writer(output_formats()["bracketed"], Settings({}))
    docs[0].user_data["what"] = object()
    writer.add(make_records(TEXTS[0])[0], docs[0])
    assert writer.finish().startswith(b"=== id1\n")


@pytest.mark.parametrize("format_", output_formats())
def test_a_part_without_documents_is_a_file_all_the_same(model: str, format_: str):
    if format_ == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    result = Annotator(Job(model=model, format=format_))(Part(0, [Record("x", "x", 0, problem="broken")]))
    assert result.counts["documents"] == 0
    assert bool(result.content) == (format_ in ("html", "parquet", "spacy"))


def test_values_that_json_does_not_have():
    value = {"a": [math.nan, math.inf, 1.5], "b": (1, None, True), 3: datetime.date(1813, 1, 28), "c": b"x\xff"}
    assert plain(value) == {"a": [None, None, 1.5], "b": [1, None, True], "3": "1813-01-28", "c": "x\\xff"}


# Parquet


def rows_of(content: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pytest.importorskip("pyarrow.parquet").read_table(BytesIO(content)).to_pylist()
    return found


def annotate_tables(job: Job, files: list[InputFile]) -> Any:
    job = replace(job, format="parquet", columns=passed_columns(files, Reading()))
    return Annotator(job)(Part(0, list(read_records(files, Reading()))))


def test_columns_of_tables_are_passed_on_with_their_types(tmp_path: Path, job: Job):
    day = datetime.date(1813, 1, 28)
    write_table(tmp_path / "a.parquet", {"text": ["Ann"], "day": [day], "rating": [math.nan], "clusters": [1]})
    write_table(tmp_path / "b.parquet", {"text": ["Bob"], "id": ["x"], "tags": [["x"]], "rating": [2]})
    (tmp_path / "c.parquet").write_bytes(b"no table")
    files = find_inputs([str(tmp_path)])
    schema = table_schema(passed_columns(files, Reading()))
    assert schema.names == [*plain_schema().names, "day", "rating", "tags"]
    assert (str(schema.field("day").type), str(schema.field("rating").type)) == ("date32[day]", "double")
    first, second = rows_of(annotate_tables(job, files).content)
    assert (first["text"], first["day"], first["tags"]) == ("Ann", day, None)
    assert first["clusters"]["representative"] == [0]
    assert math.isnan(first["rating"])
    assert (second["tags"], second["rating"]) == (["x"], 2.0)


def test_a_value_that_does_not_fit_costs_its_record(tmp_path: Path, job: Job):
    write_table(tmp_path / "a.parquet", {"text": ["Ann", "Bob"], "number": [2**53 + 1, 1]})
    write_table(tmp_path / "b.parquet", {"text": ["Eve"], "number": [0.5]})
    result = annotate_tables(job, find_inputs([str(tmp_path)]))
    assert [error["source"] for error in result.errors] == [f"{tmp_path / 'a.parquet'}:1"]
    assert result.errors[0]["reason"].startswith("it can't be written: ")
    assert [row["number"] for row in rows_of(result.content)] == [1.0, 0.5]


def test_columns_that_do_not_go_together_are_named(tmp_path: Path):
    write_table(tmp_path / "a.parquet", {"text": ["Ann"], "day": [1]})
    write_table(tmp_path / "b.parquet", {"text": ["Bob"], "day": [["x"]]})
    with pytest.raises(ValueError, match=r"different types in columns of the same name \(.*day.*Annotate them in"):
        passed_columns(find_inputs([str(tmp_path)]), Reading())


def test_rows_read_back_as_documents_and_fields_of_other_inputs_are_json(model: str, nlp: Language):
    records = make_records(TEXTS[0], "nothing")
    records[0].fields.update(n=math.nan, day=datetime.date(1813, 1, 28), raw=b"\xff")
    result = Annotator(Job(model=model, format="parquet", tokens=True))(Part(0, records))
    found = rows_of(result.content)
    for row, record in zip(found, records, strict=True):
        expected = {**to_dict(nlp(str(record.content)), tokens=True), "id": record.id}
        assert to_dict(from_dict(row, nlp), tokens=True) == expected
    assert json.loads(found[0]["fields"]) == {"n": None, "day": "1813-01-28", "raw": "\\xff"}
    assert found[1]["fields"] is None


def test_the_columns_are_the_keys_of_plain_data():
    pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
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


@pytest.mark.parametrize(("module", "extra"), [("pyarrow", "parquet"), ("ray", "ray")])
def test_without_a_package_the_error_says_what_installs_it(module: str, extra: str, monkeypatch: pytest.MonkeyPatch):
    original = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == module:
            raise ImportError(name)
        return original(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=rf"python -m pip install 'spacy-span-selector\[{extra}\]'"):
        require_pyarrow() if module == "pyarrow" else require_ray()


# Flat tables


@pytest.fixture
def rows() -> Rows:
    """Ann hit Bob. "He ran!" said Ann. It rained."""
    words = ["Ann", "hit", "Bob", ".", '"', "He", "ran", "!", '"', "said", "Ann", ".", "It", "rained", "."]
    doc = Doc(English().vocab, words=words)
    annotation.set_title(doc, "a fight")
    ann, bob = [(0, 1), (10, 11)], [(2, 3), (5, 6)]
    links = {(0, 1): None, (10, 11): (0, 1), (2, 3): None, (5, 6): (2, 3)}
    annotation.set_clusters(doc, [ann, bob], scores=dict.fromkeys(links, 0.98765432), antecedents=links)
    hit = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")], "hit.01")
    ran = Frame(6, 7, [Argument(5, 6, "ARG0")], "run.02")
    annotation.set_frames(doc, [hit, ran, Frame(9, 10, [], "say.01"), Frame(13, 14, [], "rain.01")])
    annotation.set_quotations(doc, [Quotation(4, 9, speaker=(10, 11), cue=(9, 11), score=0.12345678)])
    return find_rows(doc, {})


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode(), newline="")))


def test_events_have_a_row_for_each_participant_and_one_if_there_is_none(rows: Rows):
    keys = ("event", "roleset", "role", "name", "cluster")
    assert [tuple(row.get(key) for key in keys) for row in rows["events"]] == [
        (0, "hit.01", "ARG0", "Ann", 0),
        (0, "hit.01", "ARG1", "Bob", 1),
        (1, "run.02", "ARG0", "Bob", 1),
        (2, "say.01", "ARG1", '" He ran ! "', None),
        (2, "say.01", "ARG0", "Ann", 0),
        (3, "rain.01", None, None, None),
    ]


def test_entities_have_names_and_what_they_do_and_what_is_done_to_them(rows: Rows):
    ann, bob = rows["entities"]
    assert (ann["document"], ann["cluster"], ann["name"], ann["count"]) == ("a fight", 0, "Ann", 2)
    assert ann["names"] == [{"name": "Ann", "count": 2}]
    assert [deed["roleset"] for deed in ann["agent"]] == ["hit.01", "say.01"] and ann["patient"] == []
    assert (bob["person"], bob["gender"]) == (True, "male")
    assert bob["agent"] == [{"predicate": "ran", "roleset": "run.02", "start": 19}]
    assert bob["patient"] == [{"predicate": "hit", "roleset": "hit.01", "start": 4}]


def test_an_entity_that_is_no_person_has_names_but_no_gender():
    doc = Doc(English().vocab, words=["London", "slept", ".", "It", "slept"])
    annotation.set_clusters(doc, [[(0, 1), (3, 4)]])
    (row,) = find_rows(doc, {})["entities"]
    assert (row["person"], row["gender"], row["names"]) == (False, None, [{"name": "London", "count": 1}])
    assert row["document"] is None


def test_mentions_name_their_antecedents_by_number_and_quotations_the_clusters_of_speakers(rows: Rows):
    keys = ("mention", "cluster", "text", "type", "antecedent", "score")
    assert [tuple(row[key] for key in keys) for row in rows["mentions"]] == [
        (0, 0, "Ann", "proper", 0, 0.9877), (1, 0, "Ann", "proper", 0, 0.9877),
        (2, 1, "Bob", "proper", 2, 0.9877), (3, 1, "He", "pronominal", 2, 0.9877),
    ]  # fmt: skip
    (row,) = rows["quotations"]
    assert (row["speaker"], row["speaker_cluster"], row["cue"], row["score"]) == ("Ann", 0, "said Ann", 0.1235)


def test_clusters_and_frames_may_have_other_prefixes():
    doc = Doc(English().vocab, words=["Ann", "left"])
    annotation.set_clusters(doc, [[(0, 1)]], prefix="people")
    annotation.set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])], prefix="roles")
    rows = find_rows(doc, {"cluster_prefix": "people", "frame_prefix": "roles", "labelled_key": "nested"})
    assert [(row["predicate"], row["name"], row["cluster"]) for row in rows["events"]] == [("left", "Ann", 0)]
    assert not any(find_rows(doc, {"cluster_prefix": "no", "frame_prefix": "no"}).values())


def test_files_of_tables_have_all_columns_and_rows_no_others(rows: Rows):
    for name, found in rows.items():
        assert found and not {key for row in found for key in row} - {*TABLES[name]}
    files = write_tables(rows, "csv")
    assert {name: [*read_csv(content)[0]] for name, content in files.items()} == {
        name: [*columns] for name, columns in TABLES.items()
    }
    bob = read_csv(files["entities"])[1]
    assert json.loads(bob["patient"])[0]["predicate"] == "hit"
    assert (bob["person"], bob["entity_label"], bob["count"]) == ("true", "", "2")


FORMULAS = ["=1+1", "+49 30", "-Bob", "@Ann", "\tx", "\rx", "'=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_compute_is_text_in_csv_and_comes_back(rows: Rows, text: str):
    rows["quotations"] = [{**rows["quotations"][0], "text": text}]
    (written,) = read_csv(write_tables(rows, "csv")["quotations"])
    assert written["text"] == f"'{text}"
    assert re.sub(r"^'(?='*[=+\-@\t\r])", "", written["text"]) == text


@pytest.mark.parametrize("text", ["a,b", 'a "b"', "a\nb", "a\rb", "a\r\nb", "é😀", " "])
def test_texts_of_any_kind_come_back_from_csv(rows: Rows, text: str):
    rows["quotations"] = [{**rows["quotations"][0], "text": text}]
    assert [row["text"] for row in read_csv(write_tables(rows, "csv")["quotations"])] == [text]


def test_parquet_has_the_same_rows_and_columns_without_any(rows: Rows):
    pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    for name, content in write_tables(rows, "parquet").items():
        assert rows_of(content) == [{key: row.get(key) for key in TABLES[name]} for row in rows[name]]
    assert all(write_tables({name: [] for name in TABLES}, "parquet").values())


def test_a_document_that_cannot_be_written_is_in_no_table(model: str):
    records = make_records("Ann saw Bob.", "Boom", "Eve saw Tom.", "Kim saw Lee.")
    records[2].fields["half"] = "\ud83d"
    result = Annotator(Job(model=model, tables="csv"))(Part(0, records))
    assert {row["document"] for row in read_csv(result.tables["entities"])} == {"id1", "id4"}
    assert [error["id"] for error in result.errors] == ["id2", "id3"]
