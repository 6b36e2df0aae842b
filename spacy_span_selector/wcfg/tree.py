"""A whole binary tree around the selected spans, for pictures.

Nodes that are not selected have log weight 0 in the grammar, so many trees select the same best set of spans. Among
these, the tree whose other nodes are the most probable spans is the most informative.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .decoding import heaviest_nodes


def binary_tree(selected: Iterable[tuple[int, int]], weights: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Find the binary tree that has all selected spans among its nodes and the greatest total weight of the others.

    Ties are broken as in `best_spans`: a node splits at the first token that allows it.

    selected (Iterable[tuple[int, int]]): Spans as (start, end) tokens, end exclusive; no two may cross.
    weights (NDArray[np.float64]): `weights[i, j]`, not negative, is the weight of the node from token i to token j
        inclusive; weights below the diagonal are never read. Shape: (n, n)
    RETURNS (list[tuple[int, int]]): The 2n - 1 nodes as (start, end), end exclusive, parents before children, left
        before right.
    RAISES (ValueError): If selected spans cross or lie outside the sentence, or if a weight is negative.
    """
    tokens = len(weights)
    selected = set(selected)
    if any(not 0 <= start < end <= tokens for start, end in selected):
        raise ValueError(f"selected: expected spans within {tokens} tokens, but got {sorted(selected)}")
    for (start, end), (other_start, other_end) in combinations(sorted(selected), 2):
        if start < other_start < end < other_end:
            raise ValueError(
                f"selected: the spans {(start, end)} and {(other_start, other_end)} cross: no tree has both"
            )
    rows, lasts = np.triu_indices(tokens)
    node_weights = weights[rows, lasts].astype(np.float64)
    if (node_weights < 0).any():
        raise ValueError(f"weights: expected none below 0, but got {node_weights.min()}")
    ends = lasts + 1
    # More than all other weights together: a tree with one more of the selected spans is always better.
    bonus = 1 + node_weights.sum()
    node_weights += bonus * np.array([span in selected for span in zip(rows.tolist(), ends.tolist(), strict=True)])
    in_tree = heaviest_nodes(rows, ends, node_weights)
    nodes = zip(rows[in_tree].tolist(), ends[in_tree].tolist(), strict=True)
    return sorted(nodes, key=lambda node: (node[0], -node[1]))
