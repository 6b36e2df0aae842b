import gzip
import random
import re
import tarfile
from pathlib import Path

import pytest

from spacy_span_selector.tools.formats.files import read_lines, read_object, read_text, read_texts

CURE = "Expected a copy."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "c/a.txt", "c/d.md"):
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Zoë in {name}", encoding="utf-8")
    return tmp_path / "texts"


def test_a_folder_is_read_at_any_depth(folder: Path):
    assert read_texts(folder, folder / "no.tar.xz", ".txt", CURE) == {
        (folder / "b.txt").as_posix(): "Zoë in b.txt",
        (folder / "c/a.txt").as_posix(): "Zoë in c/a.txt",
    }


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_byte_order_mark_and_line_ends_of_other_systems_are_no_text(tmp_path: Path, newline: str):
    (tmp_path / "a.txt").write_text(f"Zoë{newline}\ufeffleft", encoding="utf-8-sig", newline="")  # joined
    assert read_lines(tmp_path / "a.txt") == ["Zoë".encode(), b"left"]
    for name in ("a.txt.gz", "B.TXT.GZ"):
        (tmp_path / name).write_bytes(gzip.compress((tmp_path / "a.txt").read_bytes()))
        assert read_text(tmp_path / "a.txt") == read_text(tmp_path / name) == "Zoë\nleft"


def test_what_cannot_be_read_is_named(folder: Path):
    (folder / "b.txt").write_bytes("Zoë".encode("latin-1"))
    with pytest.raises(ValueError, match=r"b\.txt: byte 2 is not UTF-8. Save the file as UTF-8, or copy it again"):
        read_texts(folder, folder / "no.tar.xz", ".txt", CURE)
    with pytest.raises(FileNotFoundError, match=r"e\.txt: no such file$"):
        read_text(folder / "e.txt")
    with pytest.raises(FileNotFoundError, match=r"e\.txt: no such file\. Expected a copy\.$"):
        read_text(folder / "e.txt", CURE)
    with pytest.raises(FileNotFoundError, match=r"no: no such folder, nor is there no\.tar\.xz in .*texts\. Expected"):
        read_texts(folder / "no", folder / "no.tar.xz", ".txt", CURE)
    with pytest.raises(IsADirectoryError, match=re.escape(f"{folder}: can't be read (Is a directory)")):
        read_text(folder)


@pytest.mark.parametrize("text", ["Ann\0", "\0" * 9, "Ann left.".encode("utf-16-le").decode()])
def test_the_byte_0_is_no_text(tmp_path: Path, text: str):
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"a\.txt: byte {text.index(chr(0))} is 0, which no text has"):
        read_text(tmp_path / "a.txt")


PACKED = gzip.compress(random.Random(0).randbytes(500))


@pytest.mark.parametrize(
    "data",
    [b"Ann left.", PACKED[:5], PACKED[:300], PACKED[:-1], PACKED[:-4] + b"\0" * 4, PACKED + b"Ann"],
    ids=["text", "header", "half", "cut", "length", "rest"],
)
def test_a_damaged_compressed_file_is_named(tmp_path: Path, data: bytes):
    (tmp_path / "a.txt.gz").write_bytes(data)
    with pytest.raises(ValueError, match=r"a\.txt\.gz: not a complete compressed file .*\. Copy it again"):
        read_text(tmp_path / "a.txt.gz")


@pytest.fixture
def archive(folder: Path) -> Path:
    with tarfile.open(folder.parent / "texts.tar.xz", "w:xz") as tar:
        tar.add(folder, "packed")
    return folder.parent / "texts.tar.xz"


def test_an_archive_is_read_where_there_is_no_folder_and_nothing_is_unpacked(
    archive: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(archive.parent)
    before = sorted(archive.parent.rglob("*"))
    texts = read_texts(archive.parent / "elsewhere", archive, ".txt", CURE)
    assert texts == {f"{archive.as_posix()}/packed/{name}": f"Zoë in {name}" for name in ("b.txt", "c/a.txt")}
    assert sorted(archive.parent.rglob("*")) == before


@pytest.mark.parametrize("damage", ["empty", "rubbish", "half"])
def test_a_damaged_archive_is_named(archive: Path, damage: str):
    data = archive.read_bytes()
    rubbish = random.Random(0).randbytes(5_000)
    archive.write_bytes({"empty": b"", "rubbish": rubbish, "half": data[: len(data) // 2]}[damage])
    with pytest.raises(ValueError, match=r"(?s)texts\.tar\.xz: not a complete archive \(.+\)\. Fetch it again"):
        read_texts(archive.parent / "no", archive, ".txt", CURE)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "a:1: not JSON: "),
        (b"[1]", r"a:1: found \[1\], expected an object"),
        (b"\xff", "a:1: byte 0 is not UTF-8"),
        (b'{"text": "\\ud83d"}', "a:1: not JSON: 'utf-8' codec can't encode character"),
        (b"[" * 100_000, "a:1: not JSON: maximum recursion depth exceeded"),
    ],
)
def test_what_is_no_object_is_named(line: bytes, message: str):
    with pytest.raises(ValueError, match=message):
        read_object(line, "a:1")


def test_an_object_is_read_with_numbers_that_json_does_not_have_unless_they_must_not():
    line = b'{"text": "Zo\xc3\xab \\ud83d\\ude00", "n": Infinity}'
    assert read_object(line, "a:1") == {"text": "Zoë 😀", "n": float("inf")}
    with pytest.raises(ValueError, match="found Infinity, which is no number of JSON; write null"):
        read_object(line, "a:1", numbers_only=True)
