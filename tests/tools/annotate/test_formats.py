from __future__ import annotations

import datetime
import math
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import DocBin

from spacy_span_selector.annotation import get_clusters, get_frames, get_title, set_title
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.tools.annotate import Annotator, Job
from spacy_span_selector.tools.annotate.formats import TRANSFORMER_OUTPUT, Docs, Settings, make_writer, output_formats
from spacy_span_selector.tools.annotate.records import Part, Record, plain
from spacy_span_selector.tools.formats.bracketed import read_bracketed

from .conftest import make_records

TEXTS = ("Ann saw Bob. Ann left.", "", "Eve saw Ann.")


def content(model: str, format_: str, *texts: str) -> bytes:
    records = make_records(*texts)
    for record in records[:1]:
        record.fields.update(year=1813)
    return Annotator(Job(model=model, format=format_))(Part(0, records)).content


@pytest.fixture
def nlp(model: str) -> Language:
    return spacy.load(model)


def test_spacy_files_have_everything(model: str, nlp: Language, tmp_path: Path):
    (tmp_path / "a.spacy").write_bytes(content(model, "spacy", *TEXTS))
    docs = list(read_docs(tmp_path / "a.spacy", nlp.vocab))
    assert [doc.text for doc in docs] == list(TEXTS)
    assert [get_title(doc) for doc in docs] == ["id1", "id2", "id3"]
    assert docs[0].user_data["fields"] == {"year": 1813}
    assert "fields" not in docs[1].user_data
    for doc, text in zip(docs, TEXTS, strict=True):
        expected = nlp(text)
        assert (get_clusters(doc), get_frames(doc)) == (get_clusters(expected), get_frames(expected))


def test_spacy_files_do_not_have_what_encoders_computed(nlp: Language):
    doc = nlp("Ann left.")
    doc.user_data[TRANSFORMER_OUTPUT] = object()  # type: ignore[index]
    writer = Docs(Settings({}))
    writer.add(make_records("Ann left.")[0], doc)
    (written,) = DocBin(store_user_data=True).from_bytes(writer.finish()).get_docs(nlp.vocab)
    assert written.user_data == {}


def test_a_document_that_cannot_be_saved_leaves_no_half(nlp: Language):
    writer = Docs(Settings({}))
    good, bad = nlp("Ann left."), nlp("Bob left.")
    bad.user_data["what"] = object()
    with pytest.raises(TypeError):
        writer.add(make_records("Bob left.")[0], bad)
    writer.add(make_records("Ann left.")[0], good)
    docs = DocBin(store_user_data=True).from_bytes(writer.finish()).get_docs(nlp.vocab)
    assert [doc.text for doc in docs] == ["Ann left."]


def test_a_page_shows_all_documents(model: str):
    page = content(model, "html", *TEXTS, "<script>").decode()
    assert page.count("<article ") == 4
    assert "<h2>id3</h2>" in page
    assert "<dt>see.01</dt>" in page
    assert page.count("<script>") == 1  # its own


def test_bracketed_files_are_read_back(model: str, nlp: Language, tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(content(model, "bracketed", *TEXTS))
    docs = read_bracketed(tmp_path / "a.txt", nlp)
    assert [doc.text for doc in docs] == list(TEXTS)
    assert [get_title(doc) for doc in docs] == ["id1", "id2", "id3"]
    assert get_clusters(docs[0]) == get_clusters(nlp(TEXTS[0]))
    assert [frame.roleset for frame in get_frames(docs[0])] == ["see.01"]


def test_text_formats_have_documents_of_which_not_all_can_be_saved(nlp: Language):
    writer = make_writer(output_formats()["bracketed"], Settings({}))
    doc = nlp("Ann left.")
    set_title(doc, "a tale")
    doc.user_data["what"] = object()
    writer.add(make_records("Ann left.")[0], doc)
    assert writer.finish().startswith(b"=== a tale\n")


@pytest.mark.parametrize("format_", output_formats())
def test_a_part_without_documents_is_a_file_all_the_same(model: str, format_: str):
    if format_ == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    records = [Record("x", "x", 0, problem="broken")]
    result = Annotator(Job(model=model, format=format_))(Part(0, records))
    assert result.documents == 0
    assert bool(result.content) == (format_ in ("html", "parquet", "spacy"))


def test_values_that_json_does_not_have():
    value = {"a": [math.nan, math.inf, 1.5], "b": (1, None, True), 3: datetime.date(1813, 1, 28), "c": b"x\xff"}
    assert plain(value) == {"a": [None, None, 1.5], "b": [1, None, True], "3": "1813-01-28", "c": "x\\xff"}


def test_writers_do_not_share_what_they_have(nlp: Language):
    for format_ in output_formats().values():
        first, second = make_writer(format_, Settings({})), make_writer(format_, Settings({}))
        first.add(make_records("Ann left.")[0], nlp("Ann left."))
        if format_.suffix != "parquet":
            assert b"Ann" not in second.finish()
