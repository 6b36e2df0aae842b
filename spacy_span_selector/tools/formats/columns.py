"""Columns of CoNLL files: row numbers, mentions as numbered brackets, labelled brackets around a star; and trees."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise
from typing import Any, NamedTuple, TypeVar

from spacy.tokens import Span

from ...annotation import Mention
from .reports import LONGEST_QUOTE, Report, shorten

COMMENT = "#"
NO_NUMBER = frozenset({"-", "_"})
NUMBER_THE_ROWS = (
    "Rows are missing, doubled or not in order: restore the file, or number the rows of each sentence 0, 1, 2, ..."
)
NUMBER = re.compile(r"[0-9]{1,9}")
EMPTY_CELL = "-"
EMPTY_CELLS = frozenset({"", EMPTY_CELL, "_"})
MENTION_PART = re.compile(r"\|?(?P<open>\()?(?P<cluster>[^()|]+)(?P<close>\))?")
MENTION_BRACKETS = "brackets of mentions that can't be read or have no partner"
REPEATED_MENTIONS = "mentions that are a second time in their cluster"
STARRED_CELL = re.compile(r"(?P<opens>(?:\([^()*]+)*)\*?(?P<closes>\)*)")
ARGUMENT_BRACKETS = "brackets of arguments that can't be read or have no partner"
REPEATED_ARGUMENTS = "arguments that are a second time in their frame"
FRAMES = "frames without a predicate that can be read"
PARSES = "parses that can't be read"
WRITABLE_LABEL = re.compile(r"[^\s()*]+")

Item = TypeVar("Item", bound=tuple[Any, ...])
LabelledSpan = tuple[int, int, str]
"""Start, end (exclusive) and label."""
BRACKET_OF_ESCAPE = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
ESCAPE_OF_BRACKET = {bracket: escape for escape, bracket in BRACKET_OF_ESCAPE.items()}
ESCAPE = re.compile("|".join(BRACKET_OF_ESCAPE))
BRACKET = re.compile("[" + re.escape("".join(ESCAPE_OF_BRACKET)) + "]")
LEAF = re.compile(r"\([^\s()]+\s+([^\s()]+)\s*\)")  # tag and word
BETWEEN_LEAVES = re.compile(r"(?P<closes>\)*)(?P<opens>(?:\([^()]+)*)")
FUNCTION_OF_PHRASE = re.compile(r"(?<=.)[-=].*")


class Row(NamedTuple):
    """The columns of a line; file and number of the line, for messages."""

    place: str
    columns: list[str]


def split_blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    """The lines between empty lines, such as those of a sentence, with their numbers; comments are left out."""
    lines = [(i, line) for i, line in enumerate(text.split("\n"), start=1) if not line.startswith(COMMENT)]
    for is_block, block in groupby(lines, key=lambda line: bool(line[1].strip())):
        if is_block:
            yield list(block)


def split_rows(text: str, source: object, n_columns: int) -> list[list[Row]]:
    """The rows of each sentence of a file, whose columns are separated by tabs."""
    sentences = [
        [Row(f"{source}:{number}", line.split("\t")) for number, line in block] for block in split_blocks(text)
    ]
    for place, columns in chain(*sentences):
        if len(columns) != n_columns:
            raise ValueError(f"{place}: found {len(columns)} columns separated by tabs, expected {n_columns}.")
    return sentences


def check_row_numbers(sentences: Sequence[Sequence[str]], place: Callable[[int], str]) -> None:
    """Check that the rows of a document are numbered one after the other.

    Numbers start at 0 in each sentence. Some tools start at 1, or go on over the whole document: that is as good.
    Without any number, all being `-` or `_`, nothing can be checked.

    sentences (Sequence[Sequence[str]]): The number of each row of each sentence, as it is written.
    place (Callable[[int], str]): File and line of a row of the document, for messages.
    RAISES (ValueError): If a number is not the one after that of the row before it.
    """
    found = list(chain(*sentences))
    if NO_NUMBER.issuperset(found):
        return
    lengths = [len(sentence) for sentence in sentences]
    conventions = [
        [str(number) for length in runs for number in range(first, first + length)]
        for first in (0, 1)
        for runs in (lengths, [len(found)])
    ]
    expected = max(conventions, key=lambda numbers: sum(map(str.__eq__, found, numbers)))
    for i, (number, wanted) in enumerate(zip(found, expected, strict=True)):
        if number != wanted:
            raise ValueError(f"{place(i)}: found row number {shorten(number)}, expected {wanted!r}. {NUMBER_THE_ROWS}")


def read_number(text: str) -> int | None:
    """The number that some digits write, None for anything else.

    Digits are 0 to 9: `str.isdigit` takes others as well, such as `²`, which Python can't convert, nor can it convert
    thousands of digits. No place in a corpus has more than nine.
    """
    return int(text) if NUMBER.fullmatch(text) else None


class Bracket(NamedTuple):
    """The content of a part of a cell.

    token (int): The token of the cell.
    opens (bool): Whether a mention starts here.
    cluster (str): Its cluster.
    closes (bool): Whether a mention ends here.
    """

    token: int
    opens: bool
    cluster: str
    closes: bool


def read_coreference_column(
    sentences: Sequence[Sequence[str]], place: Callable[[int], str], report: Report
) -> dict[str, list[Mention]]:
    """Read the clusters of a document from its coreference column.

    A bracket without a partner costs its mention alone. Where there is one, a bracket finds its partner only in its own
    sentence: the partners of two damaged mentions are not those of each other.

    sentences (Sequence[Sequence[str]]): One cell per token of each sentence: `(3` opens a mention of cluster 3, `3)`
        closes the one that was opened last, `(3)` is a mention of one token. Parts of a cell may be separated by `|`.
        An empty cell, `-` and `_` have no mention.
    place (Callable[[int], str]): File and line of a token, for messages.
    report (Report): Gets the brackets that can't be read or have no partner, and repeated mentions.
    RETURNS (dict[str, list[Mention]]): Token offsets of each cluster's mentions, by cluster.
    """
    brackets: list[Bracket] = []
    faults: list[tuple[int, str]] = []  # token and message
    sentence_numbers = [number for number, cells in enumerate(sentences) for _ in cells]
    for i, cell in enumerate(cell for cells in sentences for cell in cells):
        if cell not in EMPTY_CELLS:
            parts, complete = _split_cell(cell, i)
            brackets += parts
            if not complete:
                expected = "parts such as `(3`, `3)` or `(3)`"
                faults.append((i, f"found {shorten(cell)} in the coreference column, expected {expected}."))
    return pair_brackets(brackets, faults, sentence_numbers, place, report)


def pair_brackets(
    brackets: Sequence[Bracket],
    faults: Sequence[tuple[int, str]],
    sentence_numbers: Sequence[int],
    place: Callable[[int], str],
    report: Report,
) -> dict[str, list[Mention]]:
    """Find the mentions that brackets enclose.

    A bracket without a partner costs its mention alone. Where there is one, or another fault, a bracket finds its
    partner only in its own sentence.

    brackets (Sequence[Bracket]): The brackets of a document, from left to right.
    faults (Sequence[tuple[int, str]]): Token and message of what could not be read.
    sentence_numbers (Sequence[int]): The number of the sentence of each token.
    place (Callable[[int], str]): File and line of a token, for messages.
    report (Report): Gets the faults, the brackets that have no partner, and repeated mentions.
    RETURNS (dict[str, list[Mention]]): Token offsets of each cluster's mentions, by cluster.
    """
    clusters, unpaired = _pair_mentions(brackets, [0] * len(sentence_numbers))
    if faults or unpaired:
        clusters, unpaired = _pair_mentions(brackets, sentence_numbers)
    for i, message in sorted([*faults, *unpaired]):
        report.leave_out(MENTION_BRACKETS, f"{place(i)}: {message}")
    return {name: _without_repeated(mentions, name, place, report) for name, mentions in clusters.items()}


def write_coreference_column(clusters: Mapping[str, Sequence[Mention]], n_tokens: int) -> list[str]:
    """Write the clusters of a document to its coreference column.

    Of brackets that open at the same token, those that close first come first, then those of earlier clusters: the
    official scorer takes clusters in the order in which they first open, and this is the order of `set_clusters`.

    clusters (Mapping[str, Sequence[Mention]]): The mentions of each cluster by its number. The mentions of one cluster
        nest, because a bracket closes the mention of its cluster that was opened last.
    n_tokens (int): The number of tokens of the document.
    RETURNS (list[str]): A cell for each token, which `read_coreference_column` reads back.
    """
    cells: list[list[str]] = [[] for _ in range(n_tokens)]
    mentions = [(end, start, name) for name, mentions in clusters.items() for start, end in mentions]
    for end, start, name in sorted(mentions, key=lambda mention: mention[0]):
        if end - start > 1:
            cells[start].append(f"({name}")
    for end, start, name in mentions:
        if end - start == 1:
            cells[start].append(f"({name})")
    for end, start, name in sorted(mentions, key=lambda mention: -mention[1]):
        if end - start > 1:
            cells[end - 1].append(f"{name})")
    return ["|".join(parts) or EMPTY_CELL for parts in cells]


def _split_cell(cell: str, token: int) -> tuple[list[Bracket], bool]:
    """The parts of a cell that can be read, and whether these are all."""
    parts: list[Bracket] = []
    complete = True
    end = 0
    while end < len(cell):
        match = MENTION_PART.match(cell, end)
        if match is not None and (match["open"] or match["close"]):
            parts.append(Bracket(token, bool(match["open"]), match["cluster"], bool(match["close"])))
        else:
            complete = False
        end = end + 1 if match is None else match.end()
    return parts, complete


def _pair_mentions(
    brackets: Sequence[Bracket], sentence_numbers: Sequence[int]
) -> tuple[dict[str, list[Mention]], list[tuple[int, str]]]:
    """Pair the brackets of each cluster that are in the same sentence.

    brackets (Sequence[Bracket]): The brackets, from left to right.
    sentence_numbers (Sequence[int]): The number of the sentence of each token.
    RETURNS (tuple[dict[str, list[Mention]], list[tuple[int, str]]]): The mentions of each cluster; token and message of
        each bracket without a partner.
    """
    clusters: dict[str, list[Mention]] = {}
    opened: dict[tuple[int, str], list[int]] = {}
    faults: list[tuple[int, str]] = []
    for token, opens, cluster, closes in brackets:
        starts = opened.setdefault((sentence_numbers[token], cluster), [])
        if opens:
            starts.append(token)
        if closes and starts:
            clusters.setdefault(cluster, []).append((starts.pop(), token + 1))
        elif closes:
            name = cluster[:LONGEST_QUOTE]
            message = f"a mention of cluster {name} ends here, but none is open. Expected `({name}` at its first token."
            faults.append((token, message))
    for (_, cluster), starts in opened.items():
        name = cluster[:LONGEST_QUOTE]
        message = f"a mention of cluster {name} opens here and is never closed. Expected `{name})` at its last token."
        faults += [(token, message) for token in starts]
    return clusters, faults


def _without_repeated(
    mentions: Sequence[Mention], name: str, place: Callable[[int], str], report: Report
) -> list[Mention]:
    kept: dict[Mention, None] = {}
    for start, end in mentions:
        if (start, end) in kept:
            report.leave_out(REPEATED_MENTIONS, f"{place(start)}: cluster {shorten(name)}, {end - start} word(s).")
        kept[start, end] = None
    return list(kept)


def read_starred_column(cells: Sequence[str], place: Callable[[int], str]) -> list[LabelledSpan]:
    """Read the labelled spans of a sentence from one column, all or none.

    cells (Sequence[str]): One cell per token: `(ARG1*` opens a span, `*)` closes the span that was opened last, `(V*)`
        is a span of one token, `*` does neither. Spans may nest: `(TOP(S(NP*)`. The star of `(V)` may be missing.
    place (Callable[[int], str]): File and line of a token, for messages.
    RETURNS (list[LabelledSpan]): The spans, by start, outer spans first.
    RAISES (ValueError): If a cell has another form, or a bracket has no partner.
    """
    spans, faults = _pair_labels(cells, place)
    if faults:
        raise ValueError(faults[0])
    return spans


def read_arguments_column(cells: Sequence[str], place: Callable[[int], str], report: Report) -> list[LabelledSpan]:
    """Read the arguments of a predicate from one column, without those that can't be read.

    Arguments do not nest, so that a bracket without a partner says nothing about the other spans of its column. Those
    of a tree would all be in doubt: `read_starred_column` refuses it.

    cells (Sequence[str]): One cell per token, as for `read_starred_column`.
    place (Callable[[int], str]): File and line of a token, for messages.
    report (Report): Gets the cells that can't be read, the brackets without a partner, and repeated arguments.
    RETURNS (list[LabelledSpan]): The spans, by start, outer spans first.
    """
    spans, faults = _pair_labels(cells, place)
    for fault in faults:
        report.leave_out(ARGUMENT_BRACKETS, fault)
    kept: dict[LabelledSpan, None] = {}
    for span in spans:
        if span in kept:
            report.leave_out(REPEATED_ARGUMENTS, f"{place(span[0])}: {shorten(span[2])}.")
        kept[span] = None
    return [*kept]


def write_starred_column(spans: Sequence[LabelledSpan], tokens: range) -> list[str]:
    """Write the labelled spans of a sentence to one column.

    spans (Sequence[LabelledSpan]): Spans that nest, outer spans first. `WRITABLE_LABEL` matches their labels.
    tokens (range): The tokens of the sentence.
    RETURNS (list[str]): A cell for each token, which `read_starred_column` reads back.
    """
    opening, closing = dict.fromkeys(tokens, ""), dict.fromkeys(tokens, "")
    for start, end, label in spans:
        opening[start] += f"({label}"
        closing[end - 1] += ")"
    return [f"{opening[i]}*{closing[i]}" for i in tokens]


def _pair_labels(cells: Sequence[str], place: Callable[[int], str]) -> tuple[list[LabelledSpan], list[str]]:
    """The spans whose brackets have a partner, and a message about each other bracket."""
    spans: list[LabelledSpan | None] = []  # None: not closed
    labels: list[str] = []
    opened: list[tuple[int, int]] = []  # start, and position in `spans`
    faults: list[str] = []
    for i, cell in enumerate(cells):
        match = STARRED_CELL.fullmatch(cell)
        if match is None or not cell:
            expected = "a cell such as `*`, `(ARG1*`, `*)` or `(V*)`"
            faults.append(f"{place(i)}: found {shorten(cell)}, expected {expected}.")
            continue
        for label in match["opens"].split("(")[1:]:
            opened.append((i, len(spans)))
            labels.append(label)
            spans.append(None)
        for _ in match["closes"]:
            if opened:
                start, position = opened.pop()
                spans[position] = (start, i + 1, labels[position])
            else:
                faults.append(
                    f"{place(i)}: {shorten(cell)} closes a span, but none is open. Expected `(LABEL*` before it."
                )
    for start, position in reversed(opened):
        label = labels[position][:LONGEST_QUOTE]
        faults.append(f"{place(start)}: a span `({label}` opens here and is never closed. Expected `*)` after it.")
    return [span for span in spans if span is not None], faults


def find_nested(spans: Sequence[LabelledSpan]) -> list[LabelledSpan]:
    """Leave out spans that cross one that starts earlier: brackets cannot show both.

    spans (Sequence[LabelledSpan]): Spans of a sentence or a document. Of equal spans, outer ones come first.
    RETURNS (list[LabelledSpan]): Those that nest, by start, outer spans first.
    """
    nested: list[LabelledSpan] = []
    open_ends: list[int] = []
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if not open_ends or end <= open_ends[-1]:
            open_ends.append(end)
            nested.append((start, end, label))
    return nested


def by_sentence(items: Iterable[Item], sentences: Sequence[Span]) -> list[list[Item]]:
    """The items in each sentence; those without tokens, or over the end of a sentence, are left out.

    items (Iterable[Item]): Spans, or what begins with the offsets of one.
    """
    ends = [sentence.end for sentence in sentences]
    inside: list[list[Item]] = [[] for _ in sentences]
    for item in items:
        start, end, *_ = item
        number = bisect_right(ends, start)
        if start < end and end <= ends[number]:
            inside[number].append(item)
    return inside


def unescape_brackets(word: str) -> str:
    """Replace `-LRB-` and the other escapes in a word by brackets."""
    return ESCAPE.sub(lambda match: BRACKET_OF_ESCAPE[match[0]], word)


def escape_brackets(word: str) -> str:
    """Replace the brackets in a word by `-LRB-` and the other escapes."""
    return BRACKET.sub(lambda match: ESCAPE_OF_BRACKET[match[0]], word)


def parse_tree(tree: str, place: str) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Read the words and the phrases of a tree.

    tree (str): The tree. White space in it makes no difference.
    place (str): What error messages call it.
    RETURNS (tuple[list[str], list[tuple[int, int, str]]]): Its words, with brackets for `-LRB-` and the other escapes;
        start, end (exclusive) and label of each phrase, outer phrases first, without functions: `NP` for `NP-SBJ`.
    RAISES (ValueError): If it is not a tree.
    """
    pieces = LEAF.split(tree)  # alternately what is between leaves, and the word of a leaf
    words = pieces[1::2]
    between = [match for piece in pieces[::2] if (match := BETWEEN_LEAVES.fullmatch("".join(piece.split())))]
    if not words or len(between) != len(words) + 1 or between[0]["closes"] or between[-1]["opens"]:
        raise ValueError(f"{place}: found something other than a tree, expected one such as `(S (NP (NNP Ann)) ...)`.")
    cells = [f"{before['opens']}*{after['closes']}" for before, after in pairwise(between)]
    phrases = read_starred_column(cells, lambda i: f"{place}, word {i + 1}")
    return [unescape_brackets(word) for word in words], [
        (start, end, FUNCTION_OF_PHRASE.sub("", label)) for start, end, label in phrases
    ]
