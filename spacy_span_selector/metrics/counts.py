"""Precision and recall as fractions that can be summed over documents before they are divided."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """Numerators and denominators of one metric, over one or more documents.

    Corpus-level scores are the sum of these over documents, divided once at the end, as the official scorer
    does; the mean of per-document scores would give a short document the weight of a long one.

    recall_numerator (float): What of the gold annotation was found, in the metric's own unit.
    recall_denominator (float): What of the gold annotation could have been found.
    precision_numerator (float): What of the prediction is right.
    precision_denominator (float): What of the prediction could have been right.
    """

    recall_numerator: float = 0.0
    recall_denominator: float = 0.0
    precision_numerator: float = 0.0
    precision_denominator: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.recall_numerator + other.recall_numerator,
            self.recall_denominator + other.recall_denominator,
            self.precision_numerator + other.precision_numerator,
            self.precision_denominator + other.precision_denominator,
        )

    @property
    def recall(self) -> float:
        """Recall between 0 and 1; 0 where the gold annotation has nothing to find."""
        return self.recall_numerator / self.recall_denominator if self.recall_denominator else 0.0

    @property
    def precision(self) -> float:
        """Precision between 0 and 1; 0 where nothing was predicted."""
        return self.precision_numerator / self.precision_denominator if self.precision_denominator else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0
