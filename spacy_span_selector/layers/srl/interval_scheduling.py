"""The heaviest set of intervals that do not overlap, with labels or without."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set

Chosen = tuple["Chosen", int, int] | None
"""Chosen intervals, the last one first: those before it, its index, its label."""


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


def heaviest_labelled(
    intervals: Sequence[tuple[int, int]], choices: Sequence[Sequence[tuple[int, float]]], unique: Set[int]
) -> list[tuple[int, int]]:
    """The same with a label for each interval, where no label that is unique is given twice.

    Exact, by dynamic programming over the ends of the intervals and the sets of unique labels that are used.

    intervals (Sequence[tuple[int, int]]): Start, and end, inclusive.
    choices (Sequence[Sequence[tuple[int, float]]]): The labels that each interval may have, with weights.
    unique (Set[int]): The labels that are given once at most.
    RETURNS (list[tuple[int, int]]): Indices of the chosen intervals, in ascending order, and their labels.
    """
    order = sorted(range(len(intervals)), key=lambda i: (intervals[i][1], i))
    ends = [intervals[i][1] for i in order]
    nothing: tuple[float, Chosen] = (0.0, None)
    best = [{frozenset[int](): nothing}]  # by used labels: the heaviest choice among the first k intervals
    for k, i in enumerate(order):
        states = dict(best[k])
        for used, (weight, chosen) in best[bisect_right(ends, intervals[i][0] - 1, hi=k)].items():
            for label, more in choices[i]:
                if label not in used:
                    now = used | ({label} & unique)
                    if weight + more > states.get(now, nothing)[0]:
                        states[now] = (weight + more, (chosen, i, label))
        best.append(states)
    chosen = max(best[-1].values(), key=lambda state: state[0])[1]
    kept = []
    while chosen is not None:
        chosen, i, label = chosen
        kept.append((i, label))
    return sorted(kept)
