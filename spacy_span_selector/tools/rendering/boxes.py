"""The words of a document as markup, with boxes around spans, which may nest and even cross."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import Generic, NamedTuple, TypeVar

from spacy.attrs import IDX, IS_SPACE, ORTH, SPACY
from spacy.tokens import Doc

from ...documents.layout import TextLine, find_lines

Item = TypeVar("Item")
Part = tuple[int, int, Item]
"""Words, by token offsets, and what they are."""

BOXED_LINES = ("heading", "row")
"""Kinds of lines that look otherwise than running text."""
DEEPEST = 24
"""A line is indented by so many characters at most."""


class LineWords(NamedTuple):
    """The words of a line, by token offsets, and the line."""

    start: int
    end: int
    line: TextLine

    def open_box(self, height: int, resumed: bool) -> str:
        """The opening tag of a box around it. Headings are found by those who listen to a page, too."""
        heading = ' role="heading" aria-level="3"' if self.line.kind == "heading" and not resumed else ""
        return f'<mark class="{self.line.kind}"{heading}>'

    def indent(self) -> str:
        """The white space before it."""
        depth = min(self.line.indent, DEEPEST)
        return f'<span class="indent">{" " * depth}</span>' if depth else ""


class Words:
    """The words of a document, escaped, and the lines of its text.

    doc (Doc): The document.
    """

    def __init__(self, doc: Doc) -> None:
        """Read the words of a document, once for all that is shown of it."""
        orths, spaced = doc.to_array([ORTH, SPACY]).reshape(-1, 2).T.tolist()
        known = {orth: doc.vocab.strings[orth] for orth in set(orths)}
        escaped = {orth: escape(text) for orth, text in known.items()}
        is_word = {orth: any(map(str.isalnum, text)) for orth, text in known.items()}
        self.texts = [escaped[orth] for orth in orths]
        self.spaces = [" " if space else "" for space in spaced]
        text = "".join(map(str.__add__, map(known.__getitem__, orths), self.spaces))
        self.lines = {line.start: line for line in _find_lines(doc, text)}
        self._spaced = list(map(str.__add__, self.texts, self.spaces))
        self._words_before = [0, *accumulate(is_word[orth] for orth in orths)]

    def has_words(self, start: int, end: int) -> bool:
        """Check whether there is anything but punctuation and white space between two tokens."""
        return self._words_before[max(start, end)] > self._words_before[start]

    def first(self, start: int, end: int) -> int:
        """The first token between two that is no white space, or else the first."""
        return next((i for i in range(start, end) if not self.texts[i].isspace()), start)

    def between(self, start: int, end: int) -> str:
        """The markup of words, without the space after them."""
        return "".join(self._spaced[start : end - 1]) + self.texts[end - 1]

    def spaced(self, start: int, end: int) -> str:
        """The markup of words, with the space after them."""
        return "".join(self._spaced[start:end])

    def line_end(self, place: int) -> str:
        """What stands before a token that begins a line, if anything stands before it in its sentence."""
        words = self.lines[place]
        return ('<span class="gap"></span>' if words.line.apart else "<br>") + words.indent()


def boxed(
    words: Words,
    start: int,
    end: int,
    spans: Sequence[Part[Item]],
    open_box: Callable[[Item, int, bool], str],
    lines: Sequence[int] = (),
) -> str:
    """Words with a `<mark>` around each span. Of two spans that cross, the later one continues in a second box.

    words (Words): The words of the document.
    start, end (int): Those that are shown.
    spans (Sequence[Part[Item]]): The spans that start in them. Of equal ones, the first is the outer box.
    open_box (Callable[[Item, int, bool], str]): Makes the opening tag of a box of an item, with what comes first in it.
        It is given how many boxes are stacked there, the box itself included, and whether it continues another one.
    lines (Sequence[int]): The words that begin lines.
    RETURNS (str): The markup. All text is escaped.
    """
    ordered = sorted(spans, key=lambda span: span[0])
    if not lines and all(one[1] <= other[0] for one, other in pairwise(ordered)) and spans and ordered[-1][1] <= end:
        return _side_by_side(words, start, end, ordered, open_box)
    starting: dict[int, list[Part[Item]]] = {}
    for span in sorted(spans, key=lambda span: span[0] - span[1]):  # the longest first
        starting.setdefault(span[0], []).append(span)
    pieces: list[str] = []
    opened: list[_Box[Item]] = []  # boxes around the word, the outermost first

    def close(depth: int) -> None:
        """Close all boxes but the outermost ones; only now it is known how many each has in it."""
        while len(opened) > depth:
            box = opened.pop()
            pieces[box.place] = open_box(box.item, box.height, box.resumed)
            pieces.append("</mark>")
            if opened:
                opened[-1].height = max(opened[-1].height, box.height + 1)

    here = start
    for place in sorted({*starting, *(span[1] for span in spans), *lines}):
        if not start <= place < end:
            continue
        if here < place:
            pieces.append(words.between(here, place))
        kept = next((depth for depth, box in enumerate(opened) if box.end <= place), len(opened))
        resumed = [(box.end, box.item, True) for box in opened[kept:] if box.end > place]
        close(kept)
        if here < place:
            pieces.append(words.spaces[place - 1])
        if place in lines:
            pieces.append(words.line_end(place))
        for box_end, item, is_resumed in [
            *resumed,
            *((stop, item, False) for _, stop, item in starting.get(place, ())),
        ]:
            opened.append(_Box(box_end, item, is_resumed, len(pieces)))
            pieces.append("")
        here = place
    if here < end:
        pieces.append(words.between(here, end))
    close(0)
    return "".join(pieces)


def _side_by_side(
    words: Words, start: int, end: int, spans: Sequence[Part[Item]], open_box: Callable[[Item, int, bool], str]
) -> str:
    """Words with a `<mark>` around each span, where no box is in another: most frames are so, and this takes half the
    time."""
    pieces: list[str] = []
    here = start
    for first, last, item in spans:
        pieces += [words.spaced(here, first), open_box(item, 1, False), words.between(first, last), "</mark>"]
        if last < end:
            pieces.append(words.spaces[last - 1])
        here = last
    if here < end:
        pieces.append(words.between(here, end))
    return "".join(pieces)


class _Box(Generic[Item]):
    """A box that is open.

    end (int): The token that it ends before.
    item (Item): What it is.
    resumed (bool): Whether it continues another one.
    place (int): Where its opening tag belongs among the pieces.
    height (int): How many boxes are stacked there so far.
    """

    def __init__(self, end: int, item: Item, resumed: bool, place: int) -> None:
        self.end = end
        self.item = item
        self.resumed = resumed
        self.place = place
        self.height = 1


def _find_lines(doc: Doc, text: str) -> list[LineWords]:
    """The lines of a document, by its tokens; a line that begins within one begins with the next."""
    found: list[LineWords] = []
    if "\n" not in text.strip():
        return found
    offsets, blank = doc.to_array([IDX, IS_SPACE]).T.tolist()
    places = [i for i, is_blank in enumerate(blank) if not is_blank]
    starts = [offsets[i] for i in places]
    for line in find_lines(text):
        first, last = bisect_left(starts, line.start), bisect_left(starts, line.end)
        if first < last:
            found.append(LineWords(places[first], places[last - 1] + 1, line))
    return found
