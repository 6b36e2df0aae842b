"""The files to read: named, in folders, or as patterns."""

from __future__ import annotations

import glob
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files.folders import find_files, what_is_wrong

STDIN = "-"
TEXT_KINDS = ("txt", "jsonl")
KINDS = (*TEXT_KINDS, "parquet", "spacy")
EXPECTED = "Expected .txt, .jsonl (both also as .gz), .parquet or .spacy"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read.

    path (str): As it was given, or found in a folder; "-" for the standard input.
    kind (str): One of `KINDS`.
    compressed (bool): Whether it is compressed by gzip.
    size (int | None): Its bytes, if known.
    start (int): The bytes of all files before it.
    problem (str): Why it can't be read, if that is known before; then it may be a folder.
    """

    path: str
    kind: str
    compressed: bool
    size: int | None
    start: int
    problem: str = ""


def find_inputs(paths: Sequence[str], *, stdin: str = "txt", out: Path | None = None) -> list[InputFile]:
    """Find the files to read. The order is always the same: as given, and sorted within a folder or pattern.

    paths (Sequence[str]): Files, folders, which are searched at any depth, patterns such as `novels/**/*.txt`, or "-".
        A file that is named twice is read once.
    stdin (str): The kind of what comes from the standard input: one of `TEXT_KINDS`.
    out (Path | None): The folder for output; what is in it is not found.
    RETURNS (list[InputFile]): The files.
        What of a folder or a pattern can't be read, such as a link to nothing, is among them.
    RAISES (OSError): If there is no such file, or a folder or pattern has none of a known kind, naming it.
    RAISES (ValueError): If a file is named that is of no known kind, or that is a pipe or a device.
    """
    found: dict[str, tuple[str, bool]] = {}
    for path in paths:
        if path == STDIN:
            found.setdefault(STDIN, (stdin, False))
        else:
            for name, known in _find(path, out):
                found.setdefault(str(Path(name)), known)  # without what means nothing, such as ./
    files: list[InputFile] = []
    start = 0
    for name, (kind, compressed) in found.items():
        problem = "" if name == STDIN else what_is_wrong(name)
        size = None if name == STDIN else 0 if problem else os.stat(name).st_size
        files.append(InputFile(name, kind, compressed, size, start, problem))
        start += size or 0
    return files


def total_size(files: Iterable[InputFile]) -> int | None:
    """The bytes of all files; None if not all are known."""
    sizes = [file.size for file in files]
    return None if None in sizes else sum(size or 0 for size in sizes)


def describe_inputs(files: Sequence[InputFile]) -> dict[str, Any]:
    """Describe inputs by their number and a fingerprint of their names and sizes, which a resumed run must share."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(f"{file.path}\n{file.kind}\n{file.size}\n".encode("utf-8", "surrogateescape"))
    return {"files": len(files), "bytes": total_size(files), "names and sizes": digest.hexdigest()}


def open_stdin() -> Any:
    """The standard input as a binary stream."""
    return sys.stdin.buffer


def _find(path: str, out: Path | None) -> Iterator[tuple[str, tuple[str, bool]]]:
    if os.path.isdir(path):
        names = find_files(path, lambda name: _kind(name) is not None, skips=lambda folder: _is_in(folder, out))
    elif os.path.lexists(path):
        if problem := what_is_wrong(path):
            raise ValueError(f"{path}: {problem}.")
        kind = _kind(path)
        if kind is None:
            raise ValueError(f"{path}: a kind of file that is not known. {EXPECTED}.")
        yield path, kind
        return
    elif glob.has_magic(path):
        names = [name for name in sorted(glob.glob(path, recursive=True)) if not _is_in(name, out)]
        names = [name for name in names if _kind(name) and not os.path.isdir(name)]
    else:
        raise FileNotFoundError(f"{path}: no such file or folder.")
    if not names:
        raise FileNotFoundError(f"{path}: found no file that can be read. {EXPECTED}.")
    yield from ((name, _kind(name) or ("", False)) for name in names)


def _is_in(path: str, folder: Path | None) -> bool:
    return folder is not None and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _kind(path: str) -> tuple[str, bool] | None:
    """The kind of a file by its name, and whether it is compressed; None if it is not known."""
    name = path.lower()
    compressed = name.endswith(".gz")
    kind = name.removesuffix(".gz").rpartition(".")[2]
    return (kind, compressed) if kind in (TEXT_KINDS if compressed else KINDS) else None
