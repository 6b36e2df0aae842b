"""All inputs as one stream of records. What can't be read becomes a record that says why, and the rest goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .docs import read_docs_file
from .inputs import InputFile
from .lines import read_json_lines, read_text_file
from .reading import Reading
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
        yield from READERS[file.kind](file, reading)
