"""Precision and recall as fractions that can be summed over documents before they are divided."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from operator import add


@dataclass(frozen=True)
class Counts:
    """Numerators and denominators of one metric, over one or more documents.

    Corpus-level scores are the sums of these over documents, divided once at the end, as in the official scorer.
    The mean of per-document scores would give a short document the weight of a long one.

    Recall is the amount of gold annotation that was found, precision that of predicted annotation that is right, in the
    unit of the metric.
    """

    recall_numerator: float = 0.0
    recall_denominator: float = 0.0
    precision_numerator: float = 0.0
    precision_denominator: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(add, astuple(self), astuple(other)))

    @property
    def recall(self) -> float:
        """Recall between 0 and 1; 0 if there is no gold annotation."""
        return self.recall_numerator / self.recall_denominator if self.recall_denominator else 0.0

    @property
    def precision(self) -> float:
        """Precision between 0 and 1; 0 if nothing was predicted."""
        return self.precision_numerator / self.precision_denominator if self.precision_denominator else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def scores(self) -> dict[str, float]:
        """Precision, recall and F1 by the endings of score names."""
        return {"p": self.precision, "r": self.recall, "f": self.f1}
