"""Folders that appear whole or not at all, whatever stops the process that writes them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
