"""Blocks of lines and columns of CoNLL files: mentions as numbered brackets, labelled brackets around a star; trees."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, groupby
from typing import Any, NamedTuple, TypeVar

from spacy.tokens import Span

from ...annotation import Mention
from .reports import LONGEST_QUOTE, Report, shorten

COMMENT = "#"
NUMBER_THE_ROWS = "Rows are missing, doubled or not in order: restore the file, or number each sentence's 0, 1, 2, ..."
NUMBER = re.compile(r"[0-9]{1,9}")
EMPTY_CELL = "-"
EMPTY_CELLS = frozenset({"", EMPTY_CELL, "_"})
MENTION_PART = re.compile(r"\|?(?P<open>\()?(?P<cluster>[^()|]+)(?P<close>\))?|.")  # a part, or a character of none
MENTION_BRACKETS = "brackets of mentions that can't be read or have no partner"
REPEATED_MENTIONS = "mentions that are a second time in their cluster"
STARRED_CELL = re.compile(r"(?P<opens>(?:\([^()*]+)*)\*?(?P<closes>\)*)")
ARGUMENT_BRACKETS = "brackets of arguments that can't be read or have no partner"
REPEATED_ARGUMENTS = "arguments that are a second time in their frame"
FRAMES = "frames without a predicate that can be read"
PARSES = "parses that can't be read"
WRITABLE_LABEL = re.compile(r"[^\s()*]+")
BRACKET_OF_ESCAPE = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
ESCAPES = str.maketrans({bracket: escape for escape, bracket in BRACKET_OF_ESCAPE.items()})
ESCAPE = re.compile("|".join(BRACKET_OF_ESCAPE))
LEAF = re.compile(r"\([^\s()]+\s+[^\s()]+\s*\)")  # tag and word
WITHOUT_WORD = re.compile(r"(?:\([^()*]+)*\*\)*")
FUNCTION_OF_PHRASE = re.compile(r"(?<=.)[-=].*")

Place = Callable[[int], str]  # file and line of a token, for messages
ColumnSpan = tuple[int, int, str]  # start, end (exclusive) and label
Item = TypeVar("Item", bound=tuple[Any, ...])


class Bracket(NamedTuple):
    """A bracket of a mention: its token, its cluster, and whether a mention of the cluster begins, ends, or both."""

    token: int
    opens: bool
    cluster: str
    closes: bool


def split_blocks(text: str, source: object) -> Iterator[list[tuple[str, str]]]:
    """The lines between empty lines, such as those of a sentence, each with its place; comments are left out."""
    places = ((f"{source}:{i}", line) for i, line in enumerate(text.split("\n"), start=1))
    lines = [(place, line) for place, line in places if not line.startswith(COMMENT)]
    for is_block, block in groupby(lines, key=lambda line: bool(line[1].strip())):
        if is_block:
            yield list(block)


def check_row_numbers(sentences: Sequence[Sequence[str]], place: Place) -> None:
    """Raise an error unless the rows of each sentence are numbered from 0 or 1, or go on over the whole document.

    Without any number, all being `-` or `_`, nothing can be checked.
    """
    found = list(chain(*sentences))
    if EMPTY_CELLS.issuperset(found):
        return
    runs = [(first, lengths) for first in (0, 1) for lengths in ([*map(len, sentences)], [len(found)])]
    conventions = [[str(first + i) for length in lengths for i in range(length)] for first, lengths in runs]
    expected = max(conventions, key=lambda numbers: sum(map(str.__eq__, found, numbers)))
    for i, (number, wanted) in enumerate(zip(found, expected, strict=True)):
        if number != wanted:
            raise ValueError(f"{place(i)}: found row number {shorten(number)}, expected {wanted!r}. {NUMBER_THE_ROWS}")


def read_coreference_column(
    sentences: Sequence[Sequence[str]], place: Place, report: Report
) -> dict[str, list[Mention]]:
    """The mentions of each cluster of a document.

    sentences (Sequence[Sequence[str]]): A cell per token of each sentence: `(3` opens a mention of cluster 3, `3)`
        closes the one that was opened last, `(3)` is a mention of one token; parts may be separated by `|`.
    """
    brackets: list[Bracket] = []
    faults: list[tuple[int, str]] = []  # token and message
    sentence_numbers = [number for number, cells in enumerate(sentences) for _ in cells]
    for i, cell in enumerate(chain(*sentences)):
        parts = [] if cell in EMPTY_CELLS else [*MENTION_PART.finditer(cell)]
        known = [part for part in parts if part["open"] or part["close"]]
        brackets += [Bracket(i, bool(part["open"]), part["cluster"], bool(part["close"])) for part in known]
        if len(known) < len(parts):
            expected = "parts such as `(3`, `3)` or `(3)`"
            faults.append((i, f"found {shorten(cell)} in the coreference column, expected {expected}."))
    return pair_brackets(brackets, faults, sentence_numbers, place, report)


def commonest_labels(clusters: Iterable[Sequence[Mention]], labels: Mapping[Mention, str]) -> list[str]:
    """The label that most mentions of each cluster have, of several the first; "" where none has one."""
    counts = (Counter(labels[mention] for mention in cluster if mention in labels) for cluster in clusters)
    return [max(count, key=count.__getitem__, default="") for count in counts]


def pair_brackets(
    brackets: Sequence[Bracket],
    faults: Sequence[tuple[int, str]],  # token and message of what could not be read
    sentence_numbers: Sequence[int],
    place: Place,
    report: Report,
) -> dict[str, list[Mention]]:
    """The mentions of each cluster that the brackets of a document, from left to right, enclose."""
    clusters, unpaired = _pair_mentions(brackets, [0] * len(sentence_numbers))
    if faults or unpaired:
        # The partners of two damaged mentions are not those of each other: look for them in their own sentences.
        clusters, unpaired = _pair_mentions(brackets, sentence_numbers)
    for i, message in sorted([*faults, *unpaired]):
        report.leave_out(MENTION_BRACKETS, f"{place(i)}: {message}")
    for name, mentions in clusters.items():
        clusters[name] = list(dict.fromkeys(mentions))
        for start, end in _repeated(mentions):
            report.leave_out(REPEATED_MENTIONS, f"{place(start)}: cluster {shorten(name)}, {end - start} word(s).")
    return clusters


def _pair_mentions(
    brackets: Sequence[Bracket], sentence_numbers: Sequence[int]
) -> tuple[dict[str, list[Mention]], list[tuple[int, str]]]:
    """Pair the brackets of each cluster in the same sentence; for others return token and message."""
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
            found = f"a mention of cluster {name} ends here, but none is open"
            faults.append((token, f"{found}. Expected `({name}` at its first token."))
    for (_, cluster), starts in opened.items():
        name = cluster[:LONGEST_QUOTE]
        found = f"a mention of cluster {name} opens here and is never closed"
        faults += [(token, f"{found}. Expected `{name})` at its last token.") for token in starts]
    return clusters, faults


def _repeated(spans: Sequence[Item]) -> list[Item]:
    """Those that are equal to one before."""
    return [*(Counter(spans) - Counter({*spans})).elements()]


def write_coreference_column(clusters: Mapping[str, Sequence[Mention]], n_tokens: int) -> list[str]:
    """The cell of each token, which `read_coreference_column` reads back if the mentions of each cluster nest.

    Of brackets that open at the same token, those that close first come first, then those of earlier clusters: the
    official scorer takes clusters in the order in which they first open, and this is the order of `set_clusters`.
    """
    parts: list[tuple[int, int, int, str]] = []  # token, what comes first in its cell, and what of that
    for name, mentions in clusters.items():
        for start, end in mentions:
            if end - start == 1:
                parts.append((start, 1, 0, f"({name})"))
            else:
                parts += [(start, 0, end, f"({name}"), (end - 1, 2, -start, f"{name})")]
    cells: list[list[str]] = [[] for _ in range(n_tokens)]
    for token, *_, part in sorted(parts, key=lambda part: part[:3]):
        cells[token].append(part)
    return ["|".join(cell) or EMPTY_CELL for cell in cells]


def read_starred_column(cells: Sequence[str], place: Place) -> list[ColumnSpan]:
    """The labelled spans of a sentence, outer ones first; an error if any can't be read, as in a tree all are in doubt.

    cells (Sequence[str]): One per token: `(ARG1*` opens a span, `*)` closes the span that was opened last, `(V*)` is a
        span of one token, `*` does neither. Spans may nest: `(TOP(S(NP*)`. The star of `(V)` may be missing.
    """
    spans, faults = _pair_labels(cells, place)
    if faults:
        raise ValueError(faults[0])
    return spans


def read_arguments_column(cells: Sequence[str], place: Place, report: Report) -> list[ColumnSpan]:
    """The arguments of a predicate that can be read: they do not nest, so that a damaged one costs no other."""
    spans, faults = _pair_labels(cells, place)
    for fault in faults:
        report.leave_out(ARGUMENT_BRACKETS, fault)
    for start, _, label in _repeated(spans):
        report.leave_out(REPEATED_ARGUMENTS, f"{place(start)}: {shorten(label)}.")
    return list(dict.fromkeys(spans))


def write_starred_column(spans: Sequence[ColumnSpan], tokens: range) -> list[str]:
    """The cell of each token of a sentence, from spans that nest, outer ones first, with labels of `WRITABLE_LABEL`."""
    opening, closing = dict.fromkeys(tokens, ""), dict.fromkeys(tokens, "")
    for start, end, label in spans:
        opening[start] += f"({label}"
        closing[end - 1] += ")"
    return [f"{opening[i]}*{closing[i]}" for i in tokens]


def _pair_labels(cells: Sequence[str], place: Place) -> tuple[list[ColumnSpan], list[str]]:
    """The spans whose brackets have a partner, and a message about each other bracket."""
    spans: dict[int, ColumnSpan] = {}  # by the number of their opening bracket
    opened: list[tuple[int, int, str]] = []  # number, token, label
    faults: list[str] = []
    numbers = count()
    for i, cell in enumerate(cells):
        match = STARRED_CELL.fullmatch(cell)
        if match is None or not cell:
            faults.append(f"{place(i)}: found {shorten(cell)}, expected a cell such as `*`, `(ARG1*`, `*)` or `(V*)`.")
            continue
        opened += [(next(numbers), i, label) for label in match["opens"].split("(")[1:]]
        for _ in match["closes"]:
            if opened:
                number, start, label = opened.pop()
                spans[number] = start, i + 1, label
            else:
                found = f"{shorten(cell)} closes a span, but none is open"
                faults.append(f"{place(i)}: {found}. Expected `(LABEL*` before it.")
    for _, start, label in reversed(opened):
        found = f"a span `({label[:LONGEST_QUOTE]}` opens here and is never closed"
        faults.append(f"{place(start)}: {found}. Expected `*)` after it.")
    return [span for _, span in sorted(spans.items())], faults


def by_sentence(items: Iterable[Item], sentences: Sequence[Span]) -> list[list[Item]]:
    """The items, which begin with offsets, in each sentence; those without tokens, or over its end, are left out."""
    ends = [sentence.end for sentence in sentences]
    inside: list[list[Item]] = [[] for _ in sentences]
    for item in items:
        start, end, *_ = item
        number = bisect_right(ends, start)
        if start < end and end <= ends[number]:
            inside[number].append(item)
    return inside


def find_nested(spans: Sequence[ColumnSpan]) -> list[ColumnSpan]:
    """Leave out spans that cross one that starts earlier, as brackets cannot show both; return outer spans first."""
    nested: list[ColumnSpan] = []
    open_ends: list[int] = []
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if not open_ends or end <= open_ends[-1]:
            open_ends.append(end)
            nested.append((start, end, label))
    return nested


def unescape_brackets(word: str) -> str:
    """Replace `-LRB-` and the other escapes in a word by brackets."""
    return ESCAPE.sub(lambda match: BRACKET_OF_ESCAPE[match[0]], word)


def escape_brackets(word: str) -> str:
    """Replace the brackets in a word by `-LRB-` and the other escapes."""
    return word.translate(ESCAPES)


def read_phrases(tree: str, place: str) -> list[ColumnSpan]:
    """The phrases of a tree, outer ones first, without functions: `NP` for `NP-SBJ`."""
    cells = WITHOUT_WORD.findall("".join(LEAF.sub("*", tree).split()))
    phrases = read_starred_column(cells, lambda i: f"{place}, word {i + 1}")
    return [(start, end, FUNCTION_OF_PHRASE.sub("", label)) for start, end, label in phrases]
