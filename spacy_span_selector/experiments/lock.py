"""One experiment at a time in a folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = "experiment.lock"


@contextmanager
def only_experiment_in(out_dir: Path) -> Iterator[None]:
    """Keep other experiments out of a folder until the block ends.

    The lock is the operating system's: it ends with this process, however that ends. Its file stays.

    out_dir (Path): The folder; it is created if missing.
    RAISES (ValueError): If another experiment is running in the folder.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    held: AbstractContextManager[object] = nullcontext()
    try:
        held = FileLock(out_dir / LOCK, timeout=0).acquire()
    except Timeout:
        raise ValueError(
            f"{out_dir}: another 'experiment' is running in this folder. Wait until it has ended, or use another "
            "folder: 'report' combines several."
        ) from None
    except NotImplementedError:
        warnings.warn(
            f"{out_dir}: this file system has no locks, so nothing keeps other experiments out of the folder. "
            "Do not start a second one there.",
            stacklevel=3,
        )
    with held:
        yield
