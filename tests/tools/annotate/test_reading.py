from __future__ import annotations

import gzip
import io
import json
import pickle
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector import to_dict
from spacy_span_selector.annotation import get_speakers, set_clusters, set_speakers, set_title
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.people.transcripts import Turn
from spacy_span_selector.tools.annotate import Reading, reading
from spacy_span_selector.tools.annotate.inputs import InputFile, find_inputs
from spacy_span_selector.tools.annotate.reading import read_records
from spacy_span_selector.tools.annotate.records import Record


def read(path: str | Path, reading: Reading | None = None, stdin: str = "txt") -> list[Record]:
    return list(read_records(find_inputs([str(path)], stdin=stdin), reading or Reading()))


def read_lines(folder: Path, *content: bytes, reading: Reading | None = None) -> list[Record]:
    (folder / "a.jsonl").write_bytes(b"".join(line + b"\n" for line in content))
    return read(folder / "a.jsonl", reading)


def test_a_text_file_is_a_record_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/a.txt").write_bytes(b"\xef\xbb\xbfAnn\r\nleft.\r\n")
    assert read("in") == [Record("in/a.txt", "in/a.txt", 15, "Ann\nleft.\n")]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.txt", "Zoë".encode("latin-1"), "byte 2 is not UTF-8"),
        ("a.txt", "Ann".encode("utf-16"), "byte 0 is not UTF-8"),
        ("a.txt", b"\0\0\0", "byte 0 is 0, which no text has"),
        ("a.txt.gz", b"no gzip", "not a complete compressed file"),
        ("a.txt.gz", gzip.compress(b"Ann", mtime=0)[:-9], "not a complete compressed file"),
    ],
)
def test_a_file_that_is_no_text_says_so(tmp_path: Path, name: str, content: bytes, problem: str):
    (tmp_path / name).write_bytes(content)
    (record,) = read(tmp_path / name)
    assert record.problem.startswith(problem)
    assert record.id == str(tmp_path / name)


def test_a_file_that_is_too_large_for_a_text_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.txt").write_text("Ann left.")
    monkeypatch.setattr(reading, "MOST_BYTES", 8)
    assert "it has 9 bytes, which is no single text" in read(tmp_path / "a.txt")[0].problem


def test_compressed_texts_are_read(tmp_path: Path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"Ann left."))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "Bob"}\n{"text": "Eve"}\n'))
    assert [record.content for record in read(tmp_path)] == ["Ann left.", "Bob", "Eve"]


def test_names_and_fields_of_json_lines(tmp_path: Path):
    records = read_lines(
        tmp_path,
        b'\xef\xbb\xbf{"text": "Ann", "id": "x", "year": 1813}',
        b"",
        b'{"text": "Bob", "id": 7}',
        b'{"text": ""}\r',
    )
    path = tmp_path / "a.jsonl"
    assert [(record.id, record.source, record.content, record.fields) for record in records] == [
        ("x", f"{path}:1", "Ann", {"year": 1813}),
        ("7", f"{path}:3", "Bob", {}),
        (f"{path}:4", f"{path}:4", "", {}),
    ]


def test_other_fields_can_have_name_and_text(tmp_path: Path):
    reading = Reading("body", "key")
    (record,) = read_lines(tmp_path, b'{"body": "Ann", "key": "x", "text": "T", "id": 3, "n": 1}', reading=reading)
    assert (record.id, record.content, record.fields) == ("x", "Ann", {"n": 1})
    assert reading.not_passed == {"text": record.source, "id": record.source}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"broken", "not JSON: Expecting value"),
        (b'{"text": "Ann"', "not JSON: "),
        (b'["Ann"]', 'found ["Ann"], expected an object'),
        (b'{"text": "Zo\xeb"}', "byte 12 is not UTF-8"),
        (b'{"id": 1}', "there is no 'text' among ['id']; expected a string. Is --text-field right?"),
        (b'{"text": null}', "'text' is None; expected a string"),
        (b'{"text": 3}', "'text' is 3; expected a string"),
        (b'{"text": NaN}', "not JSON: found NaN, which is no number of JSON"),
        (b'{"text": "Ann", "n": -Infinity}', "not JSON: found -Infinity, which is no number of JSON"),
        (b'{"text": "Ann", "id": true}', "'id' is True; expected a string or a whole number"),
        (b'{"text": "Ann", "id": ""}', "'id' is ''; expected a string or a whole number"),
        (b'{"text": "Ann", "id": [1]}', "'id' is [1]; expected a string or a whole number"),
        (b'{"text": "\\ud83d"}', "found half of a character"),
        (b'{"text": "Ann", "n": ' + b"9" * 5_000 + b"}", "not JSON: Exceeds the limit"),
        (b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "its lists are nested too deeply"),
    ],
)
def test_a_line_that_is_no_record_says_so_and_the_next_one_is_read(tmp_path: Path, line: bytes, problem: str):
    bad, good = read_lines(tmp_path, line, b'{"text": "Bob"}')
    assert bad.problem.startswith(problem)
    assert bad.source == f"{tmp_path / 'a.jsonl'}:1"
    assert (good.content, good.problem) == ("Bob", "")


def test_a_record_without_the_name_that_was_asked_for_says_so(tmp_path: Path):
    (record,) = read_lines(tmp_path, b'{"text": "Ann", "id": "x"}', reading=Reading(id_field="key"))
    assert record.problem == "there is no 'key' among ['text', 'id']; expected a string or a whole number."


def test_what_a_damaged_file_has_lost_is_one_record(tmp_path: Path):
    line = b'{"text": "%s"}\n' % (b"Ann " * 50_000)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(line * 20)[:-300])
    *good, bad = read(tmp_path / "a.jsonl.gz")
    assert good
    assert not any(record.problem for record in good)
    assert bad.problem.startswith("the file can't be read from here on (")
    assert bad.source == f"{tmp_path / 'a.jsonl.gz'}:{len(good) + 1}"


def test_positions_grow_to_the_size_of_the_files(tmp_path: Path):
    content = b"".join(json.dumps({"text": f"word{i}"}).encode() + b"\n" for i in range(5_000))
    (tmp_path / "a.jsonl").write_bytes(content)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(content))
    ends = [record.end for record in read(tmp_path)]
    assert ends == sorted(ends)
    assert ends[4_999] == len(content)
    assert ends[-1] == len(content) + (tmp_path / "b.jsonl.gz").stat().st_size


@pytest.mark.parametrize(("kind", "contents"), [("txt", ['{"text": "Ann"}\n']), ("jsonl", ["Ann"])])
def test_the_standard_input_is_read_as_it_is_said(monkeypatch: pytest.MonkeyPatch, kind: str, contents: list[str]):
    stdin = SimpleNamespace(buffer=io.BytesIO(b'{"text": "Ann"}\n'))
    monkeypatch.setattr("sys.stdin", stdin)
    assert [record.content for record in read("-", stdin=kind)] == contents


@pytest.mark.parametrize(
    "turns",
    [
        {"speaker": ["Bob", "Ann"], "start": [4, 0], "end": [8, 3]},
        [{"speaker": "Bob", "start": 4, "end": 8}, {"speaker": "Ann", "start": 0, "end": 3}],
    ],
)
def test_speakers_of_plain_data_are_read_in_order(tmp_path: Path, turns: object):
    (record,) = read_lines(tmp_path, json.dumps({"text": "Hi. Oh. ", "speakers": turns}).encode())
    assert (record.speakers, record.fields) == ((Turn("Ann", 0, 3), Turn("Bob", 4, 8)), {})


@pytest.mark.parametrize(
    "speakers",
    [
        ["Ann"],
        "Ann",
        {"Ann": 1},
        {"speaker": ["A"], "start": [0], "end": []},
        [{"speaker": "A", "start": 2, "end": 99}],
        [{"speaker": 1, "start": 0, "end": 1}],
    ],
)
def test_other_speakers_are_not_passed(tmp_path: Path, speakers: object):
    reading = Reading()
    (record,) = read_lines(tmp_path, json.dumps({"text": "Hi.", "speakers": speakers}).encode(), reading=reading)
    assert (record.speakers, record.problem, list(reading.not_passed)) == ((), "", ["speakers"])


@pytest.mark.parametrize("open_, close", ["[]", ('{"y": ', "}")])
def test_a_field_that_is_nested_too_deeply_costs_its_line(tmp_path: Path, open_: str, close: str):
    def line(levels: int) -> bytes:
        return f'{{"text": "Ann", "x": {open_ * levels}1{close * levels}}}'.encode()

    deep, deeper, good = read_lines(tmp_path, line(101), line(490), line(100))
    assert deep.problem == deeper.problem == "'x' is nested more than 100 levels deep. Leave it out, or flatten it."
    assert good.problem == ""
    pickle.dumps(good)


@pytest.mark.parametrize("field", ["id", "text"])
def test_a_name_or_a_text_that_is_nested_too_deeply_costs_its_line(tmp_path: Path, field: str):
    value = "[" * 700 + "]" * 700
    bad, good = read_lines(tmp_path, f'{{"{field}": {value}}}'.encode(), b'{"text": "Bob"}')
    assert bad.problem == f"'{field}' is nested more than 100 levels deep. Leave it out, or flatten it."
    assert good.content == "Bob"


def test_a_reader_that_fails_costs_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(file: InputFile, reading: Reading) -> Iterator[Record]:
        raise OverflowError("too much")

    monkeypatch.setitem(reading.READERS, "jsonl", fail)
    (tmp_path / "a.jsonl").write_text("{}")
    (tmp_path / "b.txt").write_text("Ann")
    bad, good = read(tmp_path)
    assert bad.problem == "the file can't be read from here on (OverflowError: too much)."
    assert good.content == "Ann"


# Documents


def test_documents_keep_their_annotation_and_their_titles(tmp_path: Path):
    named = Doc(Vocab(), words=["Ann", "left"], tags=["NNP", "VBD"])
    set_title(named, "tale")
    set_speakers(named, [(0, 2, "Bob")])
    unnamed = Doc(named.vocab, words=["Silence"])
    DocBin(docs=[named, unnamed], store_user_data=True).to_disk(tmp_path / "a.spacy")
    first, second = read(tmp_path / "a.spacy")
    assert (first.id, second.id) == ("tale", f"{tmp_path / 'a.spacy'}:2")
    doc = Doc(Vocab()).from_bytes(first.content)
    assert [token.tag_ for token in doc] == ["NNP", "VBD"]
    assert list(get_speakers(doc)) == [(0, 2, "Bob")]


def test_a_damaged_file_says_so(tmp_path: Path):
    (tmp_path / "a.spacy").write_bytes(b"no DocBin")
    (record,) = read(tmp_path / "a.spacy")
    assert record.problem.startswith("damaged, or not a .spacy file")


def damage(path: Path, old: bytes, new: bytes) -> None:
    """Change the content of a file of documents, which is compressed."""
    content = zlib.decompress(path.read_bytes())
    assert old in content
    path.write_bytes(zlib.compress(content.replace(old, new, 1)))


def test_a_damaged_document_costs_no_other_one(tmp_path: Path):
    vocab = Vocab()
    docs = [Doc(vocab, words=["Ann", "left"], tags=[f"TAG{i}"] * 2) for i in range(3)]
    DocBin(docs=docs).to_disk(tmp_path / "a.spacy")
    damage(tmp_path / "a.spacy", b"TAG1", b"TAGX")
    first, second, third = read(tmp_path / "a.spacy")
    assert (first.problem, third.problem) == ("", "")
    assert second.source.endswith("a.spacy:2")
    assert second.problem.startswith("damaged, or not a .spacy file as 'convert' writes it (KeyError: \"[E018] Can't")
    assert [Doc(Vocab()).from_bytes(record.content)[0].tag_ for record in (first, third)] == ["TAG0", "TAG2"]


def test_files_with_any_byte_changed_cost_records_and_no_run(tmp_path: Path):
    """What is wrong is an error of a kind that callers expect."""
    doc = Doc(Vocab(), words=["Ann", "left"], tags=["NNP", "VBD"], pos=["PROPN", "VERB"], heads=[1, 1], deps=["a", "b"])
    set_clusters(doc, [[(0, 1)]])
    path = tmp_path / "a.spacy"
    content = zlib.decompress(DocBin(docs=[doc, doc], store_user_data=True).to_bytes())
    outcomes = set()
    for seed in range(300):
        place, byte = Random(seed).randrange(len(content)), Random(seed + 1).randrange(256)
        path.write_bytes(zlib.compress(content[:place] + bytes([byte]) + content[place + 1 :]))
        records = read(path)
        outcomes.add((len(records), sum(bool(record.problem) for record in records)))
        for record in records:
            if not record.problem:
                to_dict(Doc(Vocab()).from_bytes(record.content), tokens=True)
        with suppress(ValueError):
            for found in read_docs(path, Vocab()):
                assert found.to_json()
    assert outcomes >= {(2, 0), (2, 1), (1, 1)}


def test_documents_of_other_files_have_other_versions(tmp_path: Path):
    versions = set()
    for words in (["Ann"], ["Bob"]):
        DocBin(docs=[Doc(Vocab(), words=words)] * 2).to_disk(tmp_path / "a.spacy")
        versions |= {record.version for record in read(tmp_path / "a.spacy")}
    assert len(versions) == 4
