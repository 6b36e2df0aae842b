"""Writing files that appear whole or not at all: everything that the package writes goes through this module.

The content goes into a temporary file beside the file, and from there to the disk; then the temporary file takes the
name of the file in one step. A full disk, a kill or a power cut leaves the old file or the new one, never half of it.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

TEMPORARY = ".spacy-span-selector-"  # how the names of temporary files begin: a kill may leave one


def write_file(path: Path, content: str | bytes, *, read: Iterable[Path] = ()) -> None:
    write_files([(path, content)], read=read)


def write_files(files: Iterable[tuple[Path, str | bytes]], *, read: Iterable[Path] = ()) -> None:
    """Write files, all of them or none, and none of those that were read; a text in UTF-8.

    Missing folders are made. A link is followed, and a file that exists keeps its permissions. What is no regular file,
    such as a pipe or a terminal, can only be written directly; that is done before any file changes.
    """
    with ExitStack() as cleanup:
        staged: dict[Path, Path] = {}
        sources = {Path(os.path.realpath(path)) for path in read}
        for path, content in files:
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            target = Path(os.path.realpath(path))
            if target in staged:
                raise ValueError(f"{path}: two outputs would be written to this file. Give each a path of its own.")
            if target in sources:
                raise ValueError(f"{path}: not written, since it is what was read. Name another file.")
            with _naming(path):
                if path.exists() and not path.is_file():
                    path.write_bytes(data)
                else:
                    staged[target] = _stage(target, data, cleanup)
        for target, temporary in staged.items():
            os.replace(temporary, target)


def create_file(path: Path, content: str) -> None:
    """Write a text to a new file; a FileExistsError says that there is one of this name, or anything else."""
    with ExitStack() as cleanup, _naming(path):
        temporary = _stage(path, content.encode("utf-8"), cleanup)
        try:
            os.link(temporary, path)
        except PermissionError:  # a file system without links: there the name is taken first
            path.touch(exist_ok=False)
            os.replace(temporary, path)


def _stage(target: Path, data: bytes, cleanup: ExitStack) -> Path:
    """Write a temporary file beside a file, and return its path."""
    if target.exists() and not os.access(target, os.W_OK):  # a file in its place would need no permission of it
        raise PermissionError("Permission denied")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{TEMPORARY}{secrets.token_hex(8)}.tmp")
    cleanup.callback(temporary.unlink, missing_ok=True)
    with temporary.open("xb") as file:
        if target.exists():
            shutil.copymode(target, temporary)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return temporary


def append_line(path: Path, line: str, *, sync: bool = True) -> None:
    """Append a line to a file, all of it or nothing; an incomplete last line, as a crash leaves it, stays separate."""
    with _naming(path), path.open("ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        data = (b"" if file.read(1) in (b"", b"\n") else b"\n") + line.encode("utf-8") + b"\n"
        written = file.write(data)  # one write, so that lines of several processes do not mix
        if written < len(data):
            file.truncate(size)
            raise OSError(f"there was room for {written:,} of {len(data):,} bytes")
        if sync:
            os.fsync(file.fileno())


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name a file in the errors of the system, which may name a temporary one."""
    try:
        yield
    except OSError as error:
        raise type(error)(f"{path}: not written ({error.strerror or error}). No file has changed.") from error
