"""Mentions in the bracketed format: brackets in the line of the sentence, with a name after a bar.

    [[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].

Brackets of mentions may nest. Mentions with the same name are a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...annotation import Mention
from .lines import NAME_PATTERN, Bracket, Line, Place, Scanner, Sentence, align, fail
from .problems import Stop, reporting


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
