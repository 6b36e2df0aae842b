"""A disk that is full for files above a size, and what a folder holds."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="needs limits on the size of files")


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a number of bytes. Python ignores the signal that says so."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)  # what is imported meanwhile would be cut, for later tests, too
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def contents(folder: Path) -> dict[str, bytes | None]:
    """The content of every file in a folder, at any depth, by path; None for folders."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")
    }
