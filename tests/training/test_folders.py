from __future__ import annotations

import os
from pathlib import Path

import pytest

from spacy_span_selector.training.folders import restore_folder, whole_folder


def write(target: Path, text: str) -> None:
    with whole_folder(target) as folder:
        (folder / "part").mkdir()
        (folder / "part" / "file").write_text(text)


def read(target: Path) -> str:
    return (target / "part" / "file").read_text()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    target = tmp_path / "new" / "model"
    write(target, "one")
    (target / "another").touch()
    write(target, "two")
    assert read(target) == "two"
    assert (names(target), names(target.parent)) == (["part"], ["model"])


def test_an_error_leaves_the_older_folder(tmp_path: Path) -> None:
    write(tmp_path / "model", "one")
    with pytest.raises(KeyError), whole_folder(tmp_path / "model") as folder:
        (folder / "part").mkdir()
        raise KeyError
    assert read(tmp_path / "model") == "one"
    assert names(tmp_path) == ["model"]


@pytest.mark.parametrize("call", [1, 2])
def test_an_error_of_the_system_names_the_folder(call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "model", "one")
    rename, calls = os.rename, []

    def full(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == call:
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(OSError, match=f"{tmp_path}/model can't be written: .*No space left.* still there"):
        write(tmp_path / "model", "two")
    assert read(tmp_path / "model") == "one"
    assert names(tmp_path) == ["model"]


def test_everything_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    fsync, rename = os.fsync, os.rename
    monkeypatch.setattr(os, "fsync", lambda number: (events.append("fsync"), fsync(number)))
    monkeypatch.setattr(os, "rename", lambda *paths: (events.append("rename"), rename(*paths)))
    write(tmp_path / "model", "one")
    assert events == ["fsync", "fsync", "fsync", "rename", "fsync"]  # a file, its folder, the model; its parent


def test_an_older_folder_gets_its_name_back_after_a_kill_between_two_names(tmp_path: Path) -> None:
    write(tmp_path / ".model.old", "one")
    write(tmp_path / ".model.new", "two")
    restore_folder(tmp_path / "model")
    assert read(tmp_path / "model") == "one"
    assert names(tmp_path) == ["model"]


def test_what_a_kill_left_is_removed(tmp_path: Path) -> None:
    for name in ("model", ".model.old", ".model.new"):
        write(tmp_path / name, name)
    restore_folder(tmp_path / "model")
    assert read(tmp_path / "model") == "model"
    assert names(tmp_path) == ["model"]
