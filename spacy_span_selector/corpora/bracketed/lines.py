"""Lines of the bracketed format: their places for messages, their characters, and brackets that meet tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from spacy.tokens import Doc

BRACKETS_AND_BAR = "[]|"
ESCAPABLE = f"{BRACKETS_AND_BAR}\\#=@:>"
NAME_PATTERN = re.compile(r"[^\s\[\]|\\]+")


class Place(NamedTuple):
    """A line of a file, for messages."""

    source: str
    line: int


class Line(NamedTuple):
    """What of a line is text, from column `offset` + 1."""

    place: Place
    body: str
    offset: int


class Bracket(NamedTuple):
    """Words in brackets: characters of the plain text of a line, name or role, and columns of the brackets."""

    start: int
    end: int
    label: str
    open_column: int
    close_column: int


class Sentence(NamedTuple):
    """The plain text of a line and its tokens, of which the first is number `offset` of the document."""

    place: Place
    text: str
    tokens: Doc
    offset: int


class PlainText:
    """The text of a line in the making: white space is one space, and every character knows its column."""

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
        """Start and end of what was added from `start` on, without spaces at its edges."""
        end = len(self.characters)
        while start < end and self.characters[start] == " ":
            start += 1
        while start < end and self.characters[end - 1] == " ":
            end -= 1
        return start, end


class Scanner:
    """Reads a line from left to right: it collects the text, and hands out brackets and bars.

    line (Line): The line.
    text (PlainText): The text up to `position`.
    position (int): Index in the body of the next character. What is no text, such as a name, is skipped by raising it.
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


def fail(place: Place, column: int, message: str) -> NoReturn:
    raise ValueError(f"{place.source}:{place.line}:{column}: {message}")


def align(bracket: Bracket, sentence: Sentence, place: Place, kind: str) -> tuple[int, int]:
    """Start and end token of words in brackets, in the document; `kind` and `place` are for messages."""
    tokens = sentence.tokens
    span = tokens.char_span(bracket.start, bracket.end)
    if span is not None:
        return sentence.offset + span.start, sentence.offset + span.end
    inside = [token for token in tokens if token.idx < bracket.start < token.idx + len(token)]
    verb, column = ("starts", bracket.open_column) if inside else ("ends", bracket.close_column)
    inside = inside or [token for token in tokens if token.idx < bracket.end < token.idx + len(token)]
    cure = "Move the bracket to an edge of the token, or put a space there."
    fail(place, column, f"{kind} {verb} inside the token {inside[0].text!r}. {cure}")
