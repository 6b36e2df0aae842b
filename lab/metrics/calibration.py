"""Calibration of probabilities: the reliability curve and the expected calibration error.

Guo, Pleiss, Sun, Weinberger, "On Calibration of Modern Neural Networks", ICML 2017.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

BINS = 20


@dataclass
class Calibration:
    """Counts of probabilities and of positive outcomes in bins of equal width, added up document by document.

    counts (NDArray[np.int64]): The number of probabilities in each bin. Shape: (BINS,)
    expected (NDArray[np.float64]): Their sum. Shape: (BINS,)
    observed (NDArray[np.int64]): The number of positive outcomes. Shape: (BINS,)
    """

    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))
    expected: NDArray[np.float64] = field(default_factory=lambda: np.zeros(BINS))
    observed: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))

    def add(self, probabilities: NDArray[np.float64], is_true: NDArray[np.bool_]) -> None:
        """Add probabilities and their outcomes.

        probabilities (NDArray[np.float64]): Probabilities between 0 and 1. Shape: (n,)
        is_true (NDArray[np.bool_]): Their outcomes. Shape: (n,)
        """
        bins = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
        self.counts += np.bincount(bins, minlength=BINS)
        self.expected += np.bincount(bins, weights=probabilities, minlength=BINS)
        self.observed += np.bincount(bins[is_true], minlength=BINS)

    def error(self, first_bin: int = 0) -> float | None:
        """Compute the expected calibration error: the mean difference between probability and frequency over bins,
        weighted by their counts.

        first_bin (int): Bins below are ignored: nearly all spans of a text are obviously not mentions or arguments, and
            would hide the rest.
        RETURNS (float | None): The error from 0 to 1; None if the bins are empty.
        """
        total = int(self.counts[first_bin:].sum())
        if not total:
            return None
        return float(np.abs(self.expected - self.observed)[first_bin:].sum() / total)
