"""Frames in the bracketed format: under a sentence, one line per predicate, which repeats the words of the sentence.

    > [ARG0 Her brother] [V=give.01 gave] [ARG2 Mary] [ARG1 a warm welcome].

Brackets of a frame neither nest nor overlap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from ...annotation import PREDICATE_LABEL, Argument, Frame
from .lines import NAME_PATTERN, Bracket, Line, PlainText, Scanner, Sentence, align, fail
from .problems import Stop, reporting

FRAME = ">"
ROLE_END = re.compile(r"[\s\[\]]")
PREDICATE_FORM = f"`[{PREDICATE_LABEL} words]` or `[{PREDICATE_LABEL}=ROLESET words]` for the predicate"
FORMS = f"`[ROLE words]`, {PREDICATE_FORM}"


def is_predicate_role(role: str) -> bool:
    """Whether a bracket with this role is the predicate: `V`, or `V=` and a roleset."""
    return role.partition("=")[0] == PREDICATE_LABEL


def read_frames(lines: Sequence[Line], sentence: Sentence, problems: Stop) -> list[Frame]:
    """Read the frames of a sentence.

    lines (Sequence[Line]): The lines under the sentence, without their `>`. A line without words means that the
        sentence has no predicate.
    sentence (Sentence): The sentence that they annotate.
    problems (Stop): What is done about a line that is malformed, naming source, line and column, what was found, and
        the cure.
    RETURNS (list[Frame]): One frame per line with words, in token offsets of the document.
    """
    frames: list[Frame] = []
    for line in lines:
        with reporting(problems):
            if line.body.strip():
                frames.append(_read_frame(line, sentence))
            elif len(lines) > 1:
                found = f"a bare `{FRAME}` means that the sentence has no predicate, but it has another `{FRAME}` line"
                fail(line.place, line.offset, f"{found}. Remove one of them.")
    return frames


def _read_frame(line: Line, sentence: Sentence) -> Frame:
    text, brackets = parse_frame(line)
    check_words(text, line, sentence, FRAME)
    predicate = _find_predicate(brackets, str(text), line)
    start, end = align(predicate, sentence, line.place, "a predicate")
    arguments = [
        Argument(*align(bracket, sentence, line.place, "an argument"), bracket.label)
        for bracket in brackets
        if bracket is not predicate
    ]
    return Frame(start, end, arguments, predicate.label.partition("=")[2] or None)


def parse_frame(line: Line, what: str = "frame", forms: str = FORMS) -> tuple[PlainText, list[Bracket]]:
    """Separate the text of a line, with single spaces, from its brackets, which are labelled with their roles.

    what, forms (str): What messages call the line, and the brackets that they propose.
    """
    scanner = Scanner(line)
    text = scanner.text
    opened: tuple[int, str, int] | None = None  # offset of the first character, role, column of the bracket
    brackets: list[Bracket] = []
    for character, column in scanner:
        if character == "|":
            cure = "Names of clusters belong to the sentence above: remove it, or write `\\|`."
            fail(line.place, column, f"`|` in a {what}. {cure}")
        elif character == "[":
            if opened is not None:
                cure = "Close the first with `]`, or write `\\[`."
                fail(line.place, column, f"`[` inside `[{opened[1]}`: brackets of a {what} do not nest. {cure}")
            rest = line.body[scanner.position :]
            role = _check_role(ROLE_END.split(rest, maxsplit=1)[0], line, column, forms)
            opened = (len(text), role, column)
            # White space after a role is not text.
            scanner.position = len(line.body) - len(rest.removeprefix(role).lstrip())
        else:
            if opened is None:
                fail(line.place, column, "`]` outside an argument. Open one with `[ROLE`, or write `\\]`.")
            first, role, open_column = opened
            start, end = text.trim(first)
            if start == end:
                fail(line.place, open_column, f"`[{role}` without words. Write `[ROLE words]`, or `\\[`.")
            brackets.append(Bracket(start, end, role, open_column, column))
            opened = None
    if opened is not None:
        _, role, open_column = opened
        fail(line.place, open_column, f"`[{role}` is not closed. Add `]`, or write `\\[`.")
    return text, brackets


def _check_role(role: str, line: Line, column: int, forms: str) -> str:
    if not role:
        fail(line.place, column, f"a bracket without a role. Write {forms}, or `\\[`.")
    if not NAME_PATTERN.fullmatch(role):
        fail(line.place, column, f"the role {role!r} holds a bar or a backslash. Write `[ROLE words]`, or `\\[`.")
    if role == f"{PREDICATE_LABEL}=":
        fail(line.place, column, f"an empty roleset after `{role}`. Write {PREDICATE_FORM}.")
    return role


def check_words(text: PlainText, line: Line, sentence: Sentence, sign: str) -> None:
    """Raise an error if the words of a line that starts with a sign differ from those of its sentence."""
    found, expected = str(text).split(), sentence.text.split()
    for i, (word, expected_word) in enumerate(zip_longest(found, expected)):
        if word != expected_word:
            start = len(" ".join([*found[:i], ""]))
            column = text.columns[start] if word is not None else line.offset + len(line.body) + 1
            here = "the end" if word is None else repr(word)
            there = "its end" if expected_word is None else repr(expected_word)
            fail(
                line.place,
                column,
                f"found {here} where the sentence in line {sentence.place.line} has {there}. "
                f"Repeat its words, or write `\\{sign}` if the text itself starts with it.",
            )


def _find_predicate(brackets: list[Bracket], text: str, line: Line) -> Bracket:
    predicates = [bracket for bracket in brackets if is_predicate_role(bracket.label)]
    if not predicates:
        fail(line.place, line.offset, f"a frame without a predicate. Write {PREDICATE_FORM}.")
    if len(predicates) > 1:
        second = predicates[1]
        found = f"a second predicate, {text[second.start : second.end]!r}, in one frame"
        cure = f"Give it a line of its own, or write `[C-{PREDICATE_LABEL} words]` if it continues the first."
        fail(line.place, second.open_column, f"{found}. {cure}")
    return predicates[0]
