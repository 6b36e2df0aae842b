"""Brackets of the bracketed format: mentions in the line of a sentence; frames, quotations and labelled spans in lines
under it.

    [[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].
    > [ARG0 Her brother] [V=meet.03 met] [ARG1 Dr. Bell] [ARGM-LOC at a café].
    [] [PERSON [PERSON Her] brother] met [PERSON Dr. Bell] at [PLACE a café].
    “Come up,” said [Ann|ann] to [Tom|tom]. “It is late.
    < [ann>tom “Come up,”] said Ann to Tom. [ann>tom “It is late.]
    Now!”
    < [+ Now!”]

Brackets of mentions may nest; mentions with the same name, after a bar, are a cluster. A frame has one predicate, `V`
or `V=ROLESET`, and its brackets neither nest nor overlap, nor do those of a line of quotations: a quotation within
another has a line of its own, below. Brackets of quotations name the speaker and the addressee. Brackets of labelled
spans nest; a span that crosses another is in another line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ....annotation import PREDICATE_LABEL, Argument, Frame, LabelledSpan, Mention, Quotation
from ..speech import nearest_mention
from .lines import (
    NAME_PATTERN,
    Bracket,
    Line,
    Place,
    PlainText,
    Scanner,
    Sentence,
    Stop,
    align,
    escape,
    fail,
    reporting,
)

FRAME = ">"
ROLE_END = re.compile(r"[\s\[\]]")
PREDICATE_FORM = f"`[{PREDICATE_LABEL} words]` or `[{PREDICATE_LABEL}=ROLESET words]` for the predicate"
FRAME_FORMS = f"`[ROLE words]`, {PREDICATE_FORM}"
QUOTATION = "<"
ADDRESSED, NOBODY, GOES_ON = ">", "?", "+"
QUOTATION_FORMS = (
    f"`[SPEAKER words]`, `[SPEAKER{ADDRESSED}ADDRESSEE words]`, or `{NOBODY}` for a speaker who is not known"
)
LABELLED = "[]"
"""No line of a sentence starts so, because mentions have words."""
LABELLED_FORMS = "`[LABEL words]`"


def parse_mentions(line: Line) -> tuple[str, list[Bracket]]:
    """Separate the text of a line from its mentions.

    line (Line): The line.
    RETURNS (tuple[str, list[Bracket]]): The text, with single spaces, and the mentions; singletons have an empty name.
    RAISES (ValueError): If a bracket is not closed, has no words or no valid name.
    """
    scanner = Scanner(line)
    text = scanner.text
    opened: list[tuple[int, int]] = []  # offset of the first character, column of the bracket
    mentions: list[Bracket] = []
    for character, column in scanner:
        if character == "[":
            opened.append((len(text), column))
            continue
        if not opened:
            cure = f"Open one with `[`, or write `\\{character}`."
            fail(line.place, column, f"`{character}` outside a mention. {cure}")
        name = ""
        if character == "|":
            close = line.body.find("]", scanner.position)
            if close < 0:
                fail(line.place, opened[-1][1], "a mention that is not closed. Add `]` after its name.")
            name = _check_name(line.body[scanner.position : close], line.place, column + 1)
            scanner.position = close + 1
        first, open_column = opened.pop()
        start, end = text.trim(first)
        if start == end:
            fail(line.place, open_column, "a mention without words. Write `[words]` or `[words|name]`.")
        mentions.append(Bracket(start, end, name, open_column, line.offset + scanner.position))
    if opened:
        first, open_column = opened[-1]
        words = str(text)[first:].strip()
        fail(line.place, open_column, f"a mention that is not closed: {words!r}. Add `]`, or write `\\[`.")
    return str(text), mentions


def align_mentions(brackets: Iterable[Bracket], sentence: Sentence, problems: Stop) -> list[tuple[Mention, str]]:
    """The mentions of a sentence as token offsets in the document, with their names.

    brackets (Iterable[Bracket]): The mentions.
    sentence (Sentence): The sentence.
    problems (Stop): What is done if a bracket is inside a token, or a span is marked twice with the same name.
    RETURNS (list[tuple[Mention, str]]): The token offsets and the name of each mention.
    """
    mentions: list[tuple[Mention, str]] = []
    for bracket in brackets:
        with reporting(problems):
            item = (align(bracket, sentence, sentence.place, "a mention"), bracket.label)
            if bracket.label and item in mentions:
                found = f"{sentence.text[bracket.start : bracket.end]!r} is marked twice as {bracket.label!r}"
                fail(sentence.place, bracket.open_column, f"{found}. Remove one pair of brackets.")
            mentions.append(item)
    return mentions


def group_mentions(mentions: Iterable[tuple[Mention, str]]) -> tuple[list[list[Mention]], list[str]]:
    """Group mentions into clusters by name. Each mention without a name is a cluster of its own.

    mentions (Iterable[tuple[Mention, str]]): The token offsets and the name of each mention.
    RETURNS (tuple[list[list[Mention]], list[str]]): The clusters, and the name of each.
    """
    clusters: list[list[Mention]] = []
    names: list[str] = []
    numbers: dict[str, int] = {}  # index of each named cluster
    for mention, name in mentions:
        if name in numbers:
            clusters[numbers[name]].append(mention)
            continue
        if name:
            numbers[name] = len(clusters)
        clusters.append([mention])
        names.append(name)
    return clusters, names


def _check_name(name: str, place: Place, column: int) -> str:
    if not name:
        fail(place, column, "an empty name after `|`. Write `[words|name]`, or `[words]` for a singleton.")
    if not NAME_PATTERN.fullmatch(name):
        unclosed = "Close the mention with `]` after its name. " if "[" in name else ""
        fail(
            place,
            column,
            f"the name {name!r} holds white space, a bracket, a bar or a backslash. {unclosed}"
            "Use letters, digits, `-` or `_`; write `\\|` for a bar in the text.",
        )
    return name


def is_predicate_role(role: str) -> bool:
    """Check whether a bracket with this role is the predicate: `V`, or `V=` and a roleset."""
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


def parse_frame(
    line: Line, what: str = "frame", forms: str = FRAME_FORMS, *, nest: bool = False
) -> tuple[PlainText, list[Bracket]]:
    """Separate the text of a line, with single spaces, from its brackets, which are labelled with their roles.

    what, forms (str): What messages call the line, and the brackets that they propose.
    nest (bool): Whether brackets may nest.
    """
    scanner = Scanner(line)
    text = scanner.text
    opened: list[tuple[int, str, int]] = []  # offset of the first character, role, column of the bracket
    brackets: list[Bracket] = []
    for character, column in scanner:
        if character == "|":
            cure = "Names of clusters belong to the sentence above: remove it, or write `\\|`."
            fail(line.place, column, f"`|` in a {what}. {cure}")
        elif character == "[":
            if opened and not nest:
                cure = "Close the first with `]`, or write `\\[`."
                fail(line.place, column, f"`[` inside `[{opened[-1][1]}`: brackets of a {what} do not nest. {cure}")
            rest = line.body[scanner.position :]
            role = _check_role(ROLE_END.split(rest, maxsplit=1)[0], line, column, forms)
            opened.append((len(text), role, column))
            # White space after a role is not text.
            scanner.position = len(line.body) - len(rest.removeprefix(role).lstrip())
        else:
            if not opened:
                fail(line.place, column, "`]` outside an argument. Open one with `[ROLE`, or write `\\]`.")
            first, role, open_column = opened.pop()
            start, end = text.trim(first)
            if start == end:
                fail(line.place, open_column, f"`[{role}` without words. Write `[ROLE words]`, or `\\[`.")
            brackets.append(Bracket(start, end, role, open_column, column))
    if opened:
        _, role, open_column = opened[-1]
        fail(line.place, open_column, f"`[{role}` is not closed. Add `]`, or write `\\[`.")
    return text, brackets


def _check_role(role: str, line: Line, column: int, forms: str) -> str:
    if not role:
        fail(line.place, column, f"a bracket without a role. Write {forms}, or `\\[`.")
    if not NAME_PATTERN.fullmatch(role):
        fail(line.place, column, f"the role {role!r} holds a bar or a backslash. Write `[ROLE words]`, or `\\[`.")
    if role == f"{PREDICATE_LABEL}=" and forms == FRAME_FORMS:
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
                f"Repeat its words, or write `{escape(sign)}` if the text itself starts with it.",
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


class TypedQuotation(NamedTuple):
    """A quotation as it was typed: its tokens, and where the names are of who speaks and is spoken to."""

    start: int
    end: int
    label: str
    place: Place
    column: int

    @property
    def persons(self) -> list[str]:
        """The names of who speaks, and who is spoken to, "" for one who is not known."""
        speaker, _, addressee = self.label.partition(ADDRESSED)
        return ["" if speaker == NOBODY else speaker, addressee]


def read_quotations(lines: Sequence[Line], sentence: Sentence, above: list[TypedQuotation], problems: Stop) -> None:
    """Read the quotations of a sentence.

    lines (Sequence[Line]): The lines under the sentence, without their `<`. One without words is left out.
    sentence (Sentence): The sentence that they annotate.
    above (list[TypedQuotation]): The quotations so far. Gets those of the sentence, and longer ones that go on in it.
    problems (Stop): What is done about a line that is malformed.
    """
    for line in lines:
        with reporting(problems):
            if not line.body.strip():
                continue
            text, brackets = parse_frame(line, "quotation", QUOTATION_FORMS)
            check_words(text, line, sentence, QUOTATION)
            for bracket in brackets:
                with reporting(problems):
                    start, end = align(bracket, sentence, line.place, "a quotation")
                    if bracket.label != GOES_ON:
                        _check_label(bracket.label, line.place, bracket.open_column)
                        above.append(TypedQuotation(start, end, bracket.label, line.place, bracket.open_column))
                        continue
                    going_on = [i for i, quotation in enumerate(above) if quotation.end == start == sentence.offset]
                    if not going_on:
                        found = f"`[{GOES_ON}` continues no quotation: none reaches the end of the sentence above"
                        cure = f"Begin one with `[SPEAKER words]` or `[{NOBODY} words]`."
                        fail(line.place, bracket.open_column, f"{found}. {cure}")
                    outer = min(going_on, key=lambda i: above[i].start)
                    above[outer] = above[outer]._replace(end=end)


def name_persons(
    typed: Sequence[TypedQuotation], clusters: Mapping[str, Sequence[Mention]], problems: Stop
) -> Iterator[Quotation]:
    """The quotations of a document: who speaks is the mention of the name that is nearest, outside of quotations.

    typed (Sequence[TypedQuotation]): The quotations.
    clusters (Mapping[str, Sequence[Mention]]): The mentions of each name.
    problems (Stop): What is done about a name that no mention has.
    """
    quoted = {i for quotation in typed for i in range(quotation.start, quotation.end)}
    for quotation in typed:
        place = (quotation.start, quotation.end)
        for name in quotation.persons:
            with reporting(problems):
                if name and name not in clusters:
                    cure = f"Give one this name, `[words|{name}]`, or write `{NOBODY}` for a speaker who is not known."
                    fail(quotation.place, quotation.column, f"no mention has the name {name!r}. {cure}")
        speaker, addressee = (
            nearest_mention(place, clusters[name], quoted) if name and name in clusters else None
            for name in quotation.persons
        )
        yield Quotation(*place, speaker, addressee)


def label_quotation(speaker: str, addressee: str) -> str:
    """The label of a bracket, from names, "" for one who is not known."""
    return (speaker or NOBODY) + (f"{ADDRESSED}{addressee}" if addressee else "")


def may_speak(name: str) -> bool:
    """Check whether the name of a cluster can be that of a speaker."""
    return ADDRESSED not in name and name not in (NOBODY, GOES_ON)


def _check_label(label: str, place: Place, column: int) -> None:
    speaker, sign, addressee = label.partition(ADDRESSED)
    if not speaker or bool(sign) != bool(addressee) or not may_speak(addressee):
        fail(place, column, f"found `[{label}`, expected {QUOTATION_FORMS}.")


def read_labelled(lines: Sequence[Line], sentence: Sentence, problems: Stop) -> list[LabelledSpan]:
    """Read the labelled spans of a sentence.

    lines (Sequence[Line]): The lines under the sentence, without their `[]`. One without words is left out.
    sentence (Sentence): The sentence that they annotate.
    problems (Stop): What is done about a line that is malformed, or a span that has a label twice.
    RETURNS (list[LabelledSpan]): The spans in token offsets of the document.
    """
    found: list[LabelledSpan] = []
    for line in lines:
        with reporting(problems):
            if not line.body.strip():
                continue
            text, brackets = parse_frame(line, "line of labelled spans", LABELLED_FORMS, nest=True)
            check_words(text, line, sentence, LABELLED)
            for bracket in brackets:
                with reporting(problems):
                    span = LabelledSpan(*align(bracket, sentence, line.place, "a labelled span"), bracket.label)
                    if span in found:
                        marked = f"{str(text)[bracket.start : bracket.end]!r} is marked twice as {bracket.label!r}"
                        fail(line.place, bracket.open_column, f"{marked}. Remove one pair of brackets.")
                    found.append(span)
    return found
