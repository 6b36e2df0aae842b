"""A folder of texts that are corrected: `NAME.txt` is the text, `NAME.brackets.txt` beside it what it was corrected to.

A document has a version, which changes with what is in its file. Who saves one names the version that was corrected, so
that no work is lost to another one who has saved meanwhile. No path is ever made of what a browser sends: a name is
looked up among those that the folder has, or has had.
"""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ..files.folders import what_is_wrong
from ..files.writing import create_file, write_file
from ..formats.files import read_text

RAW, CORRECTED = ".txt", ".brackets.txt"  # how the names of files end
LONGEST_NAME = 255  # bytes of the name of a file


class Source(NamedTuple):
    """The text of a document, raw or in the bracketed format. A version changes with both, and is an ETag of HTTP."""

    name: str
    text: str
    is_corrected: bool
    version: str


class ChangedError(Exception):
    """Says why a document can't be saved: it is not as it was when its correction began."""


class GoneError(OSError):
    """The folder can't be read now, as when a share is not mounted."""


class TextFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._saving = threading.Lock()
        self._had: set[str] = set()
        if not path.is_dir():
            raise NotADirectoryError(f"{path}: no such folder.")
        self._device = path.stat().st_dev
        if not self.names():
            raise FileNotFoundError(f"{path}: no text to correct. Put files NAME{RAW} into the folder.")

    def names(self) -> dict[str, bool]:
        """The names of the documents, in alphabetical order, and whether each was corrected.

        RAISES (GoneError): If the folder is not there.
        """
        found: dict[str, bool] = {}
        try:
            names = sorted(file.name for file in self.path.iterdir() if file.is_file())
            if not names and self.path.stat().st_dev != self._device:
                raise OSError("nothing is mounted there")
        except OSError as error:
            cure = "Bring it back, and try again: corrections that are not saved stay in their pages."
            raise GoneError(f"{self.path}: the folder can't be read ({error.strerror or error}). {cure}") from error
        for name in names:
            if name.endswith(RAW) and not name.startswith(".") and name.isprintable():
                is_corrected = name.endswith(CORRECTED)
                name = name.removesuffix(CORRECTED if is_corrected else RAW)
                found[name] = is_corrected or found.get(name, False)
        self._had.update(found)
        return found

    def has_had(self, name: str) -> bool:
        """Whether a document has been in the folder, which may be deleted or renamed by now."""
        return name in self.names() or name in self._had

    def read(self, name: str) -> Source:
        """Read a document.

        RAISES (OSError, ValueError): If there is none of this name, or it can't be read, or is no UTF-8, or what it is
            corrected to could not be saved.
        """
        is_corrected = self.names().get(name)
        if is_corrected is None:
            raise FileNotFoundError(f"{name}{RAW}: it is not in the folder any more.")
        self._check_place(name)
        return _source(name, read_text(self.path / f"{name}{CORRECTED if is_corrected else RAW}"), is_corrected)

    def save(self, name: str, content: str, version: str) -> Source:
        """Save what this version of a document was corrected to, in the bracketed format, in one step; see `check`."""
        with self._saving:
            self.check(name, version)
            write_file(self.path / f"{name}{CORRECTED}", content)
            return _source(name, content, True)

    def save_beside(self, name: str, content: str) -> Source:
        """Save a correction of a document beside it, as `NAME-2`, or the first number that is free."""
        with self._saving:
            known = self.names()
            for ending in (f"-{number}" for number in count(2)):
                room = LONGEST_NAME - len(f"{ending}{CORRECTED}")
                free = name.encode()[:room].decode("utf-8", "ignore") + ending
                if free not in known:
                    with suppress(FileExistsError):  # another program, or what is no document, has the name
                        create_file(self.path / f"{free}{CORRECTED}", content)
                        return _source(free, content, True)
        raise AssertionError

    def check(self, name: str, version: str) -> None:
        """Check that a document has this version; a ChangedError says that it has another one, or can't be read."""
        try:
            found = self.read(name).version
        except GoneError:
            raise
        except (OSError, ValueError) as error:
            raise ChangedError(f"The document is not as it was: {error}") from error
        if found != version:
            raise ChangedError("The document was saved elsewhere meanwhile, in another tab or by another program.")

    def _check_place(self, name: str) -> None:
        """Check that there is room for what a document is corrected to, before anyone corrects it."""
        file = self.path / f"{name}{CORRECTED}"
        problem = what_is_wrong(str(file)) if os.path.lexists(file) else ""
        if len(file.name.encode()) > LONGEST_NAME:
            problem = "the name is too long"
        if problem:
            raise ValueError(f"{name}{RAW} can't be saved as {file.name}: {problem}. Rename one of them.")


def _source(name: str, text: str, is_corrected: bool) -> Source:
    digest = hashlib.sha256(f"{name}\n{is_corrected}\n{text}".encode()).hexdigest()
    return Source(name, text, is_corrected, f'"{digest[:32]}"')
