"""A folder of texts that are corrected: `NAME.txt` is the text, `NAME.brackets.txt` beside it what it was corrected to.

A document has a version, which changes with what is in its file. Who saves one names the version that was corrected, so
that no work is lost to another one who has saved meanwhile. No path is ever made of what a browser sends: a name is
looked up among those that the folder has, or has had.
"""

from __future__ import annotations

import hashlib
import os
import threading
import warnings
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

from ..files.folders import what_is_wrong
from ..files.writing import create_file, write_file
from ..formats.files import read_text

RAW, CORRECTED = ".txt", ".brackets.txt"  # how the names of files end
LONGEST_NAME = 255  # bytes of the name of a file
JOINERS = "\u200c\u200d"  # of letters, and of emoji


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
        self.seen: set[str] = set()  # the names of documents, also of those that are deleted or renamed by now
        if not path.is_dir():
            raise NotADirectoryError(f"{path}: no such folder.")
        self._device = path.stat().st_dev
        names = [file.name for file in path.iterdir() if file.name.endswith(RAW) and not can_be_shown(file.name)]
        if names:
            found = f"{path}: left out files whose names have control characters, or are no text: {len(names)}"
            warnings.warn(f"{found}. Rename them; the first: {names[0]!r}.", stacklevel=2)
        if not self.names():
            raise FileNotFoundError(f"{path}: no text to correct. Put files NAME{RAW} into the folder.")

    def names(self) -> dict[str, bool]:
        """The names of the documents, in alphabetical order, and whether each was corrected; or a GoneError."""
        try:
            names = sorted(file.name for file in self.path.iterdir() if file.is_file())
            if not names and self.path.stat().st_dev != self._device:
                raise OSError("nothing is mounted there")
        except OSError as error:
            problem = f"{self.path}: the folder can't be read ({error.strerror or error})"
            raise GoneError(f"{problem}. Bring it back: until then corrections stay in their pages.") from error
        found: dict[str, bool] = {}
        for name in names:
            if name.endswith(RAW) and not name.startswith(".") and can_be_shown(name):
                is_corrected = name.endswith(CORRECTED)
                name = name.removesuffix(CORRECTED if is_corrected else RAW)
                found[name] = is_corrected or found.get(name, False)
        self.seen.update(found)
        return found

    def uncorrected(self) -> dict[str, int]:
        """The documents that are not corrected, and when the file of each was changed."""
        changed = {}
        for name in [name for name, is_corrected in self.names().items() if not is_corrected]:
            with suppress(OSError):  # deleted meanwhile
                changed[name] = (self.path / f"{name}{RAW}").stat().st_mtime_ns
        return changed

    def read(self, name: str) -> Source:
        """Read a document; an OSError or a ValueError says why it can't be read, or could not be saved later."""
        is_corrected = self.names().get(name)
        if is_corrected is None:
            raise FileNotFoundError(f"{name}{RAW}: it is not in the folder any more.")
        file = self.path / f"{name}{CORRECTED}"
        problem = what_is_wrong(file) if os.path.lexists(file) else ""
        if problem or len(file.name.encode()) > LONGEST_NAME:
            problem = problem or "the name is too long"
            raise ValueError(f"{name}{RAW} can't be saved as {file.name}: {problem}. Rename one of them.")
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
            for number in count(2):
                room = LONGEST_NAME - len(f"-{number}{CORRECTED}")
                free = f"{name.encode()[:room].decode('utf-8', 'ignore')}-{number}"
                with suppress(FileExistsError):  # another program, or what is no document, has the name
                    if free not in known:
                        create_file(self.path / f"{free}{CORRECTED}", content)
                        break
        return _source(free, content, True)

    def check(self, name: str, version: str) -> None:
        """Check that a document has this version; a ChangedError says that it has another one, or can't be read."""
        try:
            found = self.read(name).version
        except (OSError, ValueError) as error:
            raise error if isinstance(error, GoneError) else ChangedError(f"It is not as it was: {error}") from error
        if found != version:
            raise ChangedError("The document was saved elsewhere meanwhile, in another tab or by another program.")


def can_be_shown(name: str) -> bool:
    """Check that a name has no control characters, and no bytes that are no text; joiners and wide spaces may be."""
    return all(char.isprintable() or char in JOINERS or category(char) == "Zs" for char in name)


def _source(name: str, text: str, is_corrected: bool) -> Source:
    digest = hashlib.sha256(f"{name}\n{is_corrected}\n{text}".encode()).hexdigest()
    return Source(name, text, is_corrected, f'"{digest[:32]}"')
