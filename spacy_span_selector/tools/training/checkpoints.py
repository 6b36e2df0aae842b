"""Checkpoints: folders with all that a training needs to go on, each of them whole or not there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import PositiveInt
from pydantic.dataclasses import dataclass as checked_dataclass
from spacy.language import Language
from spacy.util import get_package_path, is_package
from thinc.api import Config

from ...signatures import CHECKED
from ..files.runs import differences, file_digest, versions
from .state import Arrays


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Write a folder under another name beside its own, which it gets when all its files are on the disk.

    No system can put one folder in the place of another in one step, so there is a moment between two names:
    `restore_folder` repairs what a kill leaves then.
    """
    restore_folder(target)
    new, old = _beside(target)
    new.mkdir(parents=True)
    try:
        yield new
        for path in (*new.rglob("*"), new):
            _flush(path)
        if target.exists():
            os.rename(target, old)
        os.rename(new, target)
        _flush(target.parent)
    except BaseException as error:
        restore_folder(target)
        if isinstance(error, OSError):
            raise OSError(f"{target} can't be written: {error}. What was there before is still there.") from error
        raise
    shutil.rmtree(old, ignore_errors=True)


def restore_folder(target: Path) -> None:
    """Give an older folder its name back if a kill came between two names, and remove what was not finished."""
    new, old = _beside(target)
    if old.exists() and not target.exists():
        os.rename(old, target)
    shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def _beside(target: Path) -> tuple[Path, Path]:
    """The names of a folder that is being written, and of one whose place is being taken."""
    return target.with_name(f".{target.name}.new"), target.with_name(f".{target.name}.old")


def _flush(path: Path) -> None:
    """Wait until a file, or the list of a folder's files, is on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows can't open folders
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


SOURCES = ("path", ".name", ".source", ".vectors", ".init_tok2vec")
"""How the names of settings end that may name a file, a folder or a package that a training takes something from."""

Identity = dict[str, dict[str, Any]]
"""`config`: each setting by its dotted name; `files`: what is in each; `surroundings`: versions, device, threads."""


def identity(config: Config, code: Path | None, gpu_id: int) -> Identity:
    """Describe a training, whose config includes overrides, in plain values; `code` has registered functions."""
    settings: dict[str, Any] = json.loads(json.dumps(config.interpolate(), default=str))
    named = {value for name, value in _flat(settings) if name.endswith(SOURCES) and isinstance(value, str) and value}
    named |= {str(code)} if code else set()
    read = {name: get_package_path(name) if is_package(name) else Path(name) for name in sorted(named)}
    return {
        "config": dict(_flat(settings)),
        "files": {name: file_digest(path) for name, path in read.items() if os.path.exists(path)},
        "surroundings": {
            **versions(),
            "device": torch.cuda.get_device_name(gpu_id) if gpu_id >= 0 and torch.cuda.is_available() else "cpu",
            "threads": torch.get_num_threads(),
        },
    }


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _flat(part, f"{name}.{key}" if name else key)
    else:
        yield name, value


STATE, ARRAYS, PIPELINE, FILES = "state.json", "arrays.npz", "pipeline", "files.json"


class CheckpointError(ValueError):
    """A checkpoint can't be gone on from. The message says why, and what to do."""


@dataclass(frozen=True)
class Checkpoint:
    path: Path

    @cached_property
    def state(self) -> dict[str, Any]:
        """Everything but weights and the arrays of the optimizer, as plain values."""
        return _read_json(self.path / STATE, ("step", "identity"))

    def arrays(self) -> Arrays:
        with np.load(self.path / ARRAYS, allow_pickle=False) as archive:
            return dict(archive)

    def check(self) -> None:
        """Raise a CheckpointError if a file is missing, or is not what was written."""
        for name, digest in _read_json(self.path / FILES, (STATE, ARRAYS)).items():
            file = self.path / name
            if not file.is_file() or file_digest(file) != digest:
                found = "has other content than was written" if file.is_file() else "is missing"
                raise _damaged(self.path, f"{name} {found}")


@checked_dataclass(frozen=True, config=CHECKED)
class Checkpoints:
    """The checkpoints of a training, in the folder `checkpoints` of its output."""

    output: Path
    identity: Identity
    steps: PositiveInt | None = None  # one is made every so many steps, beside those at each evaluation
    keep: PositiveInt = 1  # how many are kept, the newest

    @property
    def folder(self) -> Path:
        return self.output / "checkpoints"

    @property
    def finished(self) -> Path:
        return self.folder / "finished"

    def newest(self) -> Checkpoint | None:
        paths = self._paths()
        return Checkpoint(paths[-1]) if paths else None

    def write(self, nlp: Language, state: dict[str, Any], arrays: Arrays) -> None:
        """Write a checkpoint, and remove those that are too old."""
        with whole_folder(self.folder / f"step-{state['step']:09d}") as folder:
            nlp.to_disk(folder / PIPELINE)
            np.savez(folder / ARRAYS, **arrays)  # type: ignore[arg-type]
            _write_json(folder / STATE, {**state, "identity": self.identity})
            files = [path for path in folder.rglob("*") if path.is_file()]
            _write_json(folder / FILES, {path.relative_to(folder).as_posix(): file_digest(path) for path in files})
        for path in self._paths()[: -self.keep]:
            _remove(path)

    def check(self, checkpoint: Checkpoint) -> list[str]:
        """Refuse a checkpoint that is damaged or of another training; list what else has changed since, such as
        versions, so that the result may differ."""
        checkpoint.check()
        saved = checkpoint.state["identity"]
        found = [line for part in ("config", "files") for line in differences(saved[part], self.identity[part])]
        if found:
            listed = "\n".join(f"  {line}" for line in found)
            cure = f"Go on with the same config and files; or take another --output, or delete {self.folder}."
            raise CheckpointError(f"{checkpoint.path} is of another training:\n{listed}\n{cure}")
        return differences(saved["surroundings"], self.identity["surroundings"])

    def is_finished(self) -> bool:
        """Check whether this training, and no other, has ended as it should."""
        if not self.finished.exists():
            return False
        saved = _read_json(self.finished / STATE, self.identity)
        return all(saved[part] == self.identity[part] for part in ("config", "files"))

    def finish(self) -> None:
        """Note that the training has ended, and remove its checkpoints."""
        with whole_folder(self.finished) as folder:
            _write_json(folder / STATE, self.identity)
        for path in self._paths():
            _remove(path)

    def begin(self) -> None:
        """Forget that an earlier training in this folder has ended."""
        _remove(self.finished)

    def clean(self) -> None:
        """Remove what a kill has left of checkpoints that were being written or removed."""
        for path in self.folder.glob(".*"):
            shutil.rmtree(path, ignore_errors=True)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self.folder.glob("step-*") if path.name[5:].isdecimal())


def _remove(path: Path) -> None:
    """Remove a folder, so that no half of it is left under its name."""
    _, old = _beside(path)
    if path.exists():
        path.rename(old)
    shutil.rmtree(old, ignore_errors=True)


def _damaged(folder: Path, found: str) -> CheckpointError:
    cure = "Delete the folder; training then goes on from an older checkpoint, if there is one, or begins anew."
    return CheckpointError(f"{folder} is damaged: {found}. {cure}")


def _read_json(path: Path, keys: Iterable[str]) -> dict[str, Any]:
    """Read an object that has some keys; anything else is damage."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(value, dict) or not all(key in value for key in keys):
            raise ValueError(f"expected an object with {', '.join(keys)}")
        return value
    except (OSError, ValueError) as error:
        raise _damaged(path.parent, f"{path.name} can't be read ({error})") from error


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, default=_plain), encoding="utf-8")


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's; anything else, which only a table shows, as text."""
    return value.item() if isinstance(value, np.generic) else str(value)
