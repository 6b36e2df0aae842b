"""The text of a document as markup, with boxes around spans, which may nest and even cross."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import NamedTuple, Protocol

from spacy.attrs import IDX, IS_SPACE, ORTH, SPACY
from spacy.tokens import Doc

from ...documents.layout import TextLine, find_lines

BOXED_LINES = ("heading", "row")  # kinds of lines that look otherwise than running text
DEEPEST = 24  # characters by which a line is indented at most


def data(**values: str | float | None) -> str:
    """Attributes of an element with what the script of the page must know, except for what is None or empty."""
    known = {name: f"{value:.3f}" if isinstance(value, float) else value for name, value in values.items()}
    return "".join(f' data-{name}="{escape(str(value))}"' for name, value in known.items() if value not in (None, ""))


class Box(Protocol):
    """What a box is drawn around."""

    def open_box(self, height: int, resumed: bool) -> str:
        """The opening tag of the outermost of so many boxes, which may continue another, and what comes first in it."""


Part = tuple[int, int, Box]  # the first token in a box, the one that it ends before, what it is drawn around


class ShownLine(NamedTuple):
    """A line by its tokens, end exclusive."""

    start: int
    end: int
    line: TextLine

    def open_box(self, height: int, resumed: bool) -> str:
        # Headings are found by those who listen to a page, too.
        heading = ' role="heading" aria-level="3"' if self.line.kind == "heading" and not resumed else ""
        return f'<mark class="{self.line.kind}"{heading}>'

    def indent(self) -> str:
        depth = min(self.line.indent, DEEPEST)
        return f'<span class="indent">{" " * depth}</span>' if depth else ""


class TextMarkup:
    """The words of a document, escaped, and the lines of its text, by their first tokens: read once for all uses."""

    def __init__(self, doc: Doc) -> None:
        orths, spaced = doc.to_array([ORTH, SPACY]).reshape(-1, 2).T.tolist()
        known = {orth: doc.vocab.strings[orth] for orth in set(orths)}
        escaped = {orth: escape(text) for orth, text in known.items()}
        is_word = {orth: any(map(str.isalnum, text)) for orth, text in known.items()}
        spaces = [" " if space else "" for space in spaced]
        text = "".join(known[orth] + space for orth, space in zip(orths, spaces, strict=True))
        self.lines = {line.start: line for line in _find_lines(doc, text)}
        self._words = [escaped[orth] for orth in orths]
        self._spaced = list(map(str.__add__, self._words, spaces))
        self._words_before = [0, *accumulate(is_word[orth] for orth in orths)]

    def has_words(self, start: int, end: int) -> bool:
        """Check whether there is anything but punctuation and white space between two tokens."""
        return self._words_before[max(start, end)] > self._words_before[start]

    def first(self, start: int, end: int) -> int:
        """The first token between two that is no white space, or else the first."""
        return next((i for i in range(start, end) if not self._words[i].isspace()), start)

    def between(self, start: int, end: int) -> str:
        """The words between two tokens, without the space after them."""
        return "".join(self._spaced[start : end - 1]) + self._words[end - 1]

    def space(self, token: int) -> str:
        return self._spaced[token][len(self._words[token]) :]

    def line_end(self, token: int) -> str:
        """What stands before a token that begins a line, if anything stands before it in its sentence."""
        shown = self.lines[token]
        return ('<span class="gap"></span>' if shown.line.apart else "<br>") + shown.indent()


def boxed(text: TextMarkup, start: int, end: int, parts: Sequence[Part], line_starts: Collection[int] = ()) -> str:
    """The words between two tokens, with a `<mark>` around each part that starts in them, and line ends.

    Of equal parts the first is the outer box; of two that cross, the later one continues in a second box.
    """
    starting: dict[int, list[_OpenBox]] = {}
    for first, last, item in sorted(parts, key=lambda part: part[0] - part[1]):  # the longest first
        starting.setdefault(first, []).append(_OpenBox(last, item))
    pieces: list[str] = []
    opened: list[_OpenBox] = []  # boxes around the word, the outermost first

    def close(depth: int) -> None:
        """Close all boxes but the outermost ones. How many each has in it, which its tag says, is known only now."""
        while len(opened) > depth:
            box = opened.pop()
            pieces[box.place] = box.item.open_box(box.height, box.resumed)
            pieces.append("</mark>")
            if opened:
                opened[-1].height = max(opened[-1].height, box.height + 1)

    here = start
    for place in sorted({*starting, *(part[1] for part in parts), *line_starts}):
        if not start <= place < end:
            continue
        if here < place:
            pieces.append(text.between(here, place))
        # A box that ends here may have others in it that go on. These are closed with it, and opened again.
        kept = next((depth for depth, box in enumerate(opened) if box.end <= place), len(opened))
        again = [_OpenBox(box.end, box.item, resumed=True) for box in opened[kept:] if box.end > place]
        close(kept)
        if here < place:
            pieces.append(text.space(place - 1))
        if place in line_starts:
            pieces.append(text.line_end(place))
        for box in again + starting.get(place, []):
            box.place = len(pieces)
            opened.append(box)
            pieces.append("")
        here = place
    if here < end:
        pieces.append(text.between(here, end))
    close(0)
    return "".join(pieces)


@dataclass
class _OpenBox:
    """A box that is open, `place` where its opening tag belongs among the pieces of the markup."""

    end: int
    item: Box
    resumed: bool = False
    height: int = 1
    place: int = 0


def _find_lines(doc: Doc, text: str) -> list[ShownLine]:
    """The lines of a document; one that begins within a token begins with the next."""
    found: list[ShownLine] = []
    if "\n" not in text.strip():
        return found
    offsets, blank = doc.to_array([IDX, IS_SPACE]).T.tolist()
    tokens = [i for i, is_blank in enumerate(blank) if not is_blank]
    starts = [offsets[i] for i in tokens]
    for line in find_lines(text):
        first, last = bisect_left(starts, line.start), bisect_left(starts, line.end)
        if first < last:
            found.append(ShownLine(tokens[first], tokens[last - 1] + 1, line))
    return found
