"""Which spans brackets can show together."""

from __future__ import annotations

from collections.abc import Sequence

from .starred_column import LabelledSpan


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
