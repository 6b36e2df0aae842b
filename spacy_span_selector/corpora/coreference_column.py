"""The last column of CoNLL-2012 files: mentions as numbered brackets, one cell per token."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..annotation import Mention
from .left_out import LONGEST_QUOTE, Report, shorten

EMPTY_CELL = "-"
EMPTY_CELLS = frozenset({"", EMPTY_CELL, "_"})
PART = re.compile(r"\|?(?P<open>\()?(?P<cluster>[^()|]+)(?P<close>\))?")
BRACKETS = "brackets of mentions that can't be read or have no partner"
REPEATED = "mentions that are a second time in their cluster"


class Bracket(NamedTuple):
    """What a part of a cell says.

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
    clusters, unpaired = _pair(brackets, [0] * len(sentence_numbers))
    if faults or unpaired:
        clusters, unpaired = _pair(brackets, sentence_numbers)
    for i, message in sorted([*faults, *unpaired]):
        report.leave_out(BRACKETS, f"{place(i)}: {message}")
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
        match = PART.match(cell, end)
        if match is not None and (match["open"] or match["close"]):
            parts.append(Bracket(token, bool(match["open"]), match["cluster"], bool(match["close"])))
        else:
            complete = False
        end = end + 1 if match is None else match.end()
    return parts, complete


def _pair(
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
            report.leave_out(REPEATED, f"{place(start)}: cluster {shorten(name)}, {end - start} word(s).")
        kept[start, end] = None
    return list(kept)
