"""What is done about problems of a bracketed text: stop at the first, or collect all of them line by line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .lines import BracketedError


class Stop:
    """Stops at the first error; what is only doubtful passes. So a corpus is read to be used."""

    def error(self, error: BracketedError) -> None:
        """Raise an error."""
        raise error

    def leaves_out(self, error: BracketedError) -> bool:
        """Whether to leave out a line that can be read, but for what it is surely not meant for."""
        return False

    def doubt(self, doubt: BracketedError) -> None:
        """Let pass what may be meant as it is."""


class Collect(Stop):
    """Collects all problems: behind an error reading goes on with the next line, or the next bracket if it can.

    errors (list[BracketedError]): What loses or spoils annotation, as met.
    doubts (list[BracketedError]): What can be read, but is probably not what was meant.
    """

    def __init__(self) -> None:
        self.errors: list[BracketedError] = []
        self.doubts: list[BracketedError] = []

    def error(self, error: BracketedError) -> None:
        """Keep an error."""
        self.errors.append(error)

    def leaves_out(self, error: BracketedError) -> bool:
        """Keep the error, and leave out its line."""
        self.errors.append(error)
        return True

    def doubt(self, doubt: BracketedError) -> None:
        """Keep a doubt."""
        self.doubts.append(doubt)


@contextmanager
def reporting(problems: Stop) -> Iterator[None]:
    """Report the error that ends a block, and go on behind the block unless reporting it has stopped that."""
    try:
        yield
    except BracketedError as error:
        problems.error(error)
