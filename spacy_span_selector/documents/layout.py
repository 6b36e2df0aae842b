"""Classify the lines of a text: paragraphs, items of lists, verses, rows, headers, greetings, labels of turns.

A line end alone says nothing, since a text may be wrapped at any column. A paragraph counts as wrapped if each line is
full: the first word of the next one would not have fitted. Within such a paragraph a line is special only where a
sentence may end. So a text has the same sentences wrapped and on one line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from .labels import Label, find_labels
from .lines import ITEM, SENTENCE_END, Block, Line, header_lines, is_full, is_wrapped, read_blocks

SHORT = 60
"""Lines of verse and of signatures have at most so many characters."""
VERSES = 3
"""So many lines that begin with capitals may be verse."""
SIGNATURE = 6
"""A signature has at most so many lines."""
NARROW, WIDE, WIDEST = 40, 100, 120
"""Nobody wraps prose to lines shorter or longer than the first and the last. Of lines longer than the second, many are
paragraphs: one that ends a sentence is."""
RAGGED, RAGGED_VERSE = 0.5, 0.25
"""If such a share of lines is not full, each stands for itself: of any lines, and of those as short as verse."""
CAPITAL_LINES = 5
"""So many lines that all begin with capitals are no prose that was wrapped."""
HEADING_LINES = 3
"""A heading has at most so many lines."""
SMALL_WORDS = frozenset(
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to"]
)
"""Words of a heading that have no capitals."""

HEADING = re.compile(r"#{1,6}\s")
GREETING = re.compile(
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|to whom it may concern)\b[^.?;]{0,50}"
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof)\.[^.?;]{0,40})?[,:!]?",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"(?:(?:(?:with|kind|kindest|best|warm|warmest|many) )*(?:regards|wishes|thanks)|all the best|best|cheers|love|"
    r"thank you|thanks(?: again| a lot| so much)?|take care|talk soon|see you(?: soon)?|cordially|respectfully|"
    r"(?:(?:yours|very) )*(?:sincerely|truly|faithfully|ever)(?: yours)?|yours)[,.!]?|--",
    re.IGNORECASE,
)
ASIDE = re.compile(r"\[\W*\w[^\]]*\]\W*|\(\W*\w[^)]*\)\W*|[\d:.,]+ --> [\d:.,]+")  # the last is the time of a subtitle
CELLS = re.compile(r"\t|\s\|\s|^\|")
COLUMNS = re.compile(r"[^\s.!?:;,\"'”’)] {3,}\S")


class Break(NamedTuple):
    """A place where the layout begins a sentence.

    words (int): Where its words begin, behind the mark of an item.
    """

    start: int
    words: int


class TextLine(NamedTuple):
    """A line of a text as a reader should see it.

    start, end (int): Where its words are; between them may be the line ends of prose that was wrapped.
    kind (str): Its kind, such as "heading", "row" or "verse"; "" for running text.
    apart (bool): Whether a blank line is before it.
    indent (int): How far it stands from the edge, where that says something.
    """

    start: int
    end: int
    kind: str
    apart: bool
    indent: int


def find_breaks(text: str) -> list[Break]:
    """Find where the layout of a text begins sentences, in order: at paragraphs, and at lines that stand alone."""
    breaks = []
    for block, kinds, labels in _classified(text):
        width = _width(block)
        for i, (line, kind) in enumerate(zip(block, kinds, strict=True)):
            if _stands(block, kinds, i, width):
                item = ITEM.match(line.text)
                marked = item is not None and (kind == "item" or i == 0)
                breaks.append(Break(line.first, line.start + (item.end() if item and marked else 0)))
            if kind == "label" and labels[line.start].name:
                end = labels[line.start].end
                breaks.append(Break(end, end))
    return breaks


def find_lines(text: str) -> list[TextLine]:
    """Find the lines that a reader should see, in order: those of prose that was wrapped are one."""
    found: list[TextLine] = []
    classified = list(_classified(text))
    for number, (block, kinds, _) in enumerate(classified):
        width, flows = _width(block), _flows(block)
        if _is_table(block):
            kinds = ["row"] * len(block)
        titled = number + 1 < len(classified) and len(block) <= HEADING_LINES and all(map(_is_title, block))
        for i, (line, kind) in enumerate(zip(block, kinds, strict=True)):
            end = line.start + len(line.text)
            if flows(i) and not _stands(block, kinds, i, width):
                found[-1] = found[-1]._replace(end=end)
                continue
            before = text[found[-1].end if found else 0 : line.first]
            stays = kind in INDENTED or (kind == "" and len(block) > 1 and not flows(i))
            indent = before.rpartition("\n")[2] if stays else ""
            shown = "heading" if titled and kind in ("", "verse") else kind
            found.append(
                TextLine(line.first, end, shown, bool(found) and before.count("\n") > 1, len(indent.expandtabs(4)))
            )
    return found


BEGINS = frozenset({"item", "header", "label", "closing", "signature", "row", "verse", "aside", "heading"})
"""Kinds of lines that begin a sentence."""
ENDS = frozenset({"header", "folded", "greeting", "closing", "signature", "row", "verse", "aside", "heading"})
"""Kinds of lines that end one."""


INDENTED = frozenset({"item", "more", "verse", "folded"})
"""Kinds of lines whose distance from the edge says something."""


def _classified(text: str) -> Iterator[tuple[Block, list[str], dict[int, Label]]]:
    """The blocks of a text, each with the kinds of its lines, and the labels of turns by where they start."""
    blocks = read_blocks(text)
    labels = {label.start: label for label in find_labels(blocks)}
    if len(labels) == 1:  # such as "Note: ..."
        labels = {}
    verses = _find_verses(blocks)
    closed = False  # whether a closing ends the block before
    for block in blocks:
        kinds = _find_kinds(block, labels, verses, closed)
        yield block, kinds, labels
        closed = kinds[-1] == "closing"


def _width(lines: Sequence[Line]) -> int:
    return max(line.indent + len(line.text) for line in lines)


def _stands(block: Block, kinds: Sequence[str], i: int, width: int) -> bool:
    """Check whether a line of a block of this width begins a sentence."""
    if i == 0 or kinds[i] in BEGINS:
        return True
    return (kinds[i] != "folded" and kinds[i - 1] in ENDS) or _ends_item(block, kinds, i, width)


def _flows(block: Block) -> Callable[[int], bool]:
    """Check whether lines go on in the same line as those before them: lines of prose that was wrapped are wide, most
    of them are full, and not all begin with capitals. A line that is not full and ends a sentence ends a paragraph."""
    width = _width(block)
    full = [True, *(is_full(line, after, width) for line, after in pairwise(block))]
    ragged = full.count(False)
    share = RAGGED_VERSE if width <= SHORT else RAGGED
    verse = len(block) >= CAPITAL_LINES and all(map(_is_capital, block))
    if not NARROW <= width <= WIDEST or verse or ragged >= share * (len(block) - 1) > 0:
        return lambda i: False
    return lambda i: (full[i] and width <= WIDE) or not SENTENCE_END.search(block[i - 1].text)


def _is_table(block: Block) -> bool:
    """Check whether most lines of a block have cells, also where they are as long as if they were wrapped."""
    return len(block) > 1 and 2 * sum(_has_cells(line, wrapped=False) for line in block) > len(block)


def _is_title(line: Line) -> bool:
    """Check whether a line may be a heading: short, without a mark at its end, and longer words with capitals."""
    text = line.text.rstrip(".") if line.text.isupper() else line.text
    if len(text) > SHORT or not text[-1:].isalnum() or GREETING.fullmatch(text) or CLOSING.fullmatch(text):
        return False
    words = re.findall(r"[^\W\d_][\w'’]*", text)
    return bool(words) and all(word[0].isupper() for word in words if word not in SMALL_WORDS)


def _find_kinds(block: Block, labels: dict[int, Label], verses: set[int], closed: bool) -> list[str]:
    """Classify each line of a block; "" for running text."""
    kinds = [""] * len(block)
    wrapped = is_wrapped(block)
    listed = 2 * sum(ITEM.match(line.text) is not None for line in block) >= len(block)
    headers = set(header_lines(block))
    for i, line in enumerate(block):
        before = kinds[i - 1] if i else ""
        if i in headers:
            kinds[i] = "header"
        elif before in ("header", "folded") and line.indent:
            kinds[i] = "folded"  # a long header, in several lines
        elif line.start in labels:
            kinds[i] = "label"
        elif len(line.text) <= SHORT and (
            before == "signature" or before == "closing" or (i == 0 and closed and len(block) <= SIGNATURE)
        ):
            kinds[i] = "signature"
        elif i and wrapped and _may_go_on(block[i - 1], labels) and not (listed and ITEM.match(line.text)):
            continue  # with the line before
        elif ITEM.match(line.text):
            kinds[i] = "item"
        elif before in ("item", "more") and line.indent:
            kinds[i] = "more"  # of the item
        elif HEADING.match(line.text):
            kinds[i] = "heading"
        elif ASIDE.fullmatch(line.text) and not (i and line.text[0] == "(" and _may_go_on(block[i - 1], labels)):
            kinds[i] = "aside"
        if kinds[i]:
            continue
        named = all(map(_is_capital, block[i + 1 : i + 2]))  # or the block ends
        if len(block) - i <= SIGNATURE + 1 and CLOSING.fullmatch(line.text) and named:
            kinds[i] = "closing"
        elif i == 0 and len(block) > 1 and _is_greeting(block, wrapped):
            kinds[i] = "greeting"
        elif line.start in verses:
            kinds[i] = "verse"
        elif _is_row(block, i, wrapped):
            kinds[i] = "row"
    return kinds


def _may_go_on(line: Line, labels: dict[int, Label]) -> bool:
    """Check whether a sentence may go on behind a line."""
    label = labels.get(line.start)
    return not SENTENCE_END.search(line.text) and (label is None or label.end < line.start + len(line.text))


def _ends_item(block: Block, kinds: Sequence[str], i: int, width: int) -> bool:
    """Check whether a line goes on after a list: the item could have gone on in its line, but does not."""
    line, before = block[i], block[i - 1]
    if kinds[i - 1] not in ("item", "more") or before.indent < line.indent or not _is_capital(line):
        return False
    return not is_full(before, line, width)


def _is_greeting(block: Block, wrapped: bool) -> bool:
    line, after = block[0], block[1]
    if len(line.text) > SHORT or not GREETING.fullmatch(line.text):
        return False
    ended = not line.text[-1].isalnum()
    return (_is_capital(after) and (ended or len(line.text.split()) < 4)) or (ended and not wrapped)


def _is_row(block: Block, i: int, wrapped: bool) -> bool:
    """Check whether a line is one of several with cells."""
    near = block[max(0, i - 1) : i + 2]
    if len(near) < 2 or not _has_cells(block[i], wrapped):
        return False
    return sum(_has_cells(line, wrapped) for line in near) > 1


def _has_cells(line: Line, wrapped: bool) -> bool:
    return CELLS.search(line.text) is not None or (not wrapped and COLUMNS.search(line.text) is not None)


def _find_verses(blocks: Sequence[Block]) -> set[int]:
    """Lines of verse: in a run of stanzas all are short and begin with capitals, and many are not full."""
    runs = groupby(blocks, lambda block: all(len(line.text) <= SHORT and _is_capital(line) for line in block))
    return {start for may_be, run in runs if may_be for start in _verses_of(list(run))}


def _verses_of(run: Sequence[Block]) -> set[int]:
    lines = [line for block in run for line in block]
    if len(lines) < VERSES:
        return set()
    width = _width(lines)
    full = [is_full(line, after, width) for block in run for line, after in pairwise(block)]
    return {line.start for line in lines} if 4 * full.count(False) >= len(full) > 0 else set()


def _is_capital(line: Line) -> bool:
    """Check whether a line begins with a capital or a figure, behind any marks."""
    first = next(filter(str.isalnum, line.text), "")
    return first.isupper() or first.isdigit()
