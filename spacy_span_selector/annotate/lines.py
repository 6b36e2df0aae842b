"""Text files, one document each, and JSON lines, one document a line; both may be compressed by gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from ..corpora.files import decode, read_text
from ..corpora.files import read_object
from .inputs import STDIN, InputFile, open_stdin
from .reading import Reading, source_name, without_place
from .records import Record

BYTE_ORDER_MARK = "\ufeff".encode()
MOST_BYTES = 1 << 30
"""No file is read as one text that is larger: it must be something else."""


def read_text_file(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read a text file. Lines of its text end in `\\n`, however those of the file end.

    file (InputFile): The file.
    reading (Reading): Unused: a text file has no fields.
    YIELDS (Record): The file, named by its path.
    """
    name, end = source_name(file.path), file.start + (file.size or 0)
    try:
        if file.path == STDIN:
            text = decode(open_stdin().read(), name)
        elif (file.size or 0) > MOST_BYTES:
            raise ValueError(f"it has {file.size:,} bytes, which is no single text. Cut it into documents.")
        else:
            text = read_text(Path(file.path))
    except (OSError, ValueError) as error:
        yield Record(name, name, end, problem=without_place(error, file.path))
    else:
        yield Record(name, name, end, text)


def read_json_lines(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read JSON lines, one by one. Empty lines are skipped.

    file (InputFile): The file.
    reading (Reading): Which fields have name and text.
    YIELDS (Record): The records of the file, and one for what a file that is damaged has lost.
    """
    name, number, end = source_name(file.path), 0, file.start
    try:
        with ExitStack() as stack:
            raw = open_stdin() if file.path == STDIN else stack.enter_context(open(file.path, "rb"))
            lines = stack.enter_context(gzip.GzipFile(fileobj=raw)) if file.compressed else raw
            for number, line in enumerate(lines, start=1):
                end = file.start + raw.tell() if file.compressed else end + len(line)
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                if line.strip():
                    yield _read_line(line, f"{name}:{number}", end, reading)
    except (OSError, EOFError, zlib.error) as error:
        place = f"{name}:{number + 1}"
        yield Record(place, place, end, problem=f"the file can't be read from here on ({error}). Copy it again.")


def _read_line(line: bytes, place: str, end: int, reading: Reading) -> Record:
    try:
        values = read_object(line, place, numbers_only=True)
    except ValueError as error:
        return Record(place, place, end, problem=without_place(error, place))
    return reading.make_record(place, end, values)
