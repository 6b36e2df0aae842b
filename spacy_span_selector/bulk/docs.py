"""Documents of `.spacy` files, with the annotation that they have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spacy.vocab import Vocab

from ..annotation import get_title
from ..fingerprints import file_digest
from ..readers import read_docs
from .inputs import InputFile
from .reading import Reading, source_name, without_place
from .records import Record


def read_docs_file(file: InputFile, reading: Reading) -> Iterator[Record]:
    """Read a `.spacy` file. spaCy has the whole file in memory.

    file (InputFile): The file.
    reading (Reading): Unused: documents are named by their titles.
    YIELDS (Record): The documents, those without a title named by file and number, and one for what a file that is
        damaged has lost.
    """
    name, number = source_name(file.path), 0
    end = file.start + (file.size or 0)
    try:
        digest = file_digest(Path(file.path))
        for number, doc in enumerate(read_docs(file.path, Vocab()), start=1):
            source = f"{name}:{number}"
            title, version = get_title(doc) or source, f"{digest}:{number}"
            yield Record(title, source, end, doc.to_bytes(), len(doc), version=version)
    except (OSError, ValueError) as error:
        source = f"{name}:{number + 1}"
        yield Record(source, source, end, problem=without_place(error, file.path))
