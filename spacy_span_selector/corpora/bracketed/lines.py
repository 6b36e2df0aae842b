"""Lines of the bracketed format: their places for messages, their characters, and brackets that meet tokens."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from spacy.tokens import Doc

ESCAPABLE = "[]|\\#=@:>"
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


def fail(place: Place, column: int, message: str) -> NoReturn:
    raise ValueError(f"{place.source}:{place.line}:{column}: {message}")


def escaped_character(line: Line, i: int) -> str:
    """The literal character after the backslash at `i`."""
    found = line.body[i : i + 2]
    if len(found) < 2 or found[1] not in ESCAPABLE:
        fail(line.place, line.offset + i + 1, f"unknown escape {found!r}. Write `\\\\` for a backslash.")
    return found[1]


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
