"""Lines of the bracketed format: places and errors, characters and brackets, and alignment with tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

from spacy.tokens import Doc

BRACKETS_AND_BAR = "[]|"
ESCAPABLE = f"{BRACKETS_AND_BAR}\\#=@:><"
NAME_PATTERN = re.compile(r"[^\s\[\]|\\]+")


class Place(NamedTuple):
    """A line of a file, for messages."""

    source: str
    line: int


class BracketedError(ValueError):
    """An error in a line: its place, and the message behind that."""

    def __init__(self, place: Place, column: int, message: str) -> None:
        super().__init__(f"{place.source}:{place.line}:{column}: {message}")
        self.place = place
        self.column = column
        self.message = message


class Line(NamedTuple):
    """The part of a line that is text, which starts in column `offset` + 1."""

    place: Place
    body: str
    offset: int


class Bracket(NamedTuple):
    """Words in brackets: offsets in the plain text of a line, name or role, and columns of the brackets."""

    start: int
    end: int
    label: str
    open_column: int
    close_column: int


class Sentence(NamedTuple):
    """The plain text of a line and its tokens. The first token has the number `offset` in the document."""

    place: Place
    text: str
    tokens: Doc
    offset: int


class PlainText:
    """The text of a line, to which characters are added: with single spaces, and the column of each character."""

    def __init__(self) -> None:
        self.characters: list[str] = []
        self.columns: list[int] = []

    def __len__(self) -> int:
        return len(self.characters)

    def __str__(self) -> str:
        return "".join(self.characters).rstrip()

    def add(self, character: str, column: int) -> None:
        if character.isspace():
            if not self.characters or self.characters[-1] == " ":
                return
            character = " "
        self.characters.append(character)
        self.columns.append(column)

    def trim(self, start: int) -> tuple[int, int]:
        """Start and end of what was added since `start`, without spaces at its edges."""
        end = len(self.characters)
        while start < end and self.characters[start] == " ":
            start += 1
        while start < end and self.characters[end - 1] == " ":
            end -= 1
        return start, end


class Scanner:
    """Reads a line from left to right: collects its text, and yields its brackets and bars.

    line (Line): The line.
    text (PlainText): The text up to `position`.
    position (int): Index of the next character of the body. Increase it to skip what is not text, such as a name.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.text = PlainText()
        self.position = 0

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Each bracket or bar that is not escaped, with its column."""
        place, body, offset = self.line
        while self.position < len(body):
            character, column = body[self.position], offset + self.position + 1
            self.position += 1
            if character in BRACKETS_AND_BAR:
                yield character, column
            elif character == "\\":
                escaped = body[self.position : self.position + 1]
                if not escaped or escaped not in ESCAPABLE:
                    fail(place, column, f"unknown escape {character + escaped!r}. Write `\\\\` for a backslash.")
                self.text.add(escaped, column)
                self.position += 1
            else:
                self.text.add(character, column)


def escape(text: str, *, chars: str = ESCAPABLE) -> str:
    """A text as it is typed, with a backslash before some characters."""
    return "".join(f"\\{character}" if character in chars else character for character in text)


def fail(place: Place, column: int, message: str) -> NoReturn:
    raise BracketedError(place, column, message)


def align(bracket: Bracket, sentence: Sentence, place: Place, kind: str) -> tuple[int, int]:
    """Align words in brackets with the tokens of the document.

    bracket (Bracket): The words.
    sentence (Sentence): The sentence that has the words.
    place (Place): The line of the brackets, for messages.
    kind (str): What messages call the words.
    RETURNS (tuple[int, int]): Start and end token, end exclusive.
    RAISES (ValueError): If a bracket is inside a token.
    """
    tokens = sentence.tokens
    span = tokens.char_span(bracket.start, bracket.end)
    if span is not None:
        return sentence.offset + span.start, sentence.offset + span.end
    inside = [token for token in tokens if token.idx < bracket.start < token.idx + len(token)]
    verb, column = ("starts", bracket.open_column) if inside else ("ends", bracket.close_column)
    inside = inside or [token for token in tokens if token.idx < bracket.end < token.idx + len(token)]
    cure = "Move the bracket to an edge of the token, or put a space there."
    fail(place, column, f"{kind} {verb} inside the token {inside[0].text!r}. {cure}")


class Stop:
    """Stops at the first error; what is only doubtful passes. So a corpus is read to be used."""

    def error(self, error: BracketedError) -> None:
        """Raise an error."""
        raise error

    def leaves_out(self, error: BracketedError) -> bool:
        """Decide whether to leave out a line that can be read, but surely does not mean what it says."""
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
