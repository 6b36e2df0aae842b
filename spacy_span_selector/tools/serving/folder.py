"""A folder of texts that are corrected: `NAME.txt` is the text, `NAME.brackets.txt` beside it what it was corrected to.

A document has a version, which changes with what is in its file. Who saves one names the version that was corrected, so
that nobody's work is lost to another one who has saved meanwhile. No path is ever made of what a browser sends: a name
is looked up among those that the folder has.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ..files.writing import write_file
from ..formats.files import read_text

RAW, CORRECTED = ".txt", ".brackets.txt"
"""How the names of files end."""


class Source(NamedTuple):
    """The text of a document.

    name (str): The name of the document.
    text (str): Its text: raw, or in the bracketed format.
    is_corrected (bool): Whether it was corrected, and is in that format.
    version (str): Tells it from all other texts.
    """

    name: str
    text: str
    is_corrected: bool
    version: str


class ChangedError(Exception):
    """A document is not as it was when its correction began."""


class TextFolder:
    """The documents of a folder.

    path (Path): The folder.
    """

    def __init__(self, path: Path) -> None:
        """Open a folder.

        path (Path): The folder.
        RAISES (OSError): If there is none, or it has no text, naming it.
        """
        self.path = path
        self._saving = threading.Lock()
        if not path.is_dir():
            raise NotADirectoryError(f"{path}: no such folder.")
        if not self.names():
            raise FileNotFoundError(f"{path}: no text to correct. Put files NAME{RAW} into the folder.")

    def names(self) -> dict[str, bool]:
        """The names of the documents, in alphabetical order, and whether each was corrected."""
        found: dict[str, bool] = {}
        for name in sorted(file.name for file in self.path.iterdir() if file.is_file()):
            if name.endswith(RAW) and not name.startswith(".") and name.isprintable():
                is_corrected = name.endswith(CORRECTED)
                name = name.removesuffix(CORRECTED if is_corrected else RAW)
                found[name] = is_corrected or found.get(name, False)
        return found

    def file(self, name: str) -> Path:
        """The file that a document is saved as."""
        return self.path / f"{name}{CORRECTED}"

    def read(self, name: str) -> Source:
        """Read a document: as it was corrected, or else its raw text.

        RAISES (KeyError): If the folder has none of this name.
        RAISES (OSError): If it can't be read, naming it.
        RAISES (ValueError): If it is no text in UTF-8, naming it.
        """
        is_corrected = self.names()[name]
        text = read_text(self.file(name) if is_corrected else self.path / f"{name}{RAW}")
        return _source(name, text, is_corrected)

    def save(self, name: str, content: str, version: str) -> Source:
        """Save what a document was corrected to, in one step.

        name (str): The document.
        content (str): What it was corrected to, in the bracketed format.
        version (str): The version that was corrected.
        RETURNS (Source): What it is now.
        RAISES (ChangedError): If that is not what it is.
        RAISES (OSError): If it can't be written, naming it.
        """
        with self._saving:
            if self.read(name).version != version:
                raise ChangedError(name)
            write_file(self.file(name), content)
        return _source(name, content, True)

    def save_beside(self, name: str, content: str) -> Source:
        """Save a correction of a document beside it, as `NAME-2`, or the first number that is free."""
        with self._saving:
            known = self.names()
            free = next(other for other in _numbered(name) if other not in known)
            write_file(self.file(free), content)
        return _source(free, content, True)


def _source(name: str, text: str, is_corrected: bool) -> Source:
    digest = hashlib.sha256(f"{is_corrected}\n{text}".encode()).hexdigest()
    return Source(name, text, is_corrected, digest[:32])


def _numbered(name: str) -> Iterator[str]:
    return (f"{name}-{number}" for number in count(2))
