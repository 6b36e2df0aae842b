"""All inputs as one stream of records. What can't be read becomes a record that says why, and the rest goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .docs import read_docs_file
from .inputs import InputFile
from .lines import read_json_lines, read_text_file
from .reading import Reading, source_name
from .records import Record
from .tables import read_table

READERS = {"txt": read_text_file, "jsonl": read_json_lines, "parquet": read_table, "spacy": read_docs_file}
"""What reads each kind of file."""


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
        except MemoryError:
            raise
        except Exception as error:  # whatever a reader has not thought of costs no other file
            problem = f"the file can't be read from here on ({type(error).__name__}: {error})."
            yield Record(name, name, file.start + (file.size or 0), problem=problem)
