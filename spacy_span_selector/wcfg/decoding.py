"""Exact search for the heaviest set of non-crossing spans.

Any such set extends to a binary tree, so this is what the best tree selects. Spans that cross no
other are kept immediately. The others form connected components of the "crosses" relation, and each
component has its own chart, over its own endpoints. docs/grammar.md has the proof.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from .validation import ScoreError, validate

Indices = NDArray[np.int64]
Weights = NDArray[np.float64]


def best_spans(scores: Tensor, lengths: Tensor) -> list[list[tuple[int, int]]]:
    """Find the non-crossing set with the greatest total score among the spans that score above 0.

    Two spans cross if they overlap and neither contains the other. With the scores of the grammar this is the most
    probable tree (MAP decoding); with marginals minus a threshold it is the set of greatest expected recall (marginal
    decoding; Goodman 1996, "Parsing Algorithms and Metrics"). Ties are broken by position: among the sets that reach
    the greatest total (summed in float64), a span splits at the first boundary that allows it, widest span first.

    scores, lengths (Tensor): As for `Grammar.log_partition`. Shapes: (batch, n, n), (batch,)
    RETURNS (list[list[tuple[int, int]]]): For each sentence its spans as (start, end) tokens, end exclusive, sorted.
    RAISES (ValueError): If a shape, a dtype or a length is not as described, or a score is NaN.
    """
    validate(scores, lengths)
    scores = scores.detach()
    token = torch.arange(scores.shape[1], device=scores.device)
    exists = (token[:, None] <= token) & (token < lengths.to(scores.device)[:, None, None])
    if (wrong := (exists & scores.isnan()).nonzero()).numel():
        raise ScoreError(f"scores[{', '.join(map(str, wrong[0].tolist()))}] is nan; expected a number")
    positive = exists & (scores > 0)
    sentence, start, last = (column.cpu().numpy() for column in positive.nonzero(as_tuple=True))
    # Offset the sentences, so that spans of two sentences never overlap.
    before = sentence * scores.shape[1]
    keep = heaviest_set(before + start, before + last + 1, scores[positive].double().cpu().numpy())
    spans: list[list[tuple[int, int]]] = [[] for _ in range(len(scores))]
    for i, first, end in zip(*(column[keep].tolist() for column in (sentence, start, last)), strict=True):
        spans[i].append((first, end + 1))
    return spans


def heaviest_set(start: Indices, end: Indices, weight: Weights) -> NDArray[np.bool_]:
    """Mark the spans that are in the heaviest set of them that do not cross.

    start, end (NDArray[np.int64]): First token of each span, and the one behind its last, from 0. Shape: (spans,)
    weight (NDArray[np.float64]): What each weighs; above 0. Shape: (spans,)
    """
    keep = np.ones(len(start), dtype=bool)
    for component in _crossing_components(start, end):
        keep[component] = heaviest_nodes(start[component], end[component], weight[component])
    return keep


def _crossing_components(start: Indices, end: Indices) -> list[Indices]:
    """The connected components, with two spans or more, of the graph whose edges join crossing spans.

    This graph may have as many edges as there are pairs of spans, but two edges per span give the same
    components: one to the span that starts inside it and ends last, one to the span that ends inside it
    and starts first, if these cross it; in a tie the longest. docs/grammar.md has the proof.
    """
    if len(start) < 2:
        return []
    size = int(end.max()) + 1
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
    """Join each span to the span that starts inside it and ends last, in a tie the longest, if it crosses."""
    longest = np.full(size, -1)  # of the spans that start at each boundary
    by_end = np.argsort(end, kind="stable")
    longest[start[by_end]] = by_end
    # One number sorts by the end, then by the start: its maximum over all starts inside a span is the result.
    order = np.where(longest < 0, 0, end[longest] * size + np.arange(size)[::-1])
    furthest = _maximum_of_ranges(order, start + 1, end)
    right_end, right_start = furthest // size, size - 1 - furthest % size
    crossing = np.flatnonzero(right_end > end)
    return crossing, longest[right_start[crossing]]


def _maximum_of_ranges(values: Indices, begin: Indices, end: Indices) -> Indices:
    """The maximum of `values[begin:end]` for each range, 0 for an empty one."""
    edges = np.stack([begin, end], axis=1).ravel()  # between two ranges are others, which nobody asks for
    return np.where(begin < end, np.maximum.reduceat(np.append(values, 0), edges)[::2], 0)


def heaviest_nodes(start: Indices, end: Indices, weight: Weights) -> NDArray[np.bool_]:
    """Mark the spans of one component that are in the best tree over its endpoints, by CKY.

    The chart is stored by (start, width) and by (end, greatest width - width), so that the splits of all spans of one
    width are two contiguous slices. It ends with the widest of the spans: what is wider is a chain of these.
    """
    endpoints = np.unique(np.concatenate([start, end]))
    size = len(endpoints)
    starts = np.searchsorted(endpoints, start)
    widths = np.searchsorted(endpoints, end) - starts
    most = int(widths.max())
    weights = np.zeros((most + 1, size))
    weights[widths, starts] = weight

    by_start, by_end = np.zeros((size, most + 1)), np.zeros((size, most + 1))
    best_split = np.zeros((most + 1, size), dtype=np.int64)
    for width in range(1, most + 1):
        count = size - width
        total = weights[width, :count]
        if width > 1:
            sums = by_start[:count, 1:width] + by_end[width:, most + 2 - width :]
            choice = sums.argmax(1)  # the first in a tie
            best_split[width, :count] = choice + 1
            total = total + sums[np.arange(count), choice]
        by_start[:count, width] = total
        by_end[width:, most + 1 - width] = total

    in_tree = np.zeros((most + 1, size), dtype=bool)
    agenda = _best_chain(by_start)
    while agenda:
        width, left = agenda.pop()
        in_tree[width, left] = True
        if width > 1:
            split = int(best_split[width, left])
            agenda += [(split, left), (width - split, left + split)]
    return in_tree[widths, starts]


def _best_chain(by_start: Weights) -> list[tuple[int, int]]:
    """Cut what is wider than a chart where a tree over all would: at the first boundary that reaches the best total.

    by_start (NDArray[np.float64]): Best total of each span. Shape: (size, most + 1)
    RETURNS (list[tuple[int, int]]): Width and start of each piece.
    """
    size, columns = by_start.shape
    most = columns - 1
    behind, first_cut = np.zeros(size), np.zeros(size, dtype=np.int64)
    for place in range(size - 2, -1, -1):
        widest = min(most, size - 1 - place)
        totals = by_start[place, 1 : widest + 1] + behind[place + 1 : place + widest + 1]
        first_cut[place] = totals.argmax() + 1
        behind[place] = totals[first_cut[place] - 1]
    pieces, place = [], 0
    while size - 1 - place > most:
        pieces.append((int(first_cut[place]), place))
        place += int(first_cut[place])
    return [*pieces, (size - 1 - place, place)]
