"""The heaviest set of spans that do not cross, exact.

Any such set extends to a binary tree, so this is what the best tree selects. Spans that cross
nothing are kept at once; what is left falls apart into connected components of the "crosses"
relation, and each is a chart of its own, over its own endpoints. docs/grammar.md has the proof.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from .chart import existing_spans
from .validation import validate

Indices = NDArray[np.int64]
Weights = NDArray[np.float64]


def best_spans(scores: Tensor, lengths: Tensor) -> list[list[tuple[int, int]]]:
    """The non-crossing set with the greatest total score among the spans that score above 0.

    Two spans cross if they overlap and neither contains the other. With the scores of the grammar this
    is the most probable tree (MAP decoding), with marginals less a threshold the set of greatest
    expected recall (marginal decoding; Goodman 1996, "Parsing Algorithms and Metrics").

    Ties are broken by position: among the sets of a component that reach the greatest total (summed
    in float64), a span of the chart splits at the first boundary that allows it, widest span first.

    scores (Tensor): `scores[b, i, j]` is the score of the span from token i to token j inclusive. What
        lies below the diagonal or beyond the length is never read. *Shape:* `(batch, n, n)`.
    lengths (Tensor): Number of tokens of each sentence, 0 to n. *Shape:* `(batch,)`.
    RETURNS: For each sentence its spans as (start, end) tokens, end exclusive, sorted.
    RAISES: ValueError if a shape, a dtype or a length is not as described.
    """
    validate(scores, lengths)
    scores = scores.detach()
    positive = existing_spans(lengths.to(scores.device), scores.shape[1]) & (scores > 0)
    sentence, start, last = (indices.cpu().numpy() for indices in positive.nonzero(as_tuple=True))
    weight = scores[positive].double().cpu().numpy()
    bounds = np.searchsorted(sentence, np.arange(len(scores) + 1))
    return [_heaviest(start[begin:stop], last[begin:stop] + 1, weight[begin:stop]) for begin, stop in pairwise(bounds)]


def _heaviest(start: Indices, end: Indices, weight: Weights) -> list[tuple[int, int]]:
    """The heaviest non-crossing set of the spans of one sentence."""
    keep = np.ones(len(start), dtype=bool)
    for component in _crossing_components(start, end):
        keep[component] = _solve(start[component], end[component], weight[component])
    return sorted(zip(start[keep].tolist(), end[keep].tolist(), strict=True))


def _crossing_components(start: Indices, end: Indices) -> list[Indices]:
    """The connected components, of two spans or more, of the graph whose edges join spans that cross.

    That graph may have as many edges as there are pairs of spans, but two edges a span connect the same
    components: one to the span that starts inside it and ends last, one to the span that ends inside it
    and starts first, where these cross it; of several the longest. docs/grammar.md has the proof.
    """
    if len(start) < 2:
        return []
    size = end.max() + 1
    rows, columns = _furthest_right(start, end, size)
    mirrored_rows, mirrored_columns = _furthest_right(size - 1 - end, size - 1 - start, size)
    rows, columns = np.concatenate([rows, mirrored_rows]), np.concatenate([columns, mirrored_columns])
    if not len(rows):
        return []
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(start), len(start)))
    _, label = connected_components(graph, directed=False)
    order = np.argsort(label, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    return [group for group in groups if len(group) > 1]


def _furthest_right(start: Indices, end: Indices, size: int) -> tuple[Indices, Indices]:
    """Join each span to the longest of those that start inside it and end last, if that crosses it."""
    span_at = np.full((size, size), -1)
    span_at[start, end] = np.arange(len(start))
    reach = np.zeros(size, dtype=np.int64)
    np.maximum.at(reach, start, end)
    # One number orders by the end, then by the start: its maximum over all starts inside a span is the answer.
    order = reach * size + np.arange(size)[::-1]
    furthest = np.maximum.accumulate(np.triu(np.broadcast_to(order, (size, size)), 1), axis=1)[start, end - 1]
    right_end, right_start = furthest // size, size - 1 - furthest % size
    crossing = np.flatnonzero(right_end > end)
    return crossing, span_at[right_start[crossing], right_end[crossing]]


def _solve(start: Indices, end: Indices, weight: Weights) -> NDArray[np.bool_]:
    """Which spans of one component the best tree over its endpoints has, by CKY.

    The chart is stored by (start, width) and by (end, size - width), so that the splits of all spans of
    one width are two contiguous slices.
    """
    endpoints = np.unique(np.concatenate([start, end]))
    size = len(endpoints)
    starts = np.searchsorted(endpoints, start)
    widths = np.searchsorted(endpoints, end) - starts
    weights = np.zeros((size, size))
    weights[widths, starts] = weight

    by_start, by_end = np.zeros((size, size)), np.zeros((size, size))
    best_split = np.zeros((size, size), dtype=np.int64)
    for width in range(1, size):
        count = size - width
        total = weights[width, :count]
        if width > 1:
            sums = by_start[:count, 1:width] + by_end[width:, count + 1 :]
            choice = sums.argmax(1)  # the first of equals
            best_split[width, :count] = choice + 1
            total = total + sums[np.arange(count), choice]
        by_start[:count, width] = total
        by_end[width:, count] = total

    in_tree = np.zeros((size, size), dtype=bool)
    agenda = [(size - 1, 0)]
    while agenda:
        width, left = agenda.pop()
        in_tree[width, left] = True
        if width > 1:
            split = int(best_split[width, left])
            agenda += [(split, left), (width - split, left + split)]
    return in_tree[widths, starts]
