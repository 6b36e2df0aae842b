"""Whether probabilities mean what they say: the reliability curve and the expected calibration error.

Guo, Pleiss, Sun, Weinberger, "On Calibration of Modern Neural Networks", ICML 2017.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

BINS = 20


@dataclass
class Calibration:
    """Counts of probabilities and of what came true, in bins of equal width, added up document by document.

    counts (NDArray): How many probabilities each bin has. Shape: (BINS,)
    expected (NDArray): Their sum. Shape: (BINS,)
    observed (NDArray): How many came true. Shape: (BINS,)
    """

    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))
    expected: NDArray[np.float64] = field(default_factory=lambda: np.zeros(BINS))
    observed: NDArray[np.int64] = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))

    def add(self, probabilities: NDArray[np.float64], is_true: NDArray[np.bool_]) -> None:
        """Count probabilities, between 0 and 1, and what came true. Shape of both: (n,)"""
        bins = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
        self.counts += np.bincount(bins, minlength=BINS)
        self.expected += np.bincount(bins, weights=probabilities, minlength=BINS)
        self.observed += np.bincount(bins[is_true], minlength=BINS)

    def error(self, first_bin: int = 0) -> float | None:
        """The expected calibration error: mean distance of probability and frequency of a bin, weighed by its count.

        first_bin (int): Leave out those below: nearly all spans of a text are certainly nothing, and hide the rest.
        RETURNS (float | None): From 0 to 1; None if nothing was counted.
        """
        total = int(self.counts[first_bin:].sum())
        if not total:
            return None
        return float(np.abs(self.expected - self.observed)[first_bin:].sum() / total)
