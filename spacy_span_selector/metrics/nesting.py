"""Recall of spans by how deeply they nest and by how wide they are (Liu et al. 2022, tables 4 and 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet

from .counts import Counts

Span = tuple[int, int]
"""Start and end of a span, end exclusive."""

DEPTHS = ("1", "2", "3+")
WIDTHS = ("1-4", "5-12", "13+")


def nesting_depths(spans: Iterable[Span]) -> dict[Span, int]:
    """How deep each span lies: 1 outside all others, otherwise one more than the deepest that it lies in.

    A span that crosses another is not inside it; one that is given twice counts once.

    spans (Iterable[Span]): The spans of a document.
    RETURNS (dict[Span, int]): The depth of each.
    """
    depths: dict[Span, int] = {}
    around: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        around = [span for span in around if span[1] > start]
        depths[start, end] = 1 + max((depths[span] for span in around if span[1] >= end), default=0)
        around.append((start, end))
    return depths


def depth_class(depth: int) -> str:
    """The row of the table that a depth belongs to."""
    return DEPTHS[min(depth, len(DEPTHS)) - 1]


def width_class(width: int) -> str:
    """The row of the table that a width, in tokens, belongs to."""
    return WIDTHS[(width > 4) + (width > 12)]


def recall_by_class(classes: Mapping[Span, str], found: AbstractSet[Span], names: Collection[str]) -> dict[str, Counts]:
    """Count the gold spans of each class, and how many of them were found.

    classes (Mapping[Span, str]): The class of each gold span of a document.
    found (Set[Span]): The spans that were found.
    names (Collection[str]): All classes there are.
    RETURNS (dict[str, Counts]): By class; what has no class has no precision.
    """
    return {
        name: Counts(
            float(sum(span in found for span, own in classes.items() if own == name)),
            float(sum(own == name for own in classes.values())),
        )
        for name in names
    }
