"""All inputs as one stream of records. What can't be read becomes a record that says why, and the rest goes on.

Text files are a document each, JSON lines a document a line, and both may be compressed by gzip; documents of `.spacy`
files keep the annotation that they have. `tables` reads Parquet.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from spacy.vocab import Vocab

from ...annotation import get_title
from ...examples.corpus import read_sound_docs
from ..files.fingerprints import file_digest
from ..formats.files import decode, read_object, read_text
from .inputs import STDIN, InputFile, open_stdin
from .records import Reading, Record, describe, source_name, without_place
from .tables import read_table

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


def read_docs_file(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read a `.spacy` file. spaCy has the whole file in memory.

    file (InputFile): The file.
    reading (Reading): Unused: documents are named by their titles.
    YIELDS (Record): The documents, those without a title named by file and number, those that are damaged as records
        that say so; or one for the file, if nothing in it can be read.
    """
    name = source_name(file.path)
    end = file.start + (file.size or 0)
    try:
        digest = file_digest(Path(file.path))
        for number, doc in enumerate(read_sound_docs(file.path, Vocab()), start=1):
            source = f"{name}:{number}"
            try:
                if isinstance(doc, ValueError):
                    raise doc
                title, content = get_title(doc) or source, doc.to_bytes()
            except MemoryError:  # for which no record is to blame
                raise
            except Exception as error:  # a document may hold anything
                yield Record(source, source, end, problem=without_place(error, file.path))
            else:
                yield Record(title, source, end, content, len(doc), version=f"{digest}:{number}")
    except (OSError, ValueError) as error:
        yield Record(name, name, end, problem=without_place(error, file.path))


READERS = {"txt": read_text_file, "jsonl": read_json_lines, "parquet": read_table, "spacy": read_docs_file}
"""The reader of each kind of file."""


def read_records(files: Iterable[InputFile], reading: Reading) -> Iterator[Record]:
    """Read files, one after the other.

    files (Iterable[InputFile]): The files.
    reading (Reading): Which fields have name and text.
    YIELDS (Record): Their records.
    """
    for file in files:
        name = source_name(file.path)
        if file.problem:
            yield Record(name, name, file.start, problem=file.problem)
            continue
        try:
            yield from READERS[file.kind](file, reading)
        except Exception as error:  # an error that a reader does not expect costs no other file
            problem = f"the file can't be read from here on ({describe(error)})."
            yield Record(name, name, file.start + (file.size or 0), problem=problem)
