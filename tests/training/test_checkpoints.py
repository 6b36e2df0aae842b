from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy

from spacy_span_selector.training.checkpoints import Checkpoints, CheckpointSettings

IDENTITY: dict[str, dict[str, Any]] = {
    "config": {"training.seed": 0},
    "files": {"train.spacy": "abc"},
    "surroundings": {"torch": "2.6"},
}


def checkpoints(output: Path, keep: int = 1, **identity: dict[str, Any]) -> Checkpoints:
    return Checkpoints(output, {**IDENTITY, **identity}, CheckpointSettings(keep=keep))


def write(output: Path, *steps: int, keep: int = 1) -> Checkpoints:
    written = checkpoints(output, keep)
    for step in steps:
        written.write(spacy.blank("xx"), {"step": step, "score": np.float32(0.5)}, {"mom1/a/b": np.arange(step)})
    return written


def names(written: Checkpoints) -> list[str]:
    return sorted(path.name for path in written.folder.iterdir())


def test_a_checkpoint_gives_back_what_was_written(tmp_path: Path) -> None:
    written = write(tmp_path, 3)
    newest = written.newest()
    assert newest is not None
    assert written.check(newest) == []
    assert newest.state == {"step": 3, "score": 0.5, "identity": IDENTITY}
    np.testing.assert_equal(newest.arrays(), {"mom1/a/b": np.arange(3)})
    assert newest.load_pipeline().lang == "xx"


@pytest.mark.parametrize(("keep", "left"), [(1, ["step-000000010"]), (2, ["step-000000009", "step-000000010"])])
def test_the_newest_are_kept(keep: int, left: list[str], tmp_path: Path) -> None:
    written = write(tmp_path, 8, 9, 10, keep=keep)
    assert names(written) == left
    newest = written.newest()
    assert newest is not None and newest.path.name == "step-000000010"


def test_no_checkpoint_is_none(tmp_path: Path) -> None:
    assert checkpoints(tmp_path).newest() is None


@pytest.mark.parametrize("file", ["state.json", "arrays.npz", "pipeline/meta.json", "files.json"])
@pytest.mark.parametrize("size", [None, 0, 20])
def test_damage_is_named(file: str, size: int | None, tmp_path: Path) -> None:
    written = write(tmp_path, 3)
    newest = written.newest()
    assert newest is not None
    path = newest.path / file
    if size is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match=rf"step-000000003 is damaged: {file} .*Delete the folder"):
        written.check(newest)


@pytest.mark.parametrize(
    ("part", "now", "difference"),
    [
        ("config", {"training.seed": 1}, "training.seed: 0 then, 1 now"),
        ("files", {"train.spacy": "abd"}, "train.spacy: 'abc' then, 'abd' now"),
    ],
)
def test_another_training_is_refused(part: str, now: dict[str, Any], difference: str, tmp_path: Path) -> None:
    newest = write(tmp_path, 3).newest()
    assert newest is not None
    with pytest.raises(ValueError, match=f"of another training:\n  {re.escape(difference)}\n.*to begin anew"):
        checkpoints(tmp_path, **{part: now}).check(newest)


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
    assert sorted(path.name for path in written.folder.iterdir()) == ["step-000000003"]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"keep": 0}, r"'keep' in \[checkpoints\] is 0, but must be a number from 1"),
        ({"steps": 2.5}, r"'steps' in \[checkpoints\] is 2\.5"),
        ({"step": 2}, r"\[checkpoints\] has no setting 'step', but steps and keep"),
    ],
)
def test_wrong_settings_are_errors(section: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CheckpointSettings.read({"checkpoints": section})


def test_settings_need_not_be_there() -> None:
    assert CheckpointSettings.read({"training": {}}) == CheckpointSettings(steps=None, keep=1)
    assert CheckpointSettings.read({"checkpoints": {"steps": 5}}) == CheckpointSettings(steps=5, keep=1)
