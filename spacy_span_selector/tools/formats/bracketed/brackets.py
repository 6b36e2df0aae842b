"""Brackets of the bracketed format, in the line of a sentence and in lines under it, and the errors about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import NamedTuple, NoReturn

from spacy.tokens import Doc

from ....annotation import PREDICATE_LABEL, Mention

BRACKETS_AND_BAR = "[]|"
ESCAPABLE = f"{BRACKETS_AND_BAR}\\#=@:><"
NAME_PATTERN = re.compile(r"[^\s\[\]|\\]+")
# What a line consists of, from bracket to bracket: the name of a mention is before `]`, a role behind `[`.
IN_A_SENTENCE = re.compile(r"\|(?P<name>[^\]]*)\]?|\\.?|.")
UNDER_A_SENTENCE = re.compile(r"\[(?P<role>[^\s\[\]]*)\s*|\\.?|.")
ADDRESSED, NOBODY, GOES_ON = ">", "?", "+"
PREDICATE_FORM = f"`[{PREDICATE_LABEL} words]` or `[{PREDICATE_LABEL}=ROLESET words]` for the predicate"


class BracketedError(ValueError):
    """An error in a line: its number and column, and the message behind that."""

    def __init__(self, line: TypedLine, column: int, message: str) -> None:
        super().__init__(f"{line.source}:{line.number}:{column}: {message}")
        self.line = line.number
        self.column = column
        self.message = message


class UnalignedError(BracketedError):
    """A bracket is inside a token, perhaps since whoever placed it had the tokens of another tokenizer."""


class Lenient:
    """Collects all errors and doubts: behind an error reading goes on with the next bracket if it can, or next line."""

    def __init__(self) -> None:
        self.errors: list[BracketedError] = []
        self.doubts: list[BracketedError] = []  # about what can be read, but is probably not what was meant


@contextmanager
def reporting(problems: Lenient | None) -> Iterator[None]:
    """Keep the error that ends a block, and go on behind the block; without anything to keep it, let it be raised."""
    try:
        yield
    except BracketedError as error:
        if problems is None:
            raise
        problems.errors.append(error)


class Notation(NamedTuple):
    """A kind of line under a sentence: how it starts, and what messages call it and its brackets."""

    sign: str
    name: str
    forms: str
    nests: bool = False


SPEAKER_FORMS = f"`[SPEAKER words]`, `[SPEAKER{ADDRESSED}ADDRESSEE words]`"
FRAME = Notation(">", "frame", f"`[ROLE words]`, {PREDICATE_FORM}")
QUOTATION = Notation("<", "quotation", f"{SPEAKER_FORMS}, or `{NOBODY}` for a speaker who is not known")
LABELLED = Notation("[]", "line of labelled spans", "`[LABEL words]`", nests=True)  # mentions have words


class TypedLine(NamedTuple):
    """A line of a file, or the part of it that starts in column `offset` + 1."""

    source: str
    number: int
    body: str
    offset: int = 0

    def behind(self, start: int) -> TypedLine:
        """The part that starts with a character of the body."""
        return self._replace(body=self.body[start:], offset=self.offset + start)

    def fail(self, column: int, message: str) -> NoReturn:
        raise BracketedError(self, column, message)


class TypedBracket(NamedTuple):
    """Words in brackets: offsets in the plain text of a line, name or role, and columns of the brackets."""

    line: TypedLine
    start: int
    end: int
    label: str
    open_column: int
    close_column: int

    def fail(self, message: str) -> NoReturn:
        self.line.fail(self.open_column, message)


class Sentence(NamedTuple):
    """A sentence: its plain text, and its tokens, of which the first has the number `offset` in the document."""

    line: TypedLine
    speaker: str | None
    text: str
    tokens: Doc
    offset: int
    frame_lines: list[TypedLine]

    @property
    def end(self) -> int:
        """The number of the token behind it."""
        return self.offset + len(self.tokens)

    def align(self, bracket: TypedBracket, kind: str) -> Mention:
        """The tokens in the document of words in brackets, which messages call `kind`."""
        span = self.tokens.char_span(bracket.start, bracket.end)
        if span is not None:
            return self.offset + span.start, self.offset + span.end
        ends = (bracket.start, bracket.end)
        token = next(token for token in self.tokens if any(token.idx < end < token.idx + len(token) for end in ends))
        starts = token.idx < bracket.start
        verb, column = ("starts", bracket.open_column) if starts else ("ends", bracket.close_column)
        cure = "Move the bracket to an edge of the token, or put a space there."
        raise UnalignedError(bracket.line, column, f"{kind} {verb} inside the token {token.text!r}. {cure}")


class Scanner:
    """Collects the text of a line, with single spaces, and the brackets that enclose parts of it."""

    def __init__(self, line: TypedLine) -> None:
        self.line = line
        self.columns: list[int] = []
        self._characters: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._characters).rstrip()

    def find(self, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
        """Each match that begins with a bracket or a bar, and its column; all else is text."""
        for match in pattern.finditer(self.line.body):
            character, column = match[0][0], self.line.offset + match.start() + 1
            if character in BRACKETS_AND_BAR:
                yield match, column
                continue
            if character == "\\":
                character = match[0][1:]
                if not character or character not in ESCAPABLE:
                    self.line.fail(column, f"unknown escape {match[0]!r}. Write `\\\\` for a backslash.")
            elif character.isspace():
                character = " "
            if character != " " or self._characters[-1:] not in ([], [" "]):
                self._characters.append(character)
                self.columns.append(column)

    def enclose(self, label: str, opened: tuple[int, int], close_column: int, if_empty: str) -> TypedBracket:
        """Brackets that end here, and began at this length of the text and column, or the error `if_empty`."""
        start, open_column = opened
        inside = "".join(self._characters[start:])
        words = inside.strip(" ")
        if not words:
            self.line.fail(open_column, if_empty)
        start += inside.startswith(" ")
        return TypedBracket(self.line, start, start + len(words), label, open_column, close_column)


def escape(text: str, *, chars: str = ESCAPABLE) -> str:
    """A text as it is typed, with a backslash before some characters."""
    return "".join(f"\\{character}" if character in chars else character for character in text)


def parse_mentions(line: TypedLine) -> tuple[str, list[TypedBracket]]:
    """Separate the text of a line, with single spaces, from its mentions; singletons have an empty name."""
    scanner = Scanner(line)
    opened: list[tuple[int, int]] = []
    mentions: list[TypedBracket] = []
    for match, column in scanner.find(IN_A_SENTENCE):
        sign, name = match[0][0], match["name"]
        if sign == "[":
            opened.append((len(scanner.columns), column))
            continue
        if not opened:
            line.fail(column, f"`{sign}` outside a mention. Open one with `[`, or write `\\{sign}`.")
        if sign == "|":
            if not match[0].endswith("]"):
                line.fail(opened[-1][1], "a mention that is not closed. Add `]` after its name.")
            if not name:
                line.fail(column + 1, "an empty name after `|`. Write `[words|name]`, or `[words]` for a singleton.")
            if not NAME_PATTERN.fullmatch(name):
                cure = "Use letters, digits, `-` or `_`; write `\\|` for a bar in the text."
                cure = f"Close the mention with `]` after its name. {cure}" if "[" in name else cure
                line.fail(column + 1, f"the name {name!r} holds white space, a bracket, a bar or a backslash. {cure}")
        if_empty = "a mention without words. Write `[words]` or `[words|name]`."
        mentions.append(scanner.enclose(name or "", opened.pop(), line.offset + match.end(), if_empty))
    if opened:
        start, column = opened[-1]
        words = scanner.text[start:].strip()
        line.fail(column, f"a mention that is not closed: {words!r}. Add `]`, or write `\\[`.")
    return scanner.text, mentions


def parse_under(line: TypedLine, notation: Notation, sentence: Sentence) -> list[TypedBracket]:
    """The brackets of a line that has the words of the sentence above it, labelled with their roles."""
    fail = line.fail
    scanner = Scanner(line)
    opened: list[tuple[str, tuple[int, int]]] = []  # role and place
    brackets: list[TypedBracket] = []
    for match, column in scanner.find(UNDER_A_SENTENCE):
        role = match["role"]
        if match[0] == "|":
            cure = "Names of clusters belong to the sentence above: remove it, or write `\\|`."
            fail(column, f"`|` in a {notation.name}. {cure}")
        elif role is not None:
            if opened and not notation.nests:
                cure = "Close the first with `]`, or write `\\[`."
                fail(column, f"`[` inside `[{opened[-1][0]}`: brackets of a {notation.name} do not nest. {cure}")
            if not role:
                fail(column, f"a bracket without a role. Write {notation.forms}, or `\\[`.")
            if not NAME_PATTERN.fullmatch(role):
                fail(column, f"the role {role!r} holds a bar or a backslash. Write `[ROLE words]`, or `\\[`.")
            if role == f"{PREDICATE_LABEL}=" and notation is FRAME:
                fail(column, f"an empty roleset after `{role}`. Write {PREDICATE_FORM}.")
            opened.append((role, (len(scanner.columns), column)))
        elif not opened:
            fail(column, "`]` outside an argument. Open one with `[ROLE`, or write `\\]`.")
        else:
            role, place = opened.pop()
            if_empty = f"`[{role}` without words. Write `[ROLE words]`, or `\\[`."
            brackets.append(scanner.enclose(role, place, column, if_empty))
    if opened:
        role, (_, column) = opened[-1]
        fail(column, f"`[{role}` is not closed. Add `]`, or write `\\[`.")
    _check_words(scanner, sentence, escape(notation.sign))
    return brackets


def _check_words(scanner: Scanner, sentence: Sentence, sign: str) -> None:
    line, found, expected = scanner.line, scanner.text.split(), sentence.text.split()
    for i, (word, expected_word) in enumerate(zip_longest(found, expected)):
        if word != expected_word:
            start = len(" ".join([*found[:i], ""]))
            column = line.offset + len(line.body) + 1 if word is None else scanner.columns[start]
            here = "the end" if word is None else repr(word)
            there = "its end" if expected_word is None else repr(expected_word)
            where = f"found {here} where the sentence in line {sentence.line.number} has {there}"
            line.fail(column, f"{where}. Repeat its words, or write `{sign}` if the text itself starts with it.")
