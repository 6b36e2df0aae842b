"""Metrics that only experiments use: nesting and crossing of spans, ranking, calibration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spacy_span_selector.scoring.metrics.counts import Counts

Span = tuple[int, int]
"""Start and end of a span, end exclusive."""

DEPTHS = ("1", "2", "3+")
WIDTHS = ("1-4", "5-12", "13+")
"""Classes of nesting depth and of width, as in tables 4 and 5 of Liu et al. 2022."""

BINS = 20
"""Bins of equal width of the reliability curve."""


def crossing_spans(spans: Iterable[Span]) -> set[Span]:
    """Find the spans that cross another one: they overlap, and neither contains the other.

    spans (Iterable[Span]): The spans of a document.
    """
    crossing: set[Span] = set()
    around: list[Span] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        around = [span for span in around if span[1] > start]
        crossed = [span for span in around if span[0] < start and span[1] < end]
        if crossed:
            crossing.update(crossed, [(start, end)])
        around.append((start, end))
    return crossing


def depth_class(depth: int) -> str:
    """The class of a nesting depth: a row of the table."""
    return DEPTHS[min(depth, len(DEPTHS)) - 1]


def width_class(width: int) -> str:
    """The class of a width in tokens: a row of the table."""
    return WIDTHS[(width > 4) + (width > 12)]


def recall_by_class(classes: Mapping[Span, str], found: AbstractSet[Span], names: Collection[str]) -> dict[str, Counts]:
    """Count the gold spans of each class, and those of them that were found.

    classes (Mapping[Span, str]): The class of each gold span of a document.
    found (Set[Span]): The spans that were found.
    names (Collection[str]): The names of all classes.
    RETURNS (dict[str, Counts]): Counts by class, for recall only.
    """
    return {
        name: Counts(
            float(sum(span in found for span, own in classes.items() if own == name)),
            float(sum(own == name for own in classes.values())),
        )
        for name in names
    }


def average_precision(scores: NDArray[np.float64], is_true: NDArray[np.bool_], n_true: int) -> float | None:
    """Compute how well scores rank the true items before the others: the mean, over the true items, of the precision
    among the items that score at least as much as each.

    Items of equal score count as found together (Manning, Raghavan, Schuetze 2008, "Introduction to Information
    Retrieval", section 8.4, for rankings without ties).

    scores (NDArray[np.float64]): The score of each item. Shape: (n,)
    is_true (NDArray[np.bool_]): Whether each item is true. Shape: (n,)
    n_true (int): The number of true items, including those without a score, which are never found.
    RETURNS (float | None): From 0 to 1; None without a true item.
    """
    if not n_true:
        return None
    order = np.argsort(-scores, kind="stable")
    last_of_score = np.append(np.diff(scores[order]) != 0, True)[: len(order)]
    found = np.cumsum(is_true[order])[last_of_score]
    precision = found / (np.flatnonzero(last_of_score) + 1)
    return float((np.diff(found, prepend=0) * precision).sum() / n_true)


@dataclass
class Calibration:
    """Counts of probabilities and of positive outcomes in bins of equal width, added up document by document.

    Guo, Pleiss, Sun, Weinberger, "On Calibration of Modern Neural Networks", ICML 2017.

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
