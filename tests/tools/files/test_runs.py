import os
import signal
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from spacy_span_selector.tools.files.runs import differences, file_digest, lock_file, only_process_in, versions

from ...processes import fresh_context, start


def only(folder: Path, command: str = "work") -> AbstractContextManager[None]:
    return only_process_in(folder, command, "take another one", "http://here")


def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path: Path):
    with only(tmp_path / "new/folder"):
        there = rf"\(http://here, process {os.getpid()} of .*\)"
        message = rf"folder: another 'work' {there} is running in this folder\. Wait until it .*, or take another one\."
        with pytest.raises(ValueError, match=message), only(tmp_path / "new/folder"):
            pass
        with only(tmp_path / "other"), only(tmp_path / "new/folder", "other"):
            assert lock_file(tmp_path / "new/folder", "other").exists()
    with pytest.raises(RuntimeError), only(tmp_path / "new/folder"):
        raise RuntimeError
    with only(tmp_path / "new/folder"):
        pass


def hold(folder: Path, output: Any) -> None:
    with only(folder):
        output.send(os.getpid())
        signal.pause()


def test_a_process_that_is_killed_lets_the_next_one_in(tmp_path: Path) -> None:
    output, inner = fresh_context().Pipe(duplex=False)
    process = start(hold, tmp_path, inner)
    assert output.recv() == process.pid
    with pytest.raises(ValueError, match=f"process {process.pid} of"), only(tmp_path):
        pass
    process.kill()
    process.join()
    with only(tmp_path):
        assert f"process {os.getpid()} of" in lock_file(tmp_path, "work").read_text("utf-8")


def test_a_file_that_is_added_renamed_or_changed_changes_the_digest(tmp_path: Path) -> None:
    digests = {file_digest(tmp_path)}
    for action in (
        lambda: (tmp_path / "a").write_bytes(b"one"),
        lambda: (tmp_path / "a").write_bytes(b"two"),
        lambda: (tmp_path / "a").rename(tmp_path / "b"),
        lambda: (tmp_path / "b").write_bytes(b""),
    ):
        action()
        digests.add(file_digest(tmp_path))
    assert len(digests) == 5


def test_differences_name_both_values() -> None:
    found = differences({"a": 1, "b": 2, "c": None}, {"b": 3, "c": None, "d": "x"})
    assert found == ["a: 1 then, 'nothing' now", "b: 2 then, 3 now", "d: 'nothing' then, 'x' now"]


def test_versions_of_what_is_installed_and_what_is_not() -> None:
    assert {"python", "spacy", "torch"} <= versions().keys()
    assert versions()["spacy"] != "none"
