"""Classify the lines of a text: paragraphs, items of lists, verses, rows, headers, greetings, labels of turns.

A line end alone says nothing, since a text may be wrapped at any column. A paragraph counts as wrapped if each line is
full: the first word of the next one would not have fitted. Within such a paragraph a line is special only where a
sentence may end. So a text has the same sentences wrapped and on one line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

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

QUOTED = re.compile(r"(?:>\s*)+")
HEADING = re.compile(r"#{1,6}\s")
BULLET = r"[-*+•‣◦▪●○·]"
NUMBER = (
    r"\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+|(?:[A-Za-z]|[ivx]+|[IVX]+)[.)]|"
    r"[(\[](?:\d{1,3}|[A-Za-z]|[ivx]+)[)\]]"
)
ITEM = re.compile(rf"(?:{BULLET}|{NUMBER}|\[[ xX]\])\s+(?=\S)")
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
HEADER = re.compile(r"(from|to|cc|bcc|subject|date|sent|reply-to)\s*:(?:\s|$)", re.IGNORECASE)
MORE_HEADERS = re.compile(r"[A-Z][\w-]*\s?:\s")
ASIDE = re.compile(r"\[\W*\w[^\]]*\]\W*|\(\W*\w[^)]*\)\W*|[\d:.,]+ --> [\d:.,]+")  # the last is the time of a subtitle
CELLS = re.compile(r"\t|\s\|\s|^\|")
COLUMNS = re.compile(r"[^\s.!?:;,\"'”’)] {3,}\S")
SENTENCE_END = re.compile(r"(?:(?<!\b[A-Z])\.|[!?:…])['\"’”)\]*_]*$")  # an initial ends none

STAMP = r"(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:,\s*|T|\s+))?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
TIME = re.compile(rf"\u200e?(?:\[{STAMP}\]|{STAMP})(?:\s+[-–])?\s+(?=\S)")
CHAT_NAME = re.compile(r"<\s*[@+%~&]?([^<>]{1,40}?)\s*>(?:\s+|$)|([^\s:<>\[\]][^:<>\[\]]{0,39}?)\s*:(?:\s+|$)")
NAME_AND_TIME = re.compile(rf"([^\s:\[\]()<>][^:\[\]()<>]{{0,39}}?)\s+(?:[\[(]{STAMP}[\])]\s*:?(?:\s+|$)|{STAMP}$)")
COLON = re.compile(r"([^\W_][^:\[\]<>()\"“”]{0,39}?)(?:\s*[(\[][^)\]]{1,40}[)\]])?\s*:(?:\s+|$)")
PERIOD = re.compile(r"((?:(?:DR|MR|MRS|MS|ST)\. )?[^\W\d_][^\s.:]*(?: [^\s.:]+){0,3})\.\s+(?=\S)")
ALONE = re.compile(
    r"((?:(?:DR|MR|MRS|MS|ST)\. )?[^\W\d_][^.:()\[\]!?,;\"“”]{1,30}?)\.?(?:\s*[(\[][^)\]]{1,30}[)\]])?\.?"
)
NO_NAME = re.compile(
    r"(?:act|scene|prologue|epilogue|chapter|book|part|int|ext|fade|cut|the end|end|dramatis|persons|enter|exit|exeunt|"
    r"notes?|nb|ps|p\.s|tips?|warning|re|https?)\b",
    re.IGNORECASE,
)
WITHIN_NAMES = frozenset({"of", "the", "and", "de", "la", "van", "von", "der", "&", "to", "a"})


STYLES = ("chat", "colon", "period", "alone")
"""How a text may say who speaks: "[12:03] Ann: hi"; "Ann: hi"; "ANN. Hi"; "ANN" in a line of its own."""


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


class Label(NamedTuple):
    """The words before a turn that say who speaks.

    start, end (int): Where they are, with their punctuation.
    name (str): The speaker; empty if what follows is spoken by nobody.
    """

    start: int
    end: int
    name: str
    style: str


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
    return all(_is_full(line, after, width) for line, after in pairwise(block))


def find_breaks(text: str) -> list[Break]:
    """Find where the layout of a text begins sentences, in order: at paragraphs, and at lines that stand alone."""
    breaks = []
    for block, kinds, labels in _classified(text):
        for i, (line, kind) in enumerate(zip(block, kinds, strict=True)):
            if _stands(block, kinds, i):
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
        flows = _flows(block)
        if _is_table(block):
            kinds = ["row"] * len(block)
        titled = number + 1 < len(classified) and len(block) <= HEADING_LINES and all(map(_is_title, block))
        for i, (line, kind) in enumerate(zip(block, kinds, strict=True)):
            end = line.start + len(line.text)
            if flows(i) and not _stands(block, kinds, i):
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


def _stands(block: Block, kinds: Sequence[str], i: int) -> bool:
    """Check whether a line begins a sentence."""
    if i == 0 or kinds[i] in BEGINS:
        return True
    return (kinds[i] != "folded" and kinds[i - 1] in ENDS) or _ends_item(block, kinds, i)


def _flows(block: Block) -> Callable[[int], bool]:
    """Check whether lines go on in the same line as those before them: lines of prose that was wrapped are wide, most
    of them are full, and not all begin with capitals. A line that is not full and ends a sentence ends a paragraph."""
    width = max(line.indent + len(line.text) for line in block)
    full = [True, *(_is_full(line, after, width) for line, after in pairwise(block))]
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


def _ends_item(block: Block, kinds: Sequence[str], i: int) -> bool:
    """Check whether a line goes on after a list: the item could have gone on in its line, but does not."""
    line, before = block[i], block[i - 1]
    width = max(line.indent + len(line.text) for line in block)
    return (
        kinds[i - 1] in ("item", "more")
        and before.indent >= line.indent
        and _is_capital(line)
        and not _is_full(before, line, width)
    )


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


def header_lines(block: Block) -> Iterator[int]:
    """The headers of a mail in a block: two of them at least, one after the other."""
    if not any(map(HEADER.match, [line.text for line in block])):
        return
    for i, line in enumerate(block):
        near = [other.text for other in block[max(0, i - 1) : i + 2]]
        pair = sum(HEADER.match(other) is not None for other in near) > 1
        if HEADER.match(line.text) and pair:
            yield i
            yield from takewhile(lambda k: MORE_HEADERS.match(block[k].text), range(i + 1, len(block)))


def _find_verses(blocks: Sequence[Block]) -> set[int]:
    """Lines of verse: in a run of stanzas all are short and begin with capitals, and many are not full."""
    runs = groupby(blocks, lambda block: all(len(line.text) <= SHORT and _is_capital(line) for line in block))
    return {start for may_be, run in runs if may_be for start in _verses_of(list(run))}


def _verses_of(run: Sequence[Block]) -> set[int]:
    lines = [line for block in run for line in block]
    if len(lines) < VERSES:
        return set()
    width = max(line.indent + len(line.text) for line in lines)
    full = [_is_full(line, after, width) for block in run for line, after in pairwise(block)]
    return {line.start for line in lines} if 4 * full.count(False) >= len(full) > 0 else set()


def _is_full(line: Line, after: Line, width: int) -> bool:
    """Check whether the first word of the next line would not have fitted, with two spaces."""
    return line.indent + len(line.text) + 2 + len(after.text.split(None, 1)[0]) > width


def _is_capital(line: Line) -> bool:
    """Check whether a line begins with a capital or a figure, behind any marks."""
    first = next(filter(str.isalnum, line.text), "")
    return first.isupper() or first.isdigit()


def find_labels(blocks: Sequence[Block], styles: Sequence[str] = STYLES) -> list[Label]:
    """The labels of turns, in the style that has the most; chats come first.

    Among all styles, a single label counts only at the start of the text.

    styles (Sequence[str]): The styles to look for, if not for all.
    """
    found: dict[str, list[Label]] = {style: [] for style in styles}
    for block in blocks:
        wrapped = len(block) > 1 and is_wrapped(block)
        headers = set(header_lines(block))
        inside: dict[str, list[tuple[int, Label]]] = {style: [] for style in styles}
        for i, line in enumerate(block):
            after = block[i + 1] if i + 1 < len(block) else None
            for style in styles if i not in headers else ():
                if label := _read_label(line, after, style):
                    inside[style].append((i, label))
                    break
        for style, read in inside.items():
            certain = style == "chat" or not wrapped or 2 * len(read) >= len(block)
            found[style] += [
                label for i, label in read if certain or i == 0 or SENTENCE_END.search(block[i - 1].text) is not None
            ]
    named = {style: [label for label in labels if label.name] for style, labels in found.items()}
    best = max(named, key=lambda style: (style == "chat" and len(named[style]) > 1, len(named[style])), default="")
    if not best or not named[best]:
        return []
    if styles is STYLES and len(named[best]) == 1 and named[best][0].start != blocks[0][0].start:
        return []
    return found[best]


def _read_label(line: Line, after: Line | None, style: str) -> Label | None:
    """The label that a line begins with, in one style."""
    text = line.text
    name: str | None = None
    end = 0
    if style == "chat":
        if time := TIME.match(text):
            match = CHAT_NAME.match(text, time.end())
            name, end = (match[1] or match[2], match.end()) if match else ("", time.end())
        elif (match := NAME_AND_TIME.match(text)) and is_name(match[1]):
            name, end = match[1], match.end()
    elif style == "colon":
        if (match := COLON.match(text)) and is_name(match[1]):
            name, end = match[1], match.end()
    elif style == "period":
        if (match := PERIOD.match(text)) and _is_name_in_capitals(match[1]):
            name, end = match[1], match.end()
    elif after and not after.text.isupper() and (match := ALONE.fullmatch(text)) and _is_name_in_capitals(match[1]):
        name, end = match[1], len(text)
    return None if name is None else Label(line.start, line.start + end, " ".join(name.split()), style)


def is_name(text: str) -> bool:
    """Check whether words may be the name of a speaker: a few that begin with capitals."""
    words = text.split()
    if len(words) > 5 or NO_NAME.match(text) or not words[0][0].isupper():
        return False
    return all(not word[0].isalpha() or word[0].isupper() or word in WITHIN_NAMES for word in words)


def _is_name_in_capitals(text: str) -> bool:
    return text.isupper() and len(text) > 1 and is_name(text) and not ITEM.match(f"{text}. x")
