"""Checkpoints: folders with all that a training needs to go on, each of them whole or not there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import torch
from spacy.language import Language
from spacy.util import load_model
from thinc.api import Config

from ..files.fingerprints import differences, file_digest, versions


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Write a folder under another name beside its own, which it gets when all its files are on the disk.

    A folder that has the name already stays as it is until then. No system can put one folder in the place of another
    in one step, so there is a moment between two names: `restore_folder` repairs what a kill leaves then.

    target (Path): The folder.
    YIELDS (Path): Where to write it.
    RAISES (OSError): If it can't be written; the message names it, and it is as it was before.
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
    except OSError as error:
        restore_folder(target)
        raise OSError(f"{target} can't be written: {error}. What was there before is still there.") from error
    except BaseException:
        restore_folder(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def restore_folder(target: Path) -> None:
    """Give an older folder its name back if a kill came between two names, and remove what was not finished.

    target (Path): The folder, which need not exist.
    """
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


Identity = dict[str, dict[str, Any]]
"""`config`: each setting by its dotted name; `files`: what is in each; `surroundings`: versions, device, threads."""


def identity(config: Config, code: Path | None, gpu_id: int) -> Identity:
    """Describe a training, in plain values.

    config (Config): Its config, overrides included.
    code (Path | None): A file of registered functions that it uses.
    gpu_id (int): The GPU; -1 for the CPU.
    RETURNS (Identity): The description.
    """
    settings: dict[str, Any] = json.loads(json.dumps(config.interpolate(), default=str))
    corpora = _flat(settings.get("corpora"))
    files = [value for name, value in corpora if name.endswith("path") and isinstance(value, str)]
    return {
        "config": dict(_flat(settings)),
        "files": {path: file_digest(Path(path)) for path in sorted({*files, *([str(code)] if code else [])})},
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


FOLDER = "checkpoints"
STATE, ARRAYS, PIPELINE, FILES = "state.json", "arrays.npz", "pipeline", "files.json"
FINISHED = "finished"


class CheckpointError(ValueError):
    """A checkpoint can't be gone on from. The message says why, and what to do."""


@dataclass(frozen=True)
class CheckpointSettings:
    """The section `[checkpoints]` of a config, which need not be there.

    steps (int | None): A checkpoint is made every so many steps, beside those at each evaluation.
    keep (int): How many of them are kept, the newest.
    """

    steps: int | None = None
    keep: int = 1

    def __post_init__(self) -> None:
        for name, value in (("steps", 1 if self.steps is None else self.steps), ("keep", self.keep)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"'{name}' in [checkpoints] is {value!r}, but must be a number from 1.")

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> CheckpointSettings:
        """Read the section of a config.

        RAISES (ValueError): If it has another setting, or a value that can't be.
        """
        section = config.get("checkpoints", {})
        names = [field.name for field in fields(cls)]
        unknown = [name for name in section if name not in names]
        if unknown:
            raise ValueError(f"[checkpoints] has no setting '{unknown[0]}', but {' and '.join(names)}.")
        return cls(**section)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint on the disk.

    path (Path): Its folder.
    """

    path: Path

    @cached_property
    def state(self) -> dict[str, Any]:
        """Everything but weights and the arrays of the optimizer, as plain values."""
        state: dict[str, Any] = json.loads((self.path / STATE).read_text(encoding="utf-8"))
        return state

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays of the optimizer, by name."""
        with np.load(self.path / ARRAYS, allow_pickle=False) as archive:
            return dict(archive)

    def load_pipeline(self) -> Language:
        """The pipeline as it was."""
        return load_model(self.path / PIPELINE)

    def check(self) -> None:
        """Compare its files with what was written.

        RAISES (CheckpointError): If one is missing or has changed.
        """
        cure = "Delete the folder; training then goes on from an older checkpoint, if there is one, or begins anew."
        try:
            written = _read_json(self.path / FILES, (STATE, ARRAYS))
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{self.path} is damaged: {FILES} can't be read ({error}). {cure}") from error
        for name, digest in written.items():
            file = self.path / name
            if not file.is_file() or file_digest(file) != digest:
                found = "has other content than was written" if file.is_file() else "is missing"
                raise CheckpointError(f"{self.path} is damaged: {name} {found}. {cure}")


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints of a training.

    output (Path): The folder of the training; they are in `checkpoints` there.
    identity (Identity): Which training it is.
    settings (CheckpointSettings): How often they are made, and how many are kept.
    """

    output: Path
    identity: Identity
    settings: CheckpointSettings

    @property
    def folder(self) -> Path:
        return self.output / FOLDER

    def newest(self) -> Checkpoint | None:
        """The newest checkpoint; None if there is none."""
        paths = self._paths()
        return Checkpoint(paths[-1]) if paths else None

    def write(self, nlp: Language, state: dict[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Write a checkpoint, and remove those that are too old.

        nlp (Language): The pipeline.
        state (dict[str, Any]): Plain values, among them `step`.
        arrays (Mapping[str, np.ndarray]): The arrays of the optimizer.
        RAISES (OSError): If it can't be written.
        """
        with whole_folder(self.folder / f"step-{state['step']:09d}") as folder:
            nlp.to_disk(folder / PIPELINE)
            with (folder / ARRAYS).open("wb") as stream:
                np.savez(stream, **arrays)  # type: ignore[arg-type]
            _write_json(folder / STATE, {**state, "identity": self.identity})
            files = [path for path in folder.rglob("*") if path.is_file()]
            _write_json(folder / FILES, {path.relative_to(folder).as_posix(): file_digest(path) for path in files})
        for path in self._paths()[: -self.settings.keep]:
            _remove(path)

    def check(self, checkpoint: Checkpoint) -> list[str]:
        """Refuse a checkpoint that is damaged or of another training.

        checkpoint (Checkpoint): The checkpoint.
        RETURNS (list[str]): What else has changed since, such as versions, so that the result may differ.
        RAISES (CheckpointError): If it can't be gone on from.
        """
        checkpoint.check()
        saved = checkpoint.state["identity"]
        found = [line for part in ("config", "files") for line in differences(saved[part], self.identity[part])]
        if found:
            listed = "\n".join(f"  {line}" for line in found)
            raise CheckpointError(
                f"{checkpoint.path} is of another training:\n{listed}\nUse the same config, settings and files to go "
                f"on with it; or another --output, or delete {self.folder}, to begin anew."
            )
        return differences(saved["surroundings"], self.identity["surroundings"])

    def is_finished(self) -> bool:
        """Check whether this training, and no other, has ended as it should.

        RAISES (CheckpointError): If that can't be known, because what says so is damaged.
        """
        path = self.folder / FINISHED / STATE
        if not path.exists():
            return False
        try:
            saved = _read_json(path, self.identity)
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"{path} is damaged, which says which training has ended: it can't be read ({error}). If it is this "
                f"one, all is done; else delete {path.parent} to begin anew."
            ) from error
        return all(saved[part] == self.identity[part] for part in ("config", "files"))

    def finish(self) -> None:
        """Note that the training has ended, and remove its checkpoints."""
        with whole_folder(self.folder / FINISHED) as folder:
            _write_json(folder / STATE, self.identity)
        for path in self._paths():
            _remove(path)

    def check_folder(self) -> None:
        """Make the folder, and fail early if nothing can be written there.

        RAISES (OSError): If so; the message names it.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise type(error)(f"{self.output}: can't be written ({error.strerror}). Give another --output.") from error

    def begin(self) -> None:
        """Forget that an earlier training in this folder has ended."""
        _remove(self.folder / FINISHED)

    def clean(self) -> None:
        """Remove what a kill has left of checkpoints that were being written or removed."""
        for path in self.folder.glob(".*"):
            shutil.rmtree(path, ignore_errors=True)

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("step-*"))


def _remove(path: Path) -> None:
    """Remove a folder, so that no half of it is left under its name."""
    _, old = _beside(path)
    if path.exists():
        path.rename(old)
    shutil.rmtree(old, ignore_errors=True)


def _read_json(path: Path, keys: Iterable[str]) -> dict[str, Any]:
    """Read an object that has some keys.

    RAISES (ValueError): If the file holds anything else.
    """
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict) or not all(key in value for key in keys):
        raise ValueError(f"expected an object with {', '.join(keys)}")
    return value


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, default=_plain), encoding="utf-8")


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's; anything else, which only a table shows, as text."""
    return value.item() if isinstance(value, np.generic) else str(value)
