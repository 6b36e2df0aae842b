"""Processes: one at a time in a folder, and workers that end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout


@contextmanager
def only_process_in(folder: Path, command: str, cure: str) -> Iterator[None]:
    """Keep other processes of a command out of a folder, which is made if missing, until the block ends.

    The lock is the operating system's: it ends with this process, however that ends. Its file stays.

    RAISES (ValueError): If another process of the command is running in the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        held = FileLock(lock_file(folder, command), timeout=0).acquire()
    except Timeout:
        raise ValueError(
            f"{folder}: another '{command}' is running in this folder. Wait until it has ended, or {cure}."
        ) from None
    with held:
        yield


def lock_file(folder: Path, command: str) -> Path:
    """The file that the lock of a command is on."""
    return folder / f"{command}.lock"


def prepare_worker() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()


def _end_with(parent: Any) -> None:
    wait([parent.sentinel])
    os._exit(1)  # in any state: nothing that it has made is used
