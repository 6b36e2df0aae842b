"""Words with boxes around spans, which may nest and even cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Generic, TypeVar

from spacy.tokens import Span

Item = TypeVar("Item")
Part = tuple[int, int, Item]
"""Words, by token offsets, and what they are."""


def boxed(words: Span, spans: Sequence[Part[Item]], open_box: Callable[[Item, int, bool], str]) -> str:
    """Words with a `<mark>` around each span. Of two spans that cross, the later one continues in a second box.

    words (Span): The words.
    spans (Sequence[Part[Item]]): The spans that start in them. Of equal ones, the first is the outer box.
    open_box (Callable[[Item, int, bool], str]): Makes the opening tag of a box of an item, with what comes first in it.
        It is given how many boxes are stacked there, the box itself included, and whether it continues another one.
    RETURNS (str): The markup. All text is escaped.
    """
    starting: dict[int, list[Part[Item]]] = {}
    for span in sorted(spans, key=lambda span: span[0] - span[1]):  # the longest first
        starting.setdefault(span[0], []).append(span)
    pieces: list[str] = []
    opened: list[_Box[Item]] = []  # boxes around the token, the outermost first
    space = ""

    def close(depth: int) -> None:
        """Close all boxes but the outermost ones; only now it is known how many each has in it."""
        while len(opened) > depth:
            box = opened.pop()
            pieces[box.place] = open_box(box.item, box.height, box.resumed)
            pieces.append("</mark>")
            if opened:
                opened[-1].height = max(opened[-1].height, box.height + 1)

    for token in words:
        kept = next((depth for depth, box in enumerate(opened) if box.end <= token.i), len(opened))
        resumed = [(box.end, box.item, True) for box in opened[kept:] if box.end > token.i]
        close(kept)
        pieces.append(space)
        for end, item, is_resumed in [*resumed, *((end, item, False) for _, end, item in starting.get(token.i, ()))]:
            opened.append(_Box(end, item, is_resumed, len(pieces)))
            pieces.append("")
        pieces.append(escape(token.text))
        space = token.whitespace_
    close(0)
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
