"""Processes: one at a time in a folder, and workers that end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout


@contextmanager
def only_process_in(folder: Path, command: str, cure: str) -> Iterator[None]:
    """Keep other processes of a command out of a folder until the block ends.

    The lock is the operating system's: it ends with this process, however that ends. Its file stays.

    folder (Path): The folder; it is created if missing.
    command (str): The command, after which the file is named.
    cure (str): What the error advises besides waiting.
    RAISES (ValueError): If another process of the command is running in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    held: AbstractContextManager[object] = nullcontext()
    try:
        held = FileLock(lock_file(folder, command), timeout=0).acquire()
    except Timeout:
        raise ValueError(
            f"{folder}: another '{command}' is running in this folder. Wait until it has ended, or {cure}."
        ) from None
    except NotImplementedError:
        warnings.warn(
            f"{folder}: this file system has no locks, so nothing keeps another '{command}' out of the folder. "
            "Do not start a second one there.",
            stacklevel=3,
        )
    with held:
        yield


def lock_file(folder: Path, command: str) -> Path:
    """The file that the lock of a command is on."""
    return folder / f"{command}.lock"


def prepare_worker() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    wait([parent.sentinel])
    os._exit(1)  # in any state: nothing that it has made is used
