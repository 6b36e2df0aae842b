"""A folder of texts that are corrected: `NAME.txt` is the text, `NAME.brackets.txt` beside it what it was corrected to.

A document has a version, which changes with what is in its file. Who saves one names the version that was corrected, so
that no work is lost to another one who has saved meanwhile. No path is ever made of what a browser sends: a name is
looked up among those that the folder has.
"""

from __future__ import annotations

import hashlib
import threading
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ..files.writing import write_file
from ..formats.files import read_text

RAW, CORRECTED = ".txt", ".brackets.txt"  # how the names of files end


class Source(NamedTuple):
    """The text of a document, raw or in the bracketed format. A version changes with both, and is an ETag of HTTP."""

    name: str
    text: str
    is_corrected: bool
    version: str


class ChangedError(Exception):
    """A document is not as it was when its correction began."""


class TextFolder:
    def __init__(self, path: Path) -> None:
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

    def read(self, name: str) -> Source:
        """Read a document; there may be none of this name (KeyError), or it can't be read (OSError, ValueError)."""
        is_corrected = self.names()[name]
        return _source(name, read_text(self.path / f"{name}{CORRECTED if is_corrected else RAW}"), is_corrected)

    def save(self, name: str, content: str, version: str) -> Source:
        """Save in one step what this version of a document was corrected to; a ChangedError says it has another now."""
        with self._saving:
            if self.read(name).version != version:
                raise ChangedError(name)
            return self._write(name, content)

    def save_beside(self, name: str, content: str) -> Source:
        """Save a correction of a document beside it, as `NAME-2`, or the first number that is free."""
        with self._saving:
            known = self.names()
            return self._write(next(free for n in count(2) if (free := f"{name}-{n}") not in known), content)

    def _write(self, name: str, content: str) -> Source:
        write_file(self.path / f"{name}{CORRECTED}", content)
        return _source(name, content, True)


def _source(name: str, text: str, is_corrected: bool) -> Source:
    digest = hashlib.sha256(f"{is_corrected}\n{text}".encode()).hexdigest()
    return Source(name, text, is_corrected, f'"{digest[:32]}"')
