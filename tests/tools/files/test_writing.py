import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from spacy_span_selector.tools.files import writing
from spacy_span_selector.tools.files.writing import TEMPORARY, append_line, write_file, write_files

from ...full_disk import contents, full_disk

PACKAGE = Path(writing.__file__).parents[2]
LARGE = b"new" * 1_000
WRITES = re.compile(r"\.(write_(text|bytes|json|jsonl|gzip_json)|to_disk|mkstemp)\(|open\([^()]*\"[bt+]*[wax][bt+]*\"")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that exists."""
    (tmp_path / "old.txt").write_bytes(b"the old content")
    return tmp_path / "old.txt"


def test_several_files_are_written_and_nothing_else_stays(old: Path):
    write_files([(old, b"new"), (old.parent / "far/away/b.txt", "Zoë\nleft\r\n")])
    text = "Zoë\nleft\r\n".encode()
    assert contents(old.parent) == {"old.txt": b"new", "far": None, "far/away": None, "far/away/b.txt": text}


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
@pytest.mark.parametrize("permissions", [0o600, 0o664, 0o755])
def test_a_file_keeps_its_permissions_and_a_new_one_has_those_of_any(old: Path, permissions: int, mask: int):
    old.chmod(permissions)
    before = os.umask(mask)
    try:
        write_files([(old, b"new"), (old.parent / "other", b"")])
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in old.parent.iterdir()}
    assert modes == {"old.txt": permissions, "other": 0o666 & ~mask}


@pytest.mark.parametrize("target", ["old.txt", "missing.txt"])
def test_links_are_followed_and_stay(old: Path, target: str):
    (old.parent / "folder").mkdir()
    link = old.parent / "folder/link"
    link.symlink_to(f"../{target}")
    write_file(link, b"new")
    assert link.readlink() == Path(f"../{target}")
    assert (old.parent / target).read_bytes() == b"new"
    assert [path.name for path in link.parent.iterdir()] == ["link"]


@pytest.mark.parametrize("room", [0, 1, 100])
def test_a_full_disk_changes_none_of_several_files_and_the_first_without_room_is_named(old: Path, room: int):
    before = contents(old.parent)
    files = [(old, b"new"), (old.parent / "new/b.txt", b"new"), (old.parent / "new/c.txt", LARGE)]
    full = "new/c.txt" if room == 100 else "old.txt"
    message = rf"{full}: not written \(File too large\)\. No file has changed\.$"
    with full_disk(room), pytest.raises(OSError, match=message):
        write_files(files)
    assert {name: content for name, content in contents(old.parent).items() if content is not None} == before
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
    with ThreadPoolExecutor() as threads:
        read = threads.submit((tmp_path / "pipe").read_bytes)
        write_file(tmp_path / "pipe", b"new")
        assert read.result() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_lines_are_appended_and_an_incomplete_one_stays_separate(old: Path):
    for line in ("Ann", "Zoë"):
        append_line(old, line)
        append_line(old.parent / "new.txt", line)
    assert old.read_text(encoding="utf-8") == "the old content\nAnn\nZoë\n"
    assert (old.parent / "new.txt").read_text(encoding="utf-8") == "Ann\nZoë\n"


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


def test_nothing_else_in_the_package_writes_files():
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if WRITES.search(path.read_text())}
    assert found == {*OTHERS, "tools/files/writing.py"}
