"""The heaviest set of intervals that do not overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


def heaviest_disjoint(intervals: Sequence[tuple[int, int]], weights: Sequence[float]) -> list[int]:
    """Weighted interval scheduling, exact, by dynamic programming over the ends of the intervals.

    intervals (Sequence[tuple[int, int]]): Start, and end, inclusive.
    weights (Sequence[float]): One weight an interval; those that are not above 0 are never chosen.
    RETURNS (list[int]): Indices of the chosen intervals, in ascending order. Of equally heavy sets, an interval that
        ends later is left out.
    """
    order = sorted((i for i in range(len(weights)) if weights[i] > 0), key=lambda i: (intervals[i][1], i))
    ends = [intervals[i][1] for i in order]
    best = [0.0]  # heaviest weight among the first k intervals
    chosen: list[int | None] = [None]  # how many intervals lie before the k-th, if it belongs to that set
    for k, i in enumerate(order):
        before = bisect_right(ends, intervals[i][0] - 1, hi=k)
        weight = best[before] + weights[i]
        better = weight > best[k]
        best.append(weight if better else best[k])
        chosen.append(before if better else None)
    k = len(order)
    kept: list[int] = []
    while k:
        before_k = chosen[k]
        if before_k is None:
            k -= 1
        else:
            kept.append(order[k - 1])
            k = before_k
    return sorted(kept)
