"""The calibration of runs, from the counts in their records."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..metrics.calibration import Calibration
from .records import Record


def pooled_calibration(records: Iterable[Record]) -> Calibration | None:
    """The summed counts of several runs; None if no run has probabilities."""
    pooled = Calibration()
    for record in records:
        if record["calibration"] is not None:
            for name, counts in record["calibration"].items():
                setattr(pooled, name, getattr(pooled, name) + np.array(counts))
    return pooled if pooled.counts.any() else None


def calibration_error(record: Record, first_bin: int) -> float | None:
    """The expected calibration error of a run over the bins from `first_bin` on; None without probabilities."""
    calibration = pooled_calibration([record])
    return None if calibration is None else calibration.error(first_bin)
