"""Columns of labelled brackets around a star, as CoNLL writes arguments and constituents: one cell per token."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .left_out import LONGEST_QUOTE, Report, shorten

CELL = re.compile(r"(?P<opens>(?:\([^()*]+)*)\*?(?P<closes>\)*)")
BRACKETS = "brackets of arguments that can't be read or have no partner"
REPEATED_ARGUMENTS = "arguments that are a second time in their frame"
FRAMES = "frames without a predicate that can be read"
PARSES = "parses that can't be read"
WRITABLE_LABEL = re.compile(r"[^\s()*]+")

LabelledSpan = tuple[int, int, str]
"""Start, end (exclusive) and label."""


def read_starred_column(cells: Sequence[str], place: Callable[[int], str]) -> list[LabelledSpan]:
    """Read the labelled spans of a sentence from one column, all or none.

    cells (Sequence[str]): One cell per token: `(ARG1*` opens a span, `*)` closes the span that was opened last, `(V*)`
        is a span of one token, `*` does neither. Spans may nest: `(TOP(S(NP*)`. The star of `(V)` may be missing.
    place (Callable[[int], str]): File and line of a token, for messages.
    RETURNS (list[LabelledSpan]): The spans, by start, outer spans first.
    RAISES (ValueError): If a cell has another form, or a bracket has no partner.
    """
    spans, faults = _pair(cells, place)
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
    spans, faults = _pair(cells, place)
    for fault in faults:
        report.leave_out(BRACKETS, fault)
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


def _pair(cells: Sequence[str], place: Callable[[int], str]) -> tuple[list[LabelledSpan], list[str]]:
    """The spans whose brackets have a partner, and a message about each other bracket."""
    spans: list[LabelledSpan | None] = []  # None: not closed
    labels: list[str] = []
    opened: list[tuple[int, int]] = []  # start, and position in `spans`
    faults: list[str] = []
    for i, cell in enumerate(cells):
        match = CELL.fullmatch(cell)
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
