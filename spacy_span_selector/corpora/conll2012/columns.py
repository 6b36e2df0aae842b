"""Spans to columns of CoNLL-2012: the inverses of `starred_column` and `coreference_column`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...annotation import Mention

EMPTY_CELL = "-"

LabelledSpan = tuple[int, int, str]
"""Start, end (exclusive) and label."""


def find_nested(spans: Sequence[LabelledSpan]) -> list[LabelledSpan]:
    """Leave out spans that cross one that starts earlier: brackets can't show both.

    spans (Sequence[LabelledSpan]): Spans of a sentence or a document; equal ones, outer before inner.
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


def write_starred_column(spans: Sequence[LabelledSpan], n_tokens: int) -> list[str]:
    """Write spans as labelled brackets around a star.

    spans (Sequence[LabelledSpan]): Spans that nest, in the order of `find_nested`. Their labels have no blanks,
        brackets and stars.
    n_tokens (int): The tokens of the sentence.
    RETURNS (list[str]): A cell for each token, which `read_starred_column` reads back.
    """
    opening, closing = [""] * n_tokens, [""] * n_tokens
    for start, end, label in spans:
        opening[start] += f"({label}"
        closing[end - 1] += ")"
    return [f"{opens}*{closes}" for opens, closes in zip(opening, closing, strict=True)]


def write_coreference_column(clusters: Mapping[str, Sequence[Mention]], n_tokens: int) -> list[str]:
    """Write clusters as numbered brackets.

    Of brackets that open at one token, those that close first come first, and then those of earlier clusters: the
    official scorer takes clusters in the order in which they first open, and this is the order of `set_clusters`.

    clusters (Mapping[str, Sequence[Mention]]): The mentions of each cluster by its number. Those of one cluster nest:
        which of its brackets a bracket closes is the one opened last.
    n_tokens (int): The tokens of the document.
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
