"""Average precision: how well scores rank the true items before the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def average_precision(scores: NDArray[np.float64], is_true: NDArray[np.bool_], n_true: int) -> float | None:
    """The mean, over the true items, of the precision among the items that score at least as much as each.

    Items of equal score count as found together (Manning, Raghavan, Schuetze 2008, "Introduction to Information
    Retrieval", section 8.4, for rankings without ties).

    scores (NDArray[np.float64]): The score of each item. Shape: (n,)
    is_true (NDArray[np.bool_]): Which items are true. Shape: (n,)
    n_true (int): How many true items there are, those that have no score included: these are never found.
    RETURNS (float | None): From 0 to 1; None without a true item.
    """
    if not n_true:
        return None
    order = np.argsort(-scores, kind="stable")
    last_of_score = np.append(np.diff(scores[order]) != 0, True)[: len(order)]
    found = np.cumsum(is_true[order])[last_of_score]
    precision = found / (np.flatnonzero(last_of_score) + 1)
    return float((np.diff(found, prepend=0) * precision).sum() / n_true)
