"""Writing files that appear whole or not at all: everything that the package writes goes through this module.

The content goes into a temporary file beside the file, and from there to the disk; then the temporary file takes the
name of the file in one step. A full disk, a kill or a power cut leaves the old file or the new one, never half of it.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

TEMPORARY = ".spacy-span-selector-"  # how the names of temporary files begin: a kill may leave one
UNCHANGED = " No file has changed."


def write_file(path: Path, content: str | bytes) -> None:
    """Write one file, as `write_files` does."""
    write_files([(path, content)])


def write_files(files: Iterable[tuple[Path, str | bytes]]) -> None:
    """Write files, all of them or none.

    Missing folders are made. A link is followed, and a file that exists keeps its permissions. What is no regular file,
    such as a pipe or a terminal, can only be written directly; that is done before any file changes.

    files (Iterable[tuple[Path, str | bytes]]): Paths and contents. A text is written in UTF-8.
    RAISES (OSError): If a file can't be written, naming it. Then no file has changed, unless the error says which.
    RAISES (ValueError): If two paths are the same file, or a text can't be encoded, naming the file.
    """
    with ExitStack() as cleanup:
        staged: list[_Staged] = []
        for path, content in files:
            data = content if isinstance(content, bytes) else _encode(content, path)
            with _naming(path):
                new = _stage(path, data, cleanup)
            if new is not None and any(new.target == other.target for other in staged):
                raise ValueError(f"{path}: two outputs would be written to this file. Give each a path of its own.")
            staged += [] if new is None else [new]
        _put_in_place(staged, cleanup)
        for folder in {new.target.parent for new in staged}:
            _sync_folder(folder)


def append_line(path: Path, line: str, *, sync: bool = True) -> None:
    """Append a line to a file: all of it or nothing.

    Other processes may append to the file at the same time. An incomplete last line, which a crash of another program
    may leave, stays separate.

    path (Path): The file; it is created if missing.
    line (str): The line, without its end.
    sync (bool): Whether to wait until the line is on the disk.
    RAISES (OSError): If the line can't be appended, naming the file.
    """
    with _naming(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        with open(descriptor, "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            data = (b"" if file.read(1) in (b"", b"\n") else b"\n") + line.encode("utf-8") + b"\n"
            written = file.write(data)  # one write, so that lines of several processes do not mix
            if written < len(data):
                if os.fstat(descriptor).st_size == size + written:  # no other process has appended since
                    file.truncate(size)
                raise OSError(f"there was room for {written:,} of {len(data):,} bytes")
            if sync:
                os.fsync(descriptor)


class _Staged(NamedTuple):
    """A file whose content is on the disk under a temporary name."""

    path: Path  # as it was given
    target: Path  # where links lead
    temporary: Path
    exists: bool  # whether the target does


def _stage(path: Path, data: bytes, cleanup: ExitStack) -> _Staged | None:
    """Write a temporary file beside a file; None for what had to be written directly."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if old is not None and not stat.S_ISREG(old.st_mode):
        path.write_bytes(data)
        return None
    if old is not None and not os.access(path, os.W_OK):  # a file in its place would need no permission of it
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    target = Path(os.path.realpath(path))
    _make_folder(target.parent, cleanup)
    temporary = _temporary_name(target, cleanup)
    mode = 0o666 if old is None else stat.S_IMODE(old.st_mode)  # the system takes its mask off, as for any new file
    with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if old is not None:
        with suppress(OSError, AttributeError):  # some users may not give a file to others, some systems have no users
            os.chown(temporary, old.st_uid, old.st_gid)
        with suppress(OSError):  # some file systems have no permissions
            os.chmod(temporary, mode)
    return _Staged(path, target, temporary, exists=old is not None)


def _put_in_place(staged: Sequence[_Staged], cleanup: ExitStack) -> None:
    """Give all files their names; if one can't have it, give those before it their old content back."""
    undo: list[tuple[Path, Callable[[], object]]] = []
    try:
        for new in staged:
            with _naming(new.path):
                put_back = _keep_old(new, cleanup)
                os.replace(new.temporary, new.target)
            undo.append((new.path, put_back))
    except BaseException as error:
        changed = [str(path) for path, put_back in reversed(undo) if not _succeeds(put_back)]
        if changed and isinstance(error, OSError):
            done = f" These are new all the same, and could not be put back: {', '.join(changed)}."
            raise type(error)(str(error).removesuffix(UNCHANGED) + done) from error
        raise


def _keep_old(new: _Staged, cleanup: ExitStack) -> Callable[[], object]:
    """Keep the old content of a file under a temporary name, and return how to put it back."""
    if not new.exists:
        return new.target.unlink
    backup = _temporary_name(new.target, cleanup)
    with suppress(OSError):  # some file systems have no hard links: then putting it back fails
        os.link(new.target, backup)
    return lambda: os.replace(backup, new.target)


def _succeeds(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError:
        return False
    return True


def _make_folder(folder: Path, cleanup: ExitStack) -> None:
    """Make a folder and those above it; what stays empty is removed afterwards."""
    for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
        cleanup.callback(_succeeds, missing.rmdir)
    folder.mkdir(parents=True, exist_ok=True)


def _temporary_name(target: Path, cleanup: ExitStack) -> Path:
    """A name beside a file. What still has it afterwards is removed."""
    temporary = target.with_name(f"{TEMPORARY}{secrets.token_hex(8)}.tmp")
    cleanup.callback(_succeeds, temporary.unlink)
    return temporary


def _sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, on systems that can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _encode(text: str, path: Path) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{path}: not written: {error}. The text has half of a character (a surrogate).") from error


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name a file in the errors of the system."""
    try:
        yield
    except OSError as error:
        where = Path(error.filename or path)
        if where.name.startswith(TEMPORARY):
            where = where.parent
        reason = f"{error.strerror or error}" + ("" if where == path else f": {where}")
        raise type(error)(f"{path}: not written ({reason}).{UNCHANGED}") from error
