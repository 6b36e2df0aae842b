"""The lines of a text, in blocks, and what one tells by itself: quoted, an item, a header of a mail, full."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

QUOTED = re.compile(r"(?:>\s*)+")
BULLET = r"[-*+•‣◦▪●○·]"
NUMBER = (
    r"\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+|(?:[A-Za-z]|[ivx]+|[IVX]+)[.)]|"
    r"[(\[](?:\d{1,3}|[A-Za-z]|[ivx]+)[)\]]"
)
ITEM = re.compile(rf"(?:{BULLET}|{NUMBER}|\[[ xX]\])\s+(?=\S)")
HEADER = re.compile(r"(from|to|cc|bcc|subject|date|sent|reply-to)\s*:(?:\s|$)", re.IGNORECASE)
MORE_HEADERS = re.compile(r"[A-Z][\w-]*\s?:\s")
SENTENCE_END = re.compile(r"(?:(?<!\b[A-Z])\.|[!?:…])['\"’”)\]*_]*$")  # an initial ends none


class Line(NamedTuple):
    """A line that is not blank.

    start (int): Where its text starts.
    text (str): What it says, without white space at both ends, and without the marks before a line that a mail quotes.
    indent (int): The characters before it in its line.
    first (int): Its first character that is not white space.
    """

    start: int
    text: str
    indent: int
    first: int


Block = list[Line]
"""Lines without a blank line between them: a paragraph, a stanza, a list."""


def read_blocks(text: str) -> list[Block]:
    """The lines of a text, block by block. Lines that a mail quotes are in blocks of their own."""
    blocks: list[Block] = [[]]
    end = depth = 0
    for raw in text.split("\n"):
        line = raw.strip()
        indent = len(raw) - len(raw.lstrip())
        first = end + indent
        quoted = QUOTED.match(line)
        if quoted is not None:
            indent += quoted.end()
            line = line[quoted.end() :]
        marks = 0 if quoted is None else quoted[0].count(">")
        if not line or marks != depth:
            blocks.append([])
            depth = marks
        if line:
            blocks[-1].append(Line(end + indent, line, indent, first))
        end += len(raw) + 1
    return [block for block in blocks if block]


def is_wrapped(block: Block) -> bool:
    """Check whether the lines of a block may be those of a longer line that was wrapped."""
    width = max(line.indent + len(line.text) for line in block)
    return all(is_full(line, after, width) for line, after in pairwise(block))


def is_full(line: Line, after: Line, width: int) -> bool:
    """Check whether the first word of the next line would not have fitted, with two spaces."""
    return line.indent + len(line.text) + 2 + len(after.text.split(None, 1)[0]) > width


def header_lines(block: Block) -> Iterator[int]:
    """The headers of a mail in a block: two of them at least, one after the other, and what follows in their form."""
    known = [HEADER.match(line.text) is not None for line in block]
    goes_on = False
    for i, line in enumerate(block) if any(known) else ():
        pair = known[i] and sum(known[max(0, i - 1) : i + 2]) > 1
        goes_on = pair or (goes_on and MORE_HEADERS.match(line.text) is not None)
        if goes_on:
            yield i
