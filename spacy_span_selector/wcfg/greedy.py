"""Greedy pruning to non-crossing spans by score, exact, without a loop over spans.

Spans are taken from best to worst, skipping those that cross a span already kept (Lee et al. 2017). Whether a span is
kept depends only on better spans, so a block of spans can be decided at once. Among those that cross no span kept
earlier, every span that crosses no better undecided span is kept, and every span that crosses it is dropped; this is
repeated until all are decided. Every round decides at least the best undecided span, in practice nearly all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK = 256
"""Spans decided at once: all pairs in a block are compared, so not too many, but enough that there are few blocks."""

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


def greedy_spans(starts: Indices, ends: Indices, wanted: int) -> Indices:
    """Find the best spans of a ranking that do not cross each other.

    Two spans cross if they overlap and neither contains the other.

    starts, ends (NDArray[np.int64]): First and last token of each span, the best span first. Shape: (spans,)
    wanted (int): The number of spans to keep. Fewer are kept if the ranking has fewer that do not cross.
    RETURNS (NDArray[np.int64]): Their ranks, ascending. Shape: (kept,)
    """
    tokens = int(ends.max()) + 1 if len(ends) else 0
    last_end = np.full(tokens, -1)  # of the kept spans that start at each token
    first_start = np.full(tokens, tokens)  # of the kept spans that end at each token
    kept: list[Indices] = []
    missing = wanted
    for begin in range(0, len(starts), BLOCK):
        if missing <= 0:
            break
        start, end = starts[begin : begin + BLOCK], ends[begin : begin + BLOCK]
        open_spans = np.flatnonzero(~_crosses_kept(start, end, last_end, first_start))
        chosen = open_spans[_decide(start[open_spans], end[open_spans])][:missing]
        np.maximum.at(last_end, start[chosen], end[chosen])
        np.minimum.at(first_start, end[chosen], start[chosen])
        kept.append(begin + chosen)
        missing -= len(chosen)
    return np.concatenate([np.zeros(0, dtype=np.int64), *kept])


def _crosses_kept(start: Indices, end: Indices, last_end: Indices, first_start: Indices) -> Mask:
    """Mark the spans that cross a kept one: one that starts inside and ends after them, or the mirror image.

    start, end (NDArray[np.int64]): First and last token of each span. Shape: (spans,)
    last_end, first_start (NDArray[np.int64]): Of the kept spans that start, or end, at each token. Shape: (tokens,)
    RETURNS (NDArray[np.bool_]): A mask. Shape: (spans,)
    """
    widths = end - start + 1
    first = np.cumsum(widths) - widths
    inside = np.repeat(start - first, widths) + np.arange(widths.sum())  # the tokens of each span, concatenated
    # A span that starts at the first token, or ends at the last, is nested and does not cross.
    behind, before = last_end[inside], first_start[inside]
    behind[first] = -1
    before[first + widths - 1] = len(first_start)
    result: Mask = (np.maximum.reduceat(behind, first) > end) | (np.minimum.reduceat(before, first) < start)
    return result


def _decide(start: Indices, end: Indices) -> Mask:
    """Mark the spans of a ranking that are kept, if none crosses a span kept earlier. Shape: (spans,)"""
    starts_inside = (start[:, None] < start) & (start <= end[:, None])  # [left, right]: right starts inside left
    crosses = starts_inside & (end > end[:, None])
    better = np.triu(crosses | crosses.T)  # [better, worse]
    kept = np.zeros(len(start), dtype=bool)
    undecided = np.ones(len(start), dtype=bool)
    while undecided.any():
        now = undecided & ~better[undecided].any(axis=0)
        kept |= now
        undecided &= ~now & ~better[now].any(axis=0)
    return kept
