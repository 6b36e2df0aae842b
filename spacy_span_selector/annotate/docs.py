"""Documents of `.spacy` files, with the annotation that they have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spacy.vocab import Vocab

from ..annotation import get_title
from ..examples.corpus import read_sound_docs
from ..files.fingerprints import file_digest
from .inputs import InputFile
from .reading import Reading, source_name, without_place
from .records import Record


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
            except MemoryError:
                raise
            except Exception as error:  # a document may hold anything
                yield Record(source, source, end, problem=without_place(error, file.path))
            else:
                yield Record(title, source, end, content, len(doc), version=f"{digest}:{number}")
    except (OSError, ValueError) as error:
        yield Record(name, name, end, problem=without_place(error, file.path))
