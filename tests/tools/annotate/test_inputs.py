import datetime
import gzip
import json
import math
import pickle
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.annotation import declare, get_speakers, set_speakers, set_title
from spacy_span_selector.people.transcripts import Turn
from spacy_span_selector.tools.annotate import Reading, inputs
from spacy_span_selector.tools.annotate.inputs import InputFile, describe_inputs, find_inputs, read_records, total_size
from spacy_span_selector.tools.annotate.records import Record

from .conftest import write_table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, in which the test runs, with files of all kinds."""
    monkeypatch.chdir(tmp_path)
    names = ("in/b.txt", "in/a/z.TXT.gz", "in/a/y.jsonl", "in/c.parquet", "in/.hidden.txt", "in/.git/x.txt", "in/x.csv")
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    (tmp_path / "empty").mkdir()
    return tmp_path


ALL = ["in/a/y.jsonl", "in/a/z.TXT.gz", "in/b.txt", "in/c.parquet"]


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["in"], ALL),
        (["in/**/*.jsonl"], ["in/a/y.jsonl"]),
        (["in/*"], ALL[2:]),
        (["in/c.parquet", "in", "in/b.txt"], ["in/c.parquet", *ALL[:3]]),
        (["./in//b.txt", "in/./a"], ["in/b.txt", *ALL[:2]]),
    ],
)
def test_files_are_found_once_in_a_fixed_order_without_hidden_and_unknown_ones(
    folder: Path, paths: list[str], found: list[str]
):
    assert [file.path for file in find_inputs(paths)] == found


@pytest.mark.parametrize(
    ("path", "found"),
    [("in", ALL[2:]), ("in/**/*.*", ALL[2:]), ("**/*.txt", ALL[2:3]), ("in/a", ALL[:2]), ("in/a/*.*", ALL[:2])],
)
@pytest.mark.filterwarnings("ignore:in/a. left out")
def test_what_an_earlier_run_has_written_is_no_input_unless_it_is_named(folder: Path, path: str, found: list[str]):
    (folder / "in/a/manifest.json").write_text('{"format": "spacy_span_selector.Annotate.v1"}')
    assert [file.path for file in find_inputs([path])] == found


def test_records_of_one_id_are_told_apart_by_their_places(folder: Path):
    (folder / "a.jsonl").write_text('{"id": "x", "text": "A."}\n{"id": 7}\n{"id": "x", "text": "B."}\n' * 2)
    reading = Reading()
    ids = [record.id for record in read("a.jsonl", reading)]
    assert ids == ["x", "7", "x (a.jsonl:3)", "x (a.jsonl:4)", "7", "x (a.jsonl:6)"]
    assert reading.repeated == ["a.jsonl:3", "a.jsonl:4", "a.jsonl:6"]


def test_kinds_and_compression_are_those_of_the_names_and_the_standard_input_is_what_is_said(folder: Path):
    found = [(file.kind, file.compressed) for file in find_inputs(["in", "-"], stdin="jsonl")]
    assert found == [("jsonl", False), ("txt", True), ("txt", False), ("parquet", False), ("jsonl", False)]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.txt", "none.txt: no such file or folder"),
        ("in/.git/none", "in/.git/none: no such file or folder"),
        ("*.txt", r"\*.txt: found no file that can be read. Expected .txt, .jsonl"),
        ("empty", "empty: found no file that can be read. Expected .txt, .jsonl"),
        ("in/x.csv", "in/x.csv: a kind of file that is not known. Expected .txt, .jsonl"),
    ],
)
def test_what_is_not_there_or_of_no_known_kind_is_named(folder: Path, path: str, message: str):
    with pytest.raises((FileNotFoundError, ValueError), match=message):
        find_inputs([path])


def test_sizes_add_up_unless_one_is_unknown(folder: Path):
    files = find_inputs(["in/b.txt", "in/c.parquet"])
    assert [(file.start, file.size) for file in files] == [(0, 8), (8, 12)]
    assert total_size(files) == 20
    assert total_size(find_inputs(["in/b.txt", "-"])) is None


def test_other_names_sizes_and_orders_are_other_inputs(folder: Path):
    described = [
        describe_inputs(find_inputs(names)) for names in (["in/b.txt", "in"], ["in/c.parquet", "in"], ["in/a"])
    ]
    (folder / "in/b.txt").write_text("longer than before")
    described.append(describe_inputs(find_inputs(["in/b.txt", "in"])))
    assert len({str(description) for description in described}) == 4
    assert described[0]["files"] == 4


# Texts and JSON lines


def read(path: str | Path, reading: Reading | None = None, stdin: str = "txt") -> list[Record]:
    return list(read_records(find_inputs([str(path)], stdin=stdin), reading or Reading()))


def read_lines(folder: Path, *content: bytes, reading: Reading | None = None) -> list[Record]:
    (folder / "a.jsonl").write_bytes(b"".join(line + b"\n" for line in content))
    return read(folder / "a.jsonl", reading)


def test_a_text_file_is_a_record_named_by_its_path(folder: Path):
    text = b"\xef\xbb\xbfAnn\r\nleft.\r\n"
    for name, content in (("a.txt", text), ("b.txt.gz", gzip.compress(text))):
        (folder / name).write_bytes(content)
        assert read(name) == [Record(name, name, len(content), "Ann\nleft.\n")]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.txt", "Zoë".encode("latin-1"), "byte 2 is not UTF-8"),
        ("a.txt", "Ann".encode("utf-16"), "byte 0 is not UTF-8"),
        ("a.txt", b"\0\0\0", "byte 0 is 0, which no text has"),
        ("a.txt.gz", b"no gzip", "not a complete compressed file"),
        ("a.txt.gz", gzip.compress(b"Ann", mtime=0)[:-9], "not a complete compressed file"),
        ("a.txt", b"Ann left. " * 5, "it has more than 40 bytes, which is no single text"),
        ("a.txt.gz", gzip.compress(b"Ann left. " * 5, mtime=0), "it has more than 40 bytes, which is no single text"),
        ("a.spacy", b"no DocBin", "damaged, or not a .spacy file"),
    ],
)
def test_a_file_that_can_not_be_read_says_so(
    tmp_path: Path, name: str, content: bytes, problem: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(inputs, "MOST_BYTES", 40)
    (tmp_path / name).write_bytes(content)
    (record,) = read(tmp_path / name)
    assert record.problem.startswith(problem)
    assert record.id == str(tmp_path / name)


def test_a_line_that_is_too_long_loses_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inputs, "MOST_BYTES", 40)
    long = b'{"text": "' + b"Ann left. " * 20 + b'"}'
    first, second, third = read_lines(tmp_path, b'{"text": "Ann"}', long, b'{"text": "Bob"}')
    assert (first.content, third.content, third.source) == ("Ann", "Bob", f"{tmp_path / 'a.jsonl'}:3")
    assert second.problem.startswith("it has more than 40 bytes")


def test_names_and_fields_of_json_lines(tmp_path: Path):
    first = b'\xef\xbb\xbf{"text": "Ann", "id": "x", "year": 1813}'
    records = read_lines(tmp_path, first, b"", b'{"text": "Bob", "id": 7}', b'{"text": ""}\r')
    path = tmp_path / "a.jsonl"
    assert [(record.id, record.source, record.content, record.fields) for record in records] == [
        ("x", f"{path}:1", "Ann", {"year": 1813}),
        ("7", f"{path}:3", "Bob", {}),
        (f"{path}:4", f"{path}:4", "", {}),
    ]


def test_other_fields_can_have_name_and_text(tmp_path: Path):
    reading = Reading("body", "key")
    line = b'{"body": "Ann", "key": "x", "text": "T", "id": 3, "n": 1}'
    record, unnamed = read_lines(tmp_path, line, b'{"body": "Bob", "id": "x"}', reading=reading)
    assert (record.id, record.content, record.fields) == ("x", "Ann", {"n": 1})
    assert reading.not_passed == {"text": record.source, "id": record.source}
    assert unnamed.problem == "there is no 'key' among ['body', 'id']; expected a string or a whole number."


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"broken", "not JSON: Expecting value"),
        (b'{"text": "Ann"', "not JSON: "),
        (b'["Ann"]', "found ['Ann'], expected an object"),
        (b'{"text": "Zo\xeb"}', "byte 12 is not UTF-8"),
        (b'{"id": 1}', "there is no 'text' among ['id']; expected a string. Is --text-field right?"),
        (b'{"text": null}', "'text' is None; expected a string"),
        (b'{"text": 3}', "'text' is 3; expected a string"),
        (b'{"text": NaN}', "not JSON: found NaN, which is no number of JSON"),
        (b'{"text": "Ann", "n": -Infinity}', "not JSON: found -Infinity, which is no number of JSON"),
        (b'{"text": "Ann", "id": true}', "'id' is True; expected a string or a whole number"),
        (b'{"text": "Ann", "id": ""}', "'id' is ''; expected a string or a whole number"),
        (b'{"text": "Ann", "id": [1]}', "'id' is [1]; expected a string or a whole number"),
        (b'{"text": "\\ud83d"}', "not JSON: 'utf-8' codec can't encode character"),
        (b'{"text": "Ann", "n": ' + b"9" * 5_000 + b"}", "not JSON: Exceeds the limit"),
        (b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not JSON: maximum recursion depth exceeded"),
        (b'{"text": "Ann", "x": ' + b"[" * 101 + b"1" + b"]" * 101 + b"}", "'x' has more than 100 levels."),
        (b'{"text": "Ann", "x": ' + b'{"y":' * 490 + b"1" + b"}" * 491, "'x' has more than 100 levels."),
        (b'{"id": ' + b"[" * 700 + b"]" * 700 + b"}", "'id' has more than 100 levels."),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else "",
)
def test_a_line_that_is_no_record_says_so_and_the_next_one_is_read(tmp_path: Path, line: bytes, problem: str):
    deep = b'{"text": "Bob", "x": ' + b"[" * 100 + b"1" + b"]" * 100 + b"}"
    bad, good = read_lines(tmp_path, line, deep)
    assert bad.problem.startswith(problem)
    assert bad.source == f"{tmp_path / 'a.jsonl'}:1"
    assert (good.content, good.problem) == ("Bob", "")
    pickle.dumps(good)


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
    assert read(tmp_path / "b.jsonl.gz")[1].content == "word1"


@pytest.mark.parametrize(
    ("speakers", "turns"),
    [
        ({"speaker": ["Bob", "Ann"], "start": [2, 0], "end": [3, 1]}, (Turn("Ann", 0, 1), Turn("Bob", 2, 3))),
        (["Ann"], ()),
        ("Ann", ()),
        ({"Ann": 1}, ()),
        ({"speaker": ["A"], "start": [0], "end": []}, ()),
        ({"speaker": ["A"], "start": [2], "end": [99]}, ()),
        ({"speaker": [1], "start": [0], "end": [1]}, ()),
    ],
)
def test_speakers_of_plain_data_are_read_in_order_and_others_are_not_passed(
    tmp_path: Path, speakers: object, turns: tuple[Turn, ...]
):
    reading = Reading()
    (record,) = read_lines(tmp_path, json.dumps({"text": "Hi.", "speakers": speakers}).encode(), reading=reading)
    assert (record.speakers, record.problem, record.fields) == (turns, "", {})
    assert list(reading.not_passed) == ([] if turns else ["speakers"])


def test_a_reader_that_fails_costs_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(file: InputFile, reading: Reading) -> Iterator[Record]:
        raise OverflowError("too much")

    monkeypatch.setitem(inputs.READERS, "jsonl", fail)
    (tmp_path / "a.jsonl").write_text("{}")
    (tmp_path / "b.txt").write_text("Ann")
    bad, good = read(tmp_path)
    assert bad.problem == "the file can't be read from here on (OverflowError: too much)."
    assert good.content == "Ann"


# Tables


def test_rows_are_records_with_all_other_columns(tmp_path: Path):
    day = datetime.date(1813, 1, 28)
    write_table(tmp_path / "a.parquet", {"id": [7, 8], "text": ["Ann", "Bob"], "day": [day, None]})
    first, second = read(tmp_path / "a.parquet")
    assert (first.id, first.content, first.fields) == ("7", "Ann", {"day": day})
    assert (second.id, second.source, second.fields) == ("8", f"{tmp_path / 'a.parquet'}:2", {"day": None})
    assert second.end == (tmp_path / "a.parquet").stat().st_size


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"id": [7.0, None, math.nan, 0.5], "text": ["Ann"] * 4}, "'id' is 0.5; expected a string or a whole number."),
        ({"text": ["Ann", "Bob", "Eve", None]}, "'text' is None; expected a string"),
        ({"text": [math.nan, 1.0]}, "'text' is 1.0; expected a string"),
        ({"body": ["Ann"]}, "there is no 'text' among ['body']"),
    ],
)
def test_a_row_without_a_text_or_a_name_says_so(tmp_path: Path, columns: dict[str, Any], problem: str):
    write_table(tmp_path / "a.parquet", columns)
    records = read(tmp_path / "a.parquet")
    assert records[-1].problem.startswith(problem)
    if "id" in columns:  # pandas makes floats of whole numbers if some are missing, which places stand for
        assert [record.id for record in records[:3]] == ["7", records[1].source, records[2].source]


def test_a_value_that_python_cannot_hold_costs_its_row(tmp_path: Path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    raw = [None, pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0\5\0\0\0\7\0\0\0"), pyarrow.py_buffer(b"\xff\xfeAnnHi")]
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 3, raw)
    day = pyarrow.array([0, 3_000_000, 1], pyarrow.date32())  # the second is in the year 10183
    write_table(tmp_path / "a.parquet", {"text": texts, "day": day})
    broken, far, good = read(tmp_path / "a.parquet")
    assert broken.problem.startswith("'text' can't be read: UnicodeDecodeError: ")
    assert far.problem.startswith("'day' can't be read: ")
    assert (good.content, good.fields) == ("Hi", {"day": datetime.date(1970, 1, 2)})


@pytest.mark.parametrize("content", [b"no table", b"PAR1" * 20])
def test_a_damaged_table_says_so(tmp_path: Path, content: bytes):
    pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    (tmp_path / "a.parquet").write_bytes(content)
    (record,) = read(tmp_path / "a.parquet")
    assert record.problem.startswith("the table can't be read from here on (")


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
    versions = {first.version, second.version}
    DocBin(docs=[unnamed] * 2).to_disk(tmp_path / "a.spacy")
    assert len(versions | {record.version for record in read(tmp_path / "a.spacy")}) == 4


def test_named_user_data_are_fields_except_titles_and_what_the_output_has(tmp_path: Path):
    data: dict[Any, Any] = {"year": 1813, "text": "T", "fields": {"n": [1]}, ("._.", "x", 0, 1): 2}
    docs = [Doc(Vocab(), words=["Ann"], user_data=each) for each in (data, {"fields": "poetry"})]
    set_title(declare(docs[0], {"A": "PER"}), "tale")
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "a.spacy")
    reading = Reading()
    fields = [record.fields for record in read(tmp_path / "a.spacy", reading)]
    assert fields == [{"year": 1813, "n": [1]}, {"fields": "poetry"}]
    assert reading.not_passed == {"text": f"{tmp_path / 'a.spacy'}:1"}


def test_a_damaged_document_costs_no_other_one(tmp_path: Path):
    path = tmp_path / "a.spacy"
    docs = [Doc(Vocab(), words=["Ann", "left"], tags=[f"TAG{i}"] * 2) for i in range(3)]
    path.write_bytes(zlib.compress(zlib.decompress(DocBin(docs=docs).to_bytes()).replace(b"TAG1", b"TAGX", 1)))
    first, second, third = read(path)
    assert (first.problem, third.problem) == ("", "")
    assert second.source.endswith("a.spacy:2")
    assert second.problem.startswith("damaged, or not a .spacy file as 'convert' writes it (KeyError: \"[E018] Can't")
    assert [Doc(Vocab()).from_bytes(record.content)[0].tag_ for record in (first, third)] == ["TAG0", "TAG2"]
