from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from typing import Any

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    Quotation,
    set_clusters,
    set_frames,
    set_quotations,
    set_title,
)
from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.annotator import Annotator
from spacy_span_selector.tools.annotate.flat_tables import TABLES, FlatTables, Rows, find_rows
from spacy_span_selector.tools.annotate.records import Part

from .conftest import make_records

VOCAB = English().vocab


@pytest.fixture
def doc() -> Doc:
    """Ann hit Bob. "He ran!" said Ann. It rained."""
    words = ["Ann", "hit", "Bob", ".", '"', "He", "ran", "!", '"', "said", "Ann", ".", "It", "rained", "."]
    doc = Doc(VOCAB, words=words)
    set_title(doc, "a fight")
    ann, bob = [(0, 1), (10, 11)], [(2, 3), (5, 6)]
    links = {(0, 1): None, (10, 11): (0, 1), (2, 3): None, (5, 6): (2, 3)}
    set_clusters(doc, [ann, bob], scores=dict.fromkeys(links, 0.98765432), antecedents=links)
    hit = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")], "hit.01")
    ran = Frame(6, 7, [Argument(5, 6, "ARG0")], "run.02")
    set_frames(doc, [hit, ran, Frame(9, 10, [], "say.01"), Frame(13, 14, [], "rain.01")])
    set_quotations(doc, [Quotation(4, 9, speaker=(10, 11), cue=(9, 11), score=0.12345678)])
    return doc


@pytest.fixture
def rows(doc: Doc) -> Rows:
    return find_rows(doc, {})


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(content.decode(), newline="")))


def test_events_have_a_row_for_each_participant_and_one_if_there_is_none(rows: Rows):
    found = [
        (row["event"], row["roleset"], row.get("role"), row.get("name"), row.get("cluster")) for row in rows["events"]
    ]
    assert found == [
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
    doc = Doc(VOCAB, words=["London", "slept", ".", "It", "slept"])
    set_clusters(doc, [[(0, 1), (3, 4)]])
    (row,) = find_rows(doc, {})["entities"]
    assert (row["person"], row["gender"], row["names"]) == (False, None, [{"name": "London", "count": 1}])
    assert row["document"] is None


def test_mentions_name_their_antecedents_by_number(rows: Rows):
    assert [(row["mention"], row["cluster"], row["text"], row["type"]) for row in rows["mentions"]] == [
        (0, 0, "Ann", "proper"), (1, 0, "Ann", "proper"), (2, 1, "Bob", "proper"), (3, 1, "He", "pronominal")
    ]  # fmt: skip
    assert [row["antecedent"] for row in rows["mentions"]] == [0, 0, 2, 2]


def test_quotations_name_the_clusters_of_speakers_and_probabilities_are_rounded(rows: Rows):
    (row,) = rows["quotations"]
    assert (row["speaker"], row["speaker_cluster"], row["cue"], row["score"]) == ("Ann", 0, "said Ann", 0.1235)
    assert rows["mentions"][0]["score"] == 0.9877


def test_clusters_and_frames_may_have_other_prefixes():
    doc = Doc(VOCAB, words=["Ann", "left"])
    set_clusters(doc, [[(0, 1)]], prefix="people")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])], prefix="roles")
    rows = find_rows(doc, {"cluster_prefix": "people", "frame_prefix": "roles", "labelled_key": "nested"})
    assert [(row["predicate"], row["name"], row["cluster"]) for row in rows["events"]] == [("left", "Ann", 0)]
    assert not any(find_rows(doc, {"cluster_prefix": "no", "frame_prefix": "no"}).values())


def test_rows_have_no_keys_that_are_no_columns(rows: Rows):
    for name, found in rows.items():
        assert found and not {key for row in found for key in row} - {*TABLES[name].model_fields}


def test_csv_has_lists_as_json_and_nothing_for_what_is_not_known(rows: Rows):
    tables = FlatTables("csv")
    tables.add(rows)
    files = tables.finish()
    assert {name: [*read_csv(content)[0]] for name, content in files.items()} == {
        name: [*model.model_fields] for name, model in TABLES.items()
    }
    bob = read_csv(files["entities"])[1]
    assert json.loads(bob["patient"])[0]["predicate"] == "hit"
    assert (bob["person"], bob["entity_label"], bob["count"]) == ("true", "", "2")


@pytest.mark.parametrize("text", ["a,b", 'a "b"', "a\nb", "a\rb", "a\r\nb", "é😀", " "])
def test_texts_of_any_kind_come_back_from_csv(rows: Rows, text: str):
    tables = FlatTables("csv")
    tables.add({"quotations": [{**rows["quotations"][0], "text": text}]})
    assert [row["text"] for row in read_csv(tables.finish()["quotations"])] == [text]


def test_parquet_has_the_same_rows(rows: Rows):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow, of the extra 'parquet'")
    tables = FlatTables("parquet")
    tables.add(rows)
    for name, content in tables.finish().items():
        expected = [{key: row.get(key) for key in TABLES[name].model_fields} for row in rows[name]]
        assert parquet.read_table(BytesIO(content)).to_pylist() == expected


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_without_documents_have_columns(kind: Any):
    if kind == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    assert all(FlatTables(kind).finish().values())


def test_a_document_that_cannot_be_written_is_in_no_table(model: str):
    annotator = Annotator(Job(model=model, tables="csv"))
    records = make_records("Ann saw Bob.", "Boom", "Eve saw Tom.")
    records[2].fields["clusters"] = object()
    result = annotator(Part(0, records))
    assert {row["document"] for row in read_csv(result.tables["entities"])} == {"id1", "id3"}
    assert [error["id"] for error in result.errors] == ["id2"]


def test_equal_parts_have_equal_tables(model: str):
    job = Job(model=model, tables="csv", gzip=True)
    first, second = (Annotator(job)(Part(0, make_records("Ann saw Bob."))) for _ in range(2))
    assert first.tables == second.tables and first.content == second.content
    assert first.tables["events"].startswith(b"\x1f\x8b")
