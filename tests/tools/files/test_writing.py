from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from spacy_span_selector.tools.files import writing
from spacy_span_selector.tools.files.writing import TEMPORARY, append_line, write_file, write_files

from ...full_disk import contents, full_disk

PACKAGE = Path(writing.__file__).parents[2]
LARGE = b"new" * 1_000
WRITERS = ("write_text", "write_bytes", "write_json", "write_jsonl", "write_gzip_json", "to_disk", "mkstemp")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that exists."""
    (tmp_path / "old.txt").write_bytes(b"the old content")
    return tmp_path / "old.txt"


def test_text_is_written_in_utf_8_and_its_lines_end_as_they_do(tmp_path: Path):
    write_file(tmp_path / "a.txt", "Zoë\nleft\r\n")
    assert (tmp_path / "a.txt").read_bytes() == "Zoë\nleft\r\n".encode()


def test_several_files_are_written_and_nothing_else_stays(old: Path):
    write_files([(old, b"new"), (old.parent / "far/away/b.txt", b"b"), (old.parent / "far/c.txt", "")])
    assert contents(old.parent) == {
        "old.txt": b"new", "far": None, "far/away": None, "far/away/b.txt": b"b", "far/c.txt": b""
    }  # fmt: skip


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path, mask: int):
    before = os.umask(mask)
    try:
        write_file(tmp_path / "ours", b"")
        (tmp_path / "any").open("w").close()
    finally:
        os.umask(before)
    assert mode(tmp_path / "ours") == mode(tmp_path / "any") == 0o666 & ~mask


@pytest.mark.parametrize("permissions", [0o600, 0o664, 0o755])
def test_a_file_that_exists_keeps_its_permissions(old: Path, permissions: int):
    old.chmod(permissions)
    write_file(old, b"new")
    assert (old.read_bytes(), mode(old)) == (b"new", permissions)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("target", ["old.txt", "missing.txt"])
def test_links_are_followed_and_stay(old: Path, target: str):
    (old.parent / "folder").mkdir()
    link = old.parent / "folder/link"
    link.symlink_to(f"../{target}")
    write_file(link, b"new")
    assert link.readlink() == Path(f"../{target}")
    assert (old.parent / target).read_bytes() == b"new"
    assert [path.name for path in link.parent.iterdir()] == ["link"]


@pytest.mark.parametrize("size", [0, 1, 100])
def test_a_full_disk_changes_no_file_and_is_named(old: Path, size: int):
    before = contents(old.parent)
    with full_disk(size), pytest.raises(OSError, match=r"old\.txt: not written \(File too large\)") as caught:
        write_file(old, LARGE)
    assert contents(old.parent) == before
    assert str(caught.value).endswith("No file has changed.")


def test_of_several_files_a_full_disk_writes_none(old: Path):
    before = contents(old.parent)
    files = [(old, b"new"), (old.parent / "new/b.txt", b"new"), (old.parent / "new/c.txt", LARGE)]
    with full_disk(100), pytest.raises(OSError, match=r"new/c\.txt: not written \(File too large\)"):
        write_files(files)
    assert contents(old.parent) == {**before, "new": None}
    write_files(files)
    assert (old.parent / "new/c.txt").read_bytes() == LARGE


def test_a_process_that_is_killed_leaves_the_old_file(old: Path):
    code = (
        "import os, pathlib, sys\n"
        "from spacy_span_selector.tools.files.writing import write_file\n"
        "os.replace = lambda *_: os._exit(9)\n"
        "write_file(pathlib.Path(sys.argv[1]), b'new')\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(old)], cwd=PACKAGE.parent).returncode == 9
    assert old.read_bytes() == b"the old content"
    assert {path.name[: len(TEMPORARY)] for path in old.parent.iterdir() if path != old} == {TEMPORARY}


def test_what_can_be_no_file_is_named(old: Path):
    before = contents(old.parent)
    for path, message in (
        (old.parent, r": not written \(Is a directory\)"),
        (old / "b.txt", r"old\.txt/b\.txt: not written \((File exists|Not a directory)\)"),
        (old.parent / ("b" * 300), r"bbb: not written \(File name too long\)"),
    ):
        with pytest.raises(OSError, match=message):
            write_files([(old, b"new"), (path, b"new")])
        assert contents(old.parent) == before


def test_a_file_that_must_not_be_written_stays(old: Path, monkeypatch: pytest.MonkeyPatch):
    """Faked, because nothing is denied to the administrator, who may run the tests."""
    monkeypatch.setattr(os, "access", lambda path, kind: False)
    with pytest.raises(PermissionError, match=r"old\.txt: not written \(Permission denied\)"):
        write_file(old, b"new")
    assert contents(old.parent) == {"old.txt": b"the old content"}


def test_two_outputs_in_one_file_are_an_error(old: Path):
    (old.parent / "link").symlink_to(old)
    for other in (old, old.parent / "link", old.parent / "../" / old.parent.name / old.name):
        with pytest.raises(ValueError, match=r": two outputs would be written to this file"):
            write_files([(old, b"a"), (other, b"b")])
    assert contents(old.parent) == {"old.txt": b"the old content", "link": b"the old content"}


def test_a_pipe_is_written_directly(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_file(tmp_path / "pipe", b"new")
    reader.join()
    assert read == [b"new"]
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_device_is_named_before_any_file_changes(old: Path):
    with pytest.raises(OSError, match=r"/dev/full: not written \(No space left on device\)"):
        write_files([(old, b"new"), (Path("/dev/full"), b"new")])
    assert contents(old.parent) == {"old.txt": b"the old content"}


def test_lines_are_appended(tmp_path: Path):
    for line in ("Ann", "Zoë"):
        append_line(tmp_path / "a.txt", line)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "Ann\nZoë\n"


def test_an_incomplete_line_stays_separate(old: Path):
    append_line(old, "Ann")
    assert old.read_bytes() == b"the old content\nAnn\n"


@pytest.mark.parametrize("size", [10, 15, 16, 30])
def test_a_line_that_does_not_fit_is_not_begun(old: Path, size: int):
    with full_disk(size), pytest.raises(OSError, match=r"old\.txt: not written \((File too large|there was room for)"):
        append_line(old, "Ann" * 10)
    assert old.read_bytes() == b"the old content"


OTHERS = {
    "encoders/encoder_shim.py",  # a folder that is gone when the encoder is loaded
    # Folders that `to_disk` is given:
    "people/entity_resolver.py",
    "pipeline/selector_pipe.py",
    "pipeline/word_sentencizer.py",
    # Folders that get their names when they are whole:
    "tools/cli/compact.py",
    "tools/cli/finetune.py",
    "tools/training/checkpoints.py",
    "tools/training/loop.py",
}


def writes_files(path: Path) -> bool:
    """Whether a module calls what writes files."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if name in WRITERS or (name in ("open", "fdopen") and any(set(mode) <= set("waxbt+") for mode in modes)):
                return True
    return False


def test_nothing_else_in_the_package_writes_files():
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if writes_files(path)}
    assert found == {*OTHERS, "tools/files/writing.py"}
