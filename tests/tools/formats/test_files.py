from __future__ import annotations

import gzip
import io
import lzma
import random
import re
import tarfile
from pathlib import Path

import pytest

from spacy_span_selector.tools.formats.files import FILES, read_object, read_text, read_texts
from spacy_span_selector.tools.formats.reports import Report

CURE = "Expected a copy."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "c/a.txt", "c/d.md"):
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Zoë in {name}", encoding="utf-8")
    return tmp_path / "texts"


def test_a_folder_is_read_at_any_depth(folder: Path):
    assert read_texts(folder, folder / "no.tar.xz", ".txt", CURE, Report()) == {
        (folder / "b.txt").as_posix(): "Zoë in b.txt",
        (folder / "c/a.txt").as_posix(): "Zoë in c/a.txt",
    }


def test_an_archive_is_read_where_there_is_no_folder(folder: Path):
    archive = folder.parent / "texts.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(folder, "packed")
    texts = read_texts(folder.parent / "elsewhere", archive, ".txt", CURE, Report())
    assert set(texts) == {f"{archive.as_posix()}/packed/{name}" for name in ("b.txt", "c/a.txt")}
    assert texts[f"{archive.as_posix()}/packed/b.txt"] == "Zoë in b.txt"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_byte_order_mark_and_line_ends_of_other_systems_are_no_text(tmp_path: Path, newline: str):
    (tmp_path / "a.txt").write_text(f"Zoë{newline}left", encoding="utf-8-sig", newline="")
    assert read_text(tmp_path / "a.txt") == "Zoë\nleft"


def test_a_compressed_file_is_read(tmp_path: Path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress("Zoë".encode()))
    assert read_text(tmp_path / "a.txt.gz") == "Zoë"


def test_what_cannot_be_read_is_named(folder: Path):
    (folder / "b.txt").write_bytes("Zoë".encode("latin-1"))
    with pytest.raises(ValueError, match=r"b\.txt: byte 2 is not UTF-8. Save the file as UTF-8, or copy it again"):
        read_text(folder / "b.txt")
    with pytest.raises(FileNotFoundError, match=r"e\.txt: no such file$"):
        read_text(folder / "e.txt")
    with pytest.raises(FileNotFoundError, match=r"e\.txt: no such file\. Expected a copy\.$"):
        read_text(folder / "e.txt", CURE)
    with pytest.raises(FileNotFoundError, match=r"no: no such folder, nor is there no\.tar\.xz in .*texts\. Expected"):
        read_texts(folder / "no", folder / "no.tar.xz", ".txt", CURE, Report())


def test_what_is_no_file_is_named(tmp_path: Path):
    with pytest.raises(IsADirectoryError, match=re.escape(f"{tmp_path}: can't be read (Is a directory)")):
        read_text(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that nobody can read")
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    (tmp_path / "a.txt").symlink_to("/proc/self/mem")
    with pytest.raises(OSError, match=r"a\.txt: can't be read \(Input/output error\)"):
        read_text(tmp_path / "a.txt")


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


def pack(path: Path, members: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w:xz") -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE], ids=["symbolic", "hard"])
@pytest.mark.parametrize("link", ["b.txt", "none.txt", "/etc/hostname", "../../etc/hostname", "c.txt"])
def test_links_that_lead_nowhere_are_counted_and_lose_no_others(tmp_path: Path, kind: bytes, link: str):
    links = [(member("b.txt", kind, link), b""), (member("c.txt", kind, "b.txt"), b"")]
    archive = pack(tmp_path / "a.tar.xz", [(member("a.txt"), b"Ann"), *links])
    report = Report()
    assert read_texts(tmp_path / "no", archive, ".txt", CURE, report) == {f"{archive.as_posix()}/a.txt": "Ann"}
    first, second = report.findings[f"Left out {FILES}"]
    assert first.startswith(f"{archive}/b.txt: a link to {link!r}, which leads to no file in the archive")
    assert second.startswith(f"{archive}/c.txt: a link to 'b.txt'")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE], ids=["symbolic", "hard"])
def test_links_within_an_archive_are_followed(tmp_path: Path, kind: bytes):
    archive = pack(tmp_path / "a.tar.xz", [(member("a.txt"), b"Ann"), (member("b.txt", kind, "a.txt"), b"")])
    assert list(read_texts(tmp_path / "no", archive, ".txt", CURE, Report()).values()) == ["Ann", "Ann"]


def test_nothing_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    outside = tmp_path / "absolute.txt"
    archive = pack(tmp_path / "a.tar.xz", [(member("../up.txt"), b"Ann"), (member(str(outside)), b"Bob")])
    assert list(read_texts(tmp_path / "no", archive, ".txt", CURE, Report()).values()) == ["Ann", "Bob"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.tar.xz", "in"]


def test_files_that_are_no_text_are_counted_and_lose_no_others(folder: Path):
    (folder / "b.txt").write_bytes("Zoë".encode("latin-1"))
    archive = folder.parent / "texts.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(folder, "packed")
    for found in (folder, folder / "no"):
        report = Report()
        assert list(read_texts(found, archive, ".txt", CURE, report).values()) == ["Zoë in c/a.txt"]
        (message,) = report.findings[f"Left out {FILES}"]
        assert "b.txt: byte 2 is not UTF-8" in message


@pytest.mark.parametrize("damage", ["empty", "rubbish", "header", "half", "cut", "sum", "member", "end", "compressed"])
def test_a_damaged_archive_is_named(tmp_path: Path, damage: str):
    rubbish = random.Random(0).randbytes(5_000)
    path = pack(tmp_path / "a.tar", [(member("a.md"), rubbish), (member("b.txt"), b"Bob")], "w:")
    data = path.read_bytes()
    packed = lzma.compress(data)
    damaged = {
        "empty": b"",
        "rubbish": rubbish,
        "header": packed[:6],
        "half": packed[:3_000],
        "cut": packed[:-1],
        "sum": packed[:-40] + bytes([packed[-40] ^ 1]) + packed[-39:],  # the sum of the content
        "member": data[:5_632] + b"x" * 300 + data[5_932:],  # the header of the second file
        "end": data[:6_656],  # no mark of the end
        "compressed": gzip.compress(data)[:3_000],
    }
    path.write_bytes(damaged[damage])
    with pytest.raises(ValueError, match=r"a\.tar: not a complete archive \(.+\)\. Fetch it again"):
        read_texts(tmp_path / "no", path, ".txt", CURE, Report())


def test_an_object_is_read():
    assert read_object(b'{"text": "Zo\xc3\xab \\ud83d\\ude00"}', "a:1") == {"text": "Zoë 😀"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "a:1: not JSON: "),
        (b"[1]", r"a:1: found \[1\], expected an object"),
        (b"\xff", "a:1: byte 0 is not UTF-8"),
        (b'{"text": "\\ud83d"}', "a:1: found half of a character"),
        (b"[" * 100_000, "a:1: its lists are nested too deeply"),
        (b'{"text": "", "n": 1, "n": 2}', 'a:1: an object has the key "n" twice. Leave one out.'),
        (b'{"x": [{"n": 1, "n": 1}]}', 'a:1: an object has the key "n" twice. Leave one out.'),
    ],
)
def test_what_is_no_object_is_named(line: bytes, message: str):
    with pytest.raises(ValueError, match=message):
        read_object(line, "a:1")


def test_numbers_that_json_does_not_have_are_read_unless_they_must_not():
    assert read_object(b'{"n": Infinity}', "a:1") == {"n": float("inf")}
    with pytest.raises(ValueError, match="found Infinity, which is no number of JSON; write null"):
        read_object(b'{"n": Infinity}', "a:1", numbers_only=True)
