"""Columns of labelled brackets around a star, as CoNLL writes arguments and constituents: one cell per token."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

CELL = re.compile(r"(?P<opens>(?:\([^()*]+)*)\*?(?P<closes>\)*)")
WRITABLE_LABEL = re.compile(r"[^\s()*]+")

LabelledSpan = tuple[int, int, str]
"""Start, end (exclusive) and label."""


def read_starred_column(cells: Sequence[str], place: Callable[[int], str]) -> list[LabelledSpan]:
    """Read the labelled spans of a sentence from one column.

    cells (Sequence[str]): One cell per token: `(ARG1*` opens a span, `*)` closes the span that was opened last, `(V*)`
        is a span of one token, `*` does neither. Spans may nest: `(TOP(S(NP*)`. The star of `(V)` may be missing.
    place (Callable[[int], str]): File and line of a token, for messages.
    RETURNS (list[LabelledSpan]): The spans, by start, outer spans first.
    RAISES (ValueError): If a cell has another form, or a bracket has no partner.
    """
    spans: list[LabelledSpan] = []
    opened: list[tuple[int, int]] = []  # start, and position in `spans`
    for i, cell in enumerate(cells):
        match = CELL.fullmatch(cell)
        if match is None or not cell:
            raise ValueError(f"{place(i)}: found {cell!r}, expected a cell such as `*`, `(ARG1*`, `*)` or `(V*)`.")
        for label in match["opens"].split("(")[1:]:
            opened.append((i, len(spans)))
            spans.append((i, i, label))
        for _ in match["closes"]:
            if not opened:
                raise ValueError(f"{place(i)}: {cell!r} closes a span, but none is open. Expected `(LABEL*` before it.")
            start, position = opened.pop()
            spans[position] = (start, i + 1, spans[position][2])
    if opened:
        start, position = opened[-1]
        label = spans[position][2]
        raise ValueError(f"{place(start)}: a span `({label}` opens here and is never closed. Expected `*)` after it.")
    return spans


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
