import os
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from thinc.api import Config

from spacy_span_selector.tools.files.runs import file_digest
from spacy_span_selector.tools.training.checkpoints import PIPELINE, Checkpoints, identity, restore_folder, whole_folder

IDENTITY: dict[str, dict[str, Any]] = {
    "config": {"training.seed": 0},
    "files": {"train.spacy": "abc"},
    "surroundings": {"torch": "2.6"},
}


def checkpoints(output: Path, keep: int = 1, **identity: dict[str, Any]) -> Checkpoints:
    return Checkpoints(output, {**IDENTITY, **identity}, keep=keep)


def write(output: Path, *steps: int, keep: int = 1) -> Checkpoints:
    written = checkpoints(output, keep)
    for step in steps:
        written.write(spacy.blank("xx"), {"step": step, "score": np.float32(0.5)}, {"mom1/a/b": np.arange(step)})
    return written


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("keep", "left"), [(1, ["step-000000010"]), (2, ["step-000000009", "step-000000010"])])
def test_checkpoints_give_back_what_was_written_and_the_newest_are_kept(
    keep: int, left: list[str], tmp_path: Path
) -> None:
    assert checkpoints(tmp_path).newest() is None
    written = write(tmp_path, 8, 9, 10, keep=keep)
    assert names(written.folder) == left
    newest = written.newest()
    assert newest is not None and newest.path.name == "step-000000010"
    assert written.check(newest) == []
    assert newest.state == {"step": 10, "score": 0.5, "identity": IDENTITY}
    np.testing.assert_equal(newest.arrays(), {"mom1/a/b": np.arange(10)})
    assert spacy.load(newest.path / PIPELINE).lang == "xx"


def damaged(path: Path, content: str | int | None) -> None:
    """Remove a file, shorten it, or give it another content."""
    if content is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:content] if isinstance(content, int) else content.encode())


@pytest.mark.parametrize(
    ("file", "content"),
    [
        *product(("state.json", "arrays.npz", "pipeline/meta.json", "files.json"), (None, 0, 20)),
        *product(["files.json"], ("[]", "{}", '{"state.json": 1}')),
    ],
)
def test_damage_is_named(file: str, content: str | int | None, tmp_path: Path) -> None:
    written = write(tmp_path, 3)
    newest = written.newest()
    assert newest is not None
    damaged(newest.path / file, content)
    with pytest.raises(ValueError, match=rf"step-000000003 is damaged: {file} .*Delete the folder"):
        written.check(newest)


def test_other_versions_are_told(tmp_path: Path) -> None:
    newest = write(tmp_path, 3).newest()
    assert newest is not None
    assert checkpoints(tmp_path, surroundings={"torch": "2.7"}).check(newest) == ["torch: '2.6' then, '2.7' now"]


def test_a_training_that_has_ended_has_no_checkpoints_and_is_known(tmp_path: Path) -> None:
    written = write(tmp_path, 3)
    assert not written.is_finished()
    written.finish()
    assert (written.newest(), written.is_finished()) == (None, True)
    assert not checkpoints(tmp_path, config={"training.seed": 1}).is_finished()
    written.begin()
    assert not written.is_finished()


def test_what_a_kill_left_is_removed(tmp_path: Path) -> None:
    written = write(tmp_path, 3)
    (written.folder / ".step-000000006.new").mkdir()
    (written.folder / ".step-000000000.old").mkdir()
    written.clean()
    assert names(written.folder) == ["step-000000003"]


CONFIG = """
[paths]
train = "{folder}/train"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${{paths.train}}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = "{folder}/dev.spacy"

[components]

[components.tagger]
source = "{folder}/known"

[components.other]
source = "a_package"

[components.others]
source = "{long}"

[training]
seed = 0
"""


def test_settings_files_and_versions_tell_trainings_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spacy_span_selector.tools.training.checkpoints.is_package", lambda name: name == "a_package")
    monkeypatch.setattr("spacy_span_selector.tools.training.checkpoints.get_package_path", lambda name: tmp_path / name)
    (tmp_path / "train").mkdir()
    for name in ("train/a.spacy", "dev.spacy", "code.py", "known", "a_package"):
        (tmp_path / name).write_text(name)
    config = Config().from_str(CONFIG.format(folder=tmp_path, long="x" * 300), interpolate=False)
    found = identity(config, tmp_path / "code.py", -1)
    assert found["config"]["corpora.train.path"] == f"{tmp_path}/train"
    assert found["config"]["training.seed"] == 0
    own = {str(tmp_path / name): file_digest(tmp_path / name) for name in ("code.py", "dev.spacy", "known", "train")}
    assert found["files"] == {**own, "a_package": file_digest(tmp_path / "a_package")}
    assert found["surroundings"]["device"] == "cpu"
    assert all(found["surroundings"][package] != "none" for package in ("spacy-span-selector", "spacy", "torch"))


def write_folders(target: Path, text: str) -> None:
    with whole_folder(target) as folder:
        (folder / "part").mkdir()
        (folder / "part" / "file").write_text(text)


def read(target: Path) -> str:
    return (target / "part" / "file").read_text()


def test_a_folder_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    target = tmp_path / "new" / "model"
    write_folders(target, "one")
    (target / "another").touch()
    write_folders(target, "two")
    assert read(target) == "two"
    assert (names(target), names(target.parent)) == (["part"], ["model"])


def test_an_error_leaves_the_older_folder(tmp_path: Path) -> None:
    write_folders(tmp_path / "model", "one")
    with pytest.raises(KeyError), whole_folder(tmp_path / "model") as folder:
        (folder / "part").mkdir()
        raise KeyError
    assert read(tmp_path / "model") == "one"
    assert names(tmp_path) == ["model"]


@pytest.mark.parametrize("call", [1, 2])
def test_an_error_of_the_system_names_the_folder(call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folders(tmp_path / "model", "one")
    rename, calls = os.rename, []

    def full(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == call:
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(OSError, match=f"{tmp_path}/model can't be written: .*No space left.* still there"):
        write_folders(tmp_path / "model", "two")
    assert read(tmp_path / "model") == "one"
    assert names(tmp_path) == ["model"]


def test_everything_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    fsync, rename = os.fsync, os.rename
    monkeypatch.setattr(os, "fsync", lambda number: (events.append("fsync"), fsync(number)))
    monkeypatch.setattr(os, "rename", lambda *paths: (events.append("rename"), rename(*paths)))
    write_folders(tmp_path / "model", "one")
    assert events == ["fsync", "fsync", "fsync", "rename", "fsync"]  # a file, its folder, the model; its parent


@pytest.mark.parametrize(("left", "expected"), [((".model.old", ".model.new"), ".model.old"), (None, "model")])
def test_folders_are_as_before_a_kill(left: tuple[str, ...] | None, expected: str, tmp_path: Path) -> None:
    for name in left or ("model", ".model.old", ".model.new"):  # between two names, or in any other moment
        write_folders(tmp_path / name, name)
    restore_folder(tmp_path / "model")
    assert read(tmp_path / "model") == expected
    assert names(tmp_path) == ["model"]
