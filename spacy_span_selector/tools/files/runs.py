"""Runs of commands: one at a time in a folder, of the same files and versions as before, with workers that end."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import platform
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from .writing import append_line

PACKAGES = ("spacy-span-selector", "spacy", "thinc", "torch", "numpy", "spacy-transformers", "transformers")


@contextmanager
def only_process_in(folder: Path, command: str, cure: str, address: str = "") -> Iterator[None]:
    """Keep others, who are told of this process, out of a folder until the block, or the process in any way, ends."""
    folder.mkdir(parents=True, exist_ok=True)
    file, other = lock_file(folder, command), ""
    with suppress(OSError):  # some systems let nobody read a locked file
        other = file.read_text("utf-8", "replace").strip()  # now, as trying may empty it
    try:
        held = FileLock(file, timeout=0).acquire()
    except Timeout:
        found = f"another '{command}'{other and f' ({other})'} is running in this folder"
        raise ValueError(f"{folder}: {found}. Wait until it has ended, or {cure}.") from None
    with held:
        with suppress(OSError):
            os.truncate(file, 0)
            append_line(file, f"{address and f'{address}, '}process {os.getpid()} of {platform.node()}", sync=False)
        yield


def lock_file(folder: Path, command: str) -> Path:
    return folder / f"{command}.lock"


def prepare_worker() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()


def _end_with(parent: Any) -> None:
    wait([parent.sentinel])
    os._exit(1)  # in any state: nothing that it has made is used


def file_digest(path: Path) -> str:
    """A fingerprint of a file, or of all files in a folder and their names; that of no files if it is missing."""
    digest = hashlib.blake2b(digest_size=16)
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.is_file():
            digest.update(f"{file.relative_to(path)}\n{file.stat().st_size}\n".encode())
            with file.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that compute; "none" for one that is not installed."""
    found = {"python": platform.python_version(), **dict.fromkeys(PACKAGES, "none")}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """List the differences between two descriptions of a run, a line each."""
    pairs = [(key, before.get(key, "nothing"), now.get(key, "nothing")) for key in {**before, **now}]
    return [f"{key}: {then!r} then, {today!r} now" for key, then, today in pairs if then != today]
