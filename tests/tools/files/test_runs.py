from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from spacy_span_selector.tools.files.runs import differences, file_digest, lock_file, only_process_in, versions


def only(folder: Path, command: str = "work") -> AbstractContextManager[None]:
    return only_process_in(folder, command, "take another one")


def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path: Path):
    with only(tmp_path / "new/folder"):
        message = r"folder: another 'work' is running in this folder\. Wait until it has ended, or take another one\."
        with pytest.raises(ValueError, match=message), only(tmp_path / "new/folder"):
            pass
        with only(tmp_path / "other"), only(tmp_path / "new/folder", "other"):
            assert lock_file(tmp_path / "new/folder", "other").exists()
    with pytest.raises(RuntimeError), only(tmp_path / "new/folder"):
        raise RuntimeError
    with only(tmp_path / "new/folder"):
        pass


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
    assert differences({"a": 1, "b": 2, "c": None}, {"b": 3, "c": None, "d": "x"}) == [
        "a: 1 then, 'nothing' now",
        "b: 2 then, 3 now",
        "d: 'nothing' then, 'x' now",
    ]


def test_versions_of_what_is_installed_and_what_is_not() -> None:
    assert {"python", "spacy", "torch"} <= versions().keys()
    assert versions()["spacy"] != "none"
