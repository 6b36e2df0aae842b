import gzip
import tarfile
from pathlib import Path

import pytest

from spacy_span_selector.corpora.files import read_text, read_texts

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


def test_an_archive_is_read_where_there_is_no_folder(folder: Path):
    archive = folder.parent / "texts.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(folder, "packed")
    texts = read_texts(folder.parent / "elsewhere", archive, ".txt", CURE)
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
        read_texts(folder / "no", folder / "no.tar.xz", ".txt", CURE)
    (folder / "cut.tar.xz").write_bytes(b"\xfd7zXZ\x00")
    with pytest.raises(ValueError, match=r"cut\.tar\.xz: not a complete archive"):
        read_texts(folder / "no", folder / "cut.tar.xz", ".txt", CURE)
