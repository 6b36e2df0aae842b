"""The files to read, and their content as one stream of records; what can't be read is a record that says why."""

from __future__ import annotations

import glob
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO

from spacy.vocab import Vocab

from ...annotation import get_title
from ...examples.corpus import read_sound_docs
from ..files.folders import find_files, is_made, what_is_wrong
from ..files.runs import file_digest
from ..formats.files import TOO_MUCH, decode, read_object, read_text
from .records import Reading, Record, describe, require_pyarrow

STDIN = "-"
COMPRESSIBLE = ("txt", "jsonl")
EXPECTED = "Expected .txt, .jsonl (both also as .gz), .parquet or .spacy"
MOST_BYTES = 100_000_000  # a longer text, or line of one, is something else, and takes many times as much memory
ROWS_AT_ONCE = 64  # each may be a novel


@dataclass(frozen=True, slots=True)
class InputFile:
    path: str  # as it was given, or found in a folder; "-" for the standard input
    kind: str  # one of `READERS`
    compressed: bool
    size: int | None  # its bytes, if known
    start: int  # the bytes of all files before it
    problem: str = ""  # why it can't be read, if that is known before; then it may be a folder

    @property
    def name(self) -> str:
        """Its path as output can have it: bytes that are no UTF-8 are escaped."""
        return os.fsencode(self.path).decode("utf-8", "backslashreplace")

    @property
    def end(self) -> int:
        """The bytes of all files up to its end."""
        return self.start + (self.size or 0)

    def fail(self, problem: str, number: int | None = None, end: int | None = None) -> Record:
        """What stands for the file, or for one of its records, if it can't be read."""
        place = self.name if number is None else f"{self.name}:{number}"
        problem = problem.removeprefix(f"{self.path}: ")
        return Record(place, place, self.end if end is None else end, problem=problem)


def find_inputs(paths: Sequence[str], *, stdin: str = "txt") -> list[InputFile]:
    """Find the files to read, each once, in the order in which they are given, and sorted within a folder or pattern.

    paths (Sequence[str]): Files, folders, which are searched at any depth, patterns such as `novels/**/*.txt`, or "-".
    """
    names = [str(Path(name)) for path in paths for name in _find(path)]  # without what means nothing, such as ./
    files: list[InputFile] = []
    start = 0
    for name in dict.fromkeys(names):
        if name == STDIN:
            files.append(InputFile(name, stdin, False, None, start))
            continue
        problem = what_is_wrong(name)
        size = 0 if problem else os.stat(name).st_size
        files.append(InputFile(name, *(_kind(name) or ("", False)), size, start, problem))
        start += size
    return files


def total_size(files: Sequence[InputFile]) -> int | None:
    """The bytes of all files; None if not all are known."""
    return None if any(file.size is None for file in files) else sum(file.size or 0 for file in files)


def describe_inputs(files: Sequence[InputFile]) -> dict[str, Any]:
    """Describe inputs by their number and a fingerprint of their names and sizes, which a resumed run must share."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(f"{file.path}\n{file.kind}\n{file.size}\n".encode("utf-8", "surrogateescape"))
    return {"files": len(files), "bytes": total_size(files), "names and sizes": digest.hexdigest()}


def _find(path: str) -> list[str]:
    if path == STDIN:
        return [STDIN]
    if os.path.isdir(path):
        names = [*map(str, find_files(path, lambda name: _kind(name) is not None))]
    elif os.path.lexists(path):
        if problem := what_is_wrong(path):
            raise ValueError(f"{path}: {problem}.")
        if _kind(path) is None:
            raise ValueError(f"{path}: a kind of file that is not known. {EXPECTED}.")
        return [path]
    elif glob.has_magic(path):
        named = Path(*takewhile(lambda part: not glob.has_magic(part), Path(path).parts))
        names = [name for name in sorted(glob.glob(path, recursive=True)) if _kind(name) and not os.path.isdir(name)]
        names = [name for name in names if not is_made(name, named)]
    else:
        raise FileNotFoundError(f"{path}: no such file or folder.")
    if not names:
        raise FileNotFoundError(f"{path}: found no file that can be read. {EXPECTED}.")
    return names


def _kind(path: str) -> tuple[str, bool] | None:
    """The kind of a file by its name, and whether it is compressed; None if it is not known."""
    name = path.lower()
    compressed = name.endswith(".gz")
    kind = name.removesuffix(".gz").rpartition(".")[2]
    return (kind, compressed) if kind in (COMPRESSIBLE if compressed else READERS) else None


def read_text_file(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read a text file, a record that is named by its path. Its lines end in `\\n`, however those of the file end."""
    try:
        data = sys.stdin.buffer.read(MOST_BYTES + 1) if file.path == STDIN else b""
        if max(file.size or 0, len(data)) > MOST_BYTES:
            raise ValueError(f"it has {TOO_MUCH.format(MOST_BYTES)}")
        text = decode(data, STDIN) if file.path == STDIN else read_text(Path(file.path), most=MOST_BYTES)
    except (OSError, ValueError) as error:
        yield file.fail(str(error))
    else:
        yield Record(file.name, file.name, file.end, text)


def read_json_lines(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read JSON lines, one by one; empty lines are skipped. What a damaged file has lost is one record."""
    number, end = 0, file.start
    try:
        with ExitStack() as stack:
            raw: Any = sys.stdin.buffer if file.path == STDIN else stack.enter_context(open(file.path, "rb"))
            lines = stack.enter_context(gzip.GzipFile(fileobj=raw)) if file.compressed else raw
            for number, line in enumerate(_lines(lines), start=1):
                end = file.start + raw.tell() if file.compressed else end + len(line)
                if not line.strip():
                    continue
                try:
                    if len(line) > MOST_BYTES:
                        raise ValueError(f"it has {TOO_MUCH.format(MOST_BYTES)}")
                    values = read_object(line, file.path, numbers_only=True)
                    record = reading.make_record(f"{file.name}:{number}", end, values)
                except ValueError as error:
                    record = file.fail(str(error), number, end)
                yield record
    except (OSError, EOFError, zlib.error) as error:
        yield file.fail(f"the file can't be read from here on ({error}). Copy it again.", number + 1, end)


def _lines(stream: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long the end is read and lost."""
    while line := stream.readline(MOST_BYTES + 1):
        yield line
        while len(line) > MOST_BYTES and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES + 1)
            if not line:
                return


def read_docs_file(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read a `.spacy` file, which spaCy has in memory; documents without a title are named by file and number."""
    try:
        digest = file_digest(Path(file.path))
        for number, doc in enumerate(read_sound_docs(file.path, Vocab()), start=1):
            source, version = f"{file.name}:{number}", f"{digest}:{number}"
            try:
                if isinstance(doc, ValueError):
                    raise doc
                fields = reading.read_user_data(source, doc.user_data)
                name, content = get_title(doc) or source, doc.to_bytes()
                record = Record(name, source, file.end, content, len(doc), fields=fields, version=version)
            except Exception as error:  # a document may hold anything
                record = file.fail(describe(error), number)
            yield record
    except (OSError, ValueError) as error:
        yield file.fail(str(error))


def read_table(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read a Parquet table, some rows at a time. What a damaged file has lost is one record."""
    arrow = require_pyarrow()
    number, end = 0, file.start
    try:
        with arrow.parquet.ParquetFile(file.path) as table:
            for batch in table.iter_batches(batch_size=ROWS_AT_ONCE):
                for row in range(batch.num_rows):
                    number += 1
                    end = file.start + (file.size or 0) * number // table.metadata.num_rows
                    values: dict[str, Any] = {}
                    try:
                        for name in batch.schema.names:
                            values[name] = batch[name][row].as_py()
                    except Exception as error:  # each type has values that Python can't hold, such as the year 10183
                        yield file.fail(f"'{name}' can't be read: {describe(error)}", number, end)
                    else:
                        yield reading.make_record(f"{file.name}:{number}", end, values)
    except (OSError, ValueError, arrow.ArrowException) as error:
        yield file.fail(f"the table can't be read from here on ({error}). Copy it again.", number + 1, end)


READERS = {"txt": read_text_file, "jsonl": read_json_lines, "parquet": read_table, "spacy": read_docs_file}


def read_records(files: Iterable[InputFile], reading: Reading) -> Iterator[Record]:
    """Read files, one after the other. A record with the id of an earlier one, as tables know it, adds its place."""
    known: set[int] = set()  # not the ids, which may be long
    for record in _read_records(files, reading):
        if not record.problem and hash(record.id) in known:
            reading.repeated.append(record.source)
            record = replace(record, id=f"{record.id} ({record.source})")
        known.add(hash(record.id))
        yield record


def _read_records(files: Iterable[InputFile], reading: Reading) -> Iterator[Record]:
    for file in files:
        if file.problem:
            yield file.fail(file.problem)
            continue
        try:
            yield from READERS[file.kind](file, reading)
        except Exception as error:  # an error that a reader does not expect costs no other file
            yield file.fail(f"the file can't be read from here on ({describe(error)}).")
