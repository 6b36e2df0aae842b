"""How spans nest: recall by nesting depth and by width (Liu et al. 2022, tables 4 and 5), and which spans cross."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet

from spacy_span_selector.scoring.metrics.counts import Counts

Span = tuple[int, int]
"""Start and end of a span, end exclusive."""

DEPTHS = ("1", "2", "3+")
WIDTHS = ("1-4", "5-12", "13+")


def nesting_depths(spans: Iterable[Span]) -> dict[Span, int]:
    """Compute the nesting depth of each span: 1 if no other contains it, else 1 more than the deepest that does.

    Crossing spans do not contain each other; a span that is given twice counts once.

    spans (Iterable[Span]): The spans of a document.
    RETURNS (dict[Span, int]): The depth of each span.
    """
    depths: dict[Span, int] = {}
    around: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        around = [span for span in around if span[1] > start]
        depths[start, end] = 1 + max((depths[span] for span in around if span[1] >= end), default=0)
        around.append((start, end))
    return depths


def crossing_spans(spans: Iterable[Span]) -> set[Span]:
    """The spans that cross another one: they overlap, and neither contains the other.

    spans (Iterable[Span]): The spans of a document.
    """
    crossing: set[Span] = set()
    around: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        around = [span for span in around if span[1] > start]
        crossed = [span for span in around if span[0] < start and span[1] < end]
        if crossed:
            crossing.update(crossed, [(start, end)])
        around.append((start, end))
    return crossing


def depth_class(depth: int) -> str:
    """The class, a row of the table, of a nesting depth."""
    return DEPTHS[min(depth, len(DEPTHS)) - 1]


def width_class(width: int) -> str:
    """The class, a row of the table, of a width in tokens."""
    return WIDTHS[(width > 4) + (width > 12)]


def recall_by_class(classes: Mapping[Span, str], found: AbstractSet[Span], names: Collection[str]) -> dict[str, Counts]:
    """Count the gold spans of each class, and those of them that were found.

    classes (Mapping[Span, str]): The class of each gold span of a document.
    found (Set[Span]): The spans that were found.
    names (Collection[str]): The names of all classes.
    RETURNS (dict[str, Counts]): Counts by class, for recall alone.
    """
    return {
        name: Counts(
            float(sum(span in found for span, own in classes.items() if own == name)),
            float(sum(own == name for own in classes.values())),
        )
        for name in names
    }
