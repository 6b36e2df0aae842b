"""How spans nest and cross."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Span = tuple[int, int]


def nesting_depths(spans: Iterable[Span]) -> dict[Span, int]:
    """Compute the nesting depth of each span: 1 if no other contains it, else 1 more than the deepest that does.

    Crossing spans do not contain each other; a span that is given twice counts once.
    """
    depths: dict[Span, int] = {}
    around: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        around = [span for span in around if span[1] > start]
        depths[start, end] = 1 + max((depths[span] for span in around if span[1] >= end), default=0)
        around.append((start, end))
    return depths


def find_crossing(spans: Iterable[Span]) -> Iterator[tuple[Span, Span]]:
    """Find each span that crosses an earlier one, with the widest that it crosses."""
    around: list[Span] = []
    for start, end in sorted({*spans}, key=lambda span: (span[0], -span[1])):
        around = [other for other in around if other[1] > start]
        crossed = [other for other in around if other[0] < start < other[1] < end]
        if crossed:
            yield (start, end), max(crossed, key=lambda span: span[1] - span[0])
        around.append((start, end))
