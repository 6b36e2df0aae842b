"""The last column of CoNLL-2012 files: mentions as numbered brackets, one cell per token."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..annotation import Mention

EMPTY_CELL = "-"
EMPTY_CELLS = frozenset({"", EMPTY_CELL, "_"})
PART = re.compile(r"\|?(?P<open>\()?(?P<cluster>[^()|]+)(?P<close>\))?")


def read_coreference_column(cells: Sequence[str], place: Callable[[int], str]) -> dict[str, list[Mention]]:
    """Read the clusters of a document from its coreference column.

    cells (Sequence[str]): One cell per token: `(3` opens a mention of cluster 3, `3)` closes the one that was opened
        last, `(3)` is a mention of one token. Parts of a cell may be separated by `|`. An empty cell, `-` and `_` have
        no mention.
    place (Callable[[int], str]): File and line of a token, for messages.
    RETURNS (dict[str, list[Mention]]): Token offsets of each cluster's mentions, by cluster.
    RAISES (ValueError): If a cell has another form, or a bracket has no partner.
    """
    clusters: dict[str, list[Mention]] = {}
    opened: dict[str, list[int]] = {}
    for i, cell in enumerate(cells):
        if cell in EMPTY_CELLS:
            continue
        for opens, cluster, closes in _split_cell(cell, place(i)):
            if opens:
                opened.setdefault(cluster, []).append(i)
            if closes:
                if not opened.get(cluster):
                    raise ValueError(
                        f"{place(i)}: {cell!r} closes a mention of cluster {cluster}, but none is open. "
                        f"Expected `({cluster}` at its first token."
                    )
                clusters.setdefault(cluster, []).append((opened[cluster].pop(), i + 1))
    for cluster, starts in opened.items():
        if starts:
            raise ValueError(
                f"{place(starts[-1])}: a mention of cluster {cluster} opens here and is never closed. "
                f"Expected `{cluster})` at its last token."
            )
    return clusters


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


def _split_cell(cell: str, place: str) -> list[tuple[bool, str, bool]]:
    """The parts of a cell: whether each opens a mention, its cluster, and whether it closes a mention."""
    parts: list[tuple[bool, str, bool]] = []
    end = 0
    while end < len(cell):
        match = PART.match(cell, end)
        if match is None or not (match["open"] or match["close"]):
            raise ValueError(
                f"{place}: found {cell!r} in the coreference column, expected parts such as `(3`, `3)` or `(3)`."
            )
        parts.append((bool(match["open"]), match["cluster"], bool(match["close"])))
        end = match.end()
    return parts
