"""Statistics of records: means over runs, calibration, and tests of the difference between two variants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..metrics import Calibration
from .records import Record

SAMPLES = 10_000
"""Samples of documents of a bootstrap."""

Measure = Callable[[Record], float | None]
"""A number of a run; None if the run does not have it."""


@dataclass(frozen=True)
class Mean:
    """A mean over runs.

    mean (float): The mean.
    deviation (float | None): The sample standard deviation; None for a single run.
    runs (int): The number of runs with a value.
    """

    mean: float
    deviation: float | None
    runs: int


@dataclass(frozen=True)
class PairedTest:
    """A two-tailed paired t-test of two variants over runs with the same condition, seed and fold.

    pairs (int): The number of pairs.
    difference (float | None): The mean difference; None without pairs.
    t, p (float | None): The t statistic and the p-value; None with fewer than 2 pairs, or if all pairs differ by the
        same amount.
    """

    pairs: int
    difference: float | None
    t: float | None
    p: float | None


@dataclass(frozen=True)
class Bootstrap:
    """The difference between two variants in the main score.

    documents (int): The number of documents that are drawn.
    difference (float | None): The difference on all of them; None without documents.
    low, high (float | None): The interval that holds 95 % of the differences on samples.
    p (float | None): Twice the share of the samples with a difference of the other sign, or none; at most 1.
    """

    documents: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True)
class Wins:
    """In how many runs a variant is better than another one.

    pairs (int): The number of pairs of runs with the same condition, seed and fold.
    first (int): The number of those in which the first variant is better.
    """

    pairs: int
    first: int


def mean(records: Iterable[Record], measure: Measure) -> Mean | None:
    """The mean of a measure over runs; None if none has a value."""
    values = [value for value in map(measure, records) if value is not None]
    if not values:
        return None
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Mean(float(np.mean(values)), deviation, len(values))


def paired_test(first: Iterable[Record], second: Iterable[Record], measure: Measure) -> PairedTest:
    """Test whether two variants differ.

    first, second (Iterable[Record]): The runs of each variant.
    measure (Measure): The number to compare.
    RETURNS (PairedTest): The result.
    """
    from scipy.stats import ttest_rel

    ours, theirs = _pairs(first, second, measure)
    if not len(ours):
        return PairedTest(0, None, None, None)
    differences = ours - theirs
    difference = float(differences.mean())
    if len(ours) < 2 or np.allclose(differences, differences[0], rtol=0, atol=1e-12):
        return PairedTest(len(ours), difference, None, None)
    t, p = ttest_rel(ours, theirs)
    return PairedTest(len(ours), difference, float(t), float(p))


def count_wins(first: Iterable[Record], second: Iterable[Record], measure: Measure) -> Wins:
    """Count in how many pairs of runs the first variant is better; the arguments are those of `paired_test`."""
    ours, theirs = _pairs(first, second, measure)
    return Wins(len(ours), int((ours > theirs).sum()))


def _pairs(first: Iterable[Record], second: Iterable[Record], measure: Measure) -> list[NDArray[np.float64]]:
    """The number of each variant in the runs that both have. Shapes: (pairs,)"""
    rows = [
        {
            (record["condition"], record["seed"], record["fold"]): measure(record)
            for record in records
            if measure(record) is not None
        }
        for records in (first, second)
    ]
    keys = sorted(rows[0].keys() & rows[1].keys())
    return [np.array([row[key] for key in keys], dtype=np.float64) for row in rows]


def paired_bootstrap(first: Iterable[Record], second: Iterable[Record], split: str) -> Bootstrap:
    """Compare two variants on the documents that both have annotated, over all conditions, seeds and folds.

    Documents are drawn with replacement, the same ones for both variants, and both are scored on them as a corpus
    (Efron and Tibshirani 1993; Berg-Kirkpatrick, Burkett, Klein 2012, "An Empirical Investigation of Statistical
    Significance in NLP"). Unlike a t-test over runs, it has as many units as there are documents.

    first, second (Iterable[Record]): The runs of each variant.
    split (str): "dev" or "test".
    RETURNS (Bootstrap): The result. The counts of a document are summed over seeds and conditions: those are no other
        documents.
    """
    sides = _documents(first, split), _documents(second, split)
    both = [key for key in sides[0] if key in sides[1]]
    if not both:
        return Bootstrap(0, None, None, None, None)
    documents: dict[tuple[str, int], list[NDArray[np.float64]]] = {}
    for key in both:
        pair = [np.array(side[key], dtype=np.float64) for side in sides]
        own = documents.setdefault(key[-2:], [np.zeros_like(counts) for counts in pair])
        documents[key[-2:]] = [total + counts for total, counts in zip(own, pair, strict=True)]
    counts = np.array(list(documents.values()))  # (documents, variants, metrics, fields of `Counts`)
    chance = np.random.default_rng(0)
    weights = chance.multinomial(len(counts), [1 / len(counts)] * len(counts), size=SAMPLES)
    sampled = np.tensordot(weights, counts, axes=1)
    ours, theirs = mean_f1(sampled).T
    differences = ours - theirs
    whole = mean_f1(counts.sum(0))
    low, high = np.percentile(differences, [2.5, 97.5])
    p = 2 * min(float((differences <= 0).mean()), float((differences >= 0).mean()))
    return Bootstrap(len(counts), float(whole[0] - whole[1]), float(low), float(high), min(1.0, p))


def mean_f1(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean F1 of metrics, from the fields of `Counts` of each. Shapes: (..., metrics, 4) to (...)"""
    found, gold, right, predicted = np.moveaxis(counts, -1, 0)
    recall, precision = (_divide(found, gold), _divide(right, predicted))
    f1: NDArray[np.float64] = _divide(2 * precision * recall, precision + recall).mean(-1)
    return f1


def _divide(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """A fraction, 0 where the denominator is 0, as in `Counts`."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def _documents(records: Iterable[Record], split: str) -> dict[tuple[str, int, str, int], list[list[float]]]:
    """The counts of each document of each run, by condition, seed, fold and number."""
    return {
        (record["condition"], record["seed"], record["fold"], number): counts
        for record in records
        for number, counts in enumerate(record["documents"][split])
    }


def score(name: str, part: str = "test") -> Measure:
    """A score of spaCy's scorer."""
    return lambda record: record["scores"][part].get(name)


def spans_per_token(record: Record) -> float | None:
    """The number of spans that the selector keeps per token."""
    return ratio(record["kept"]["spans"], record["tokens"])


def span_score(kind: str, part: str) -> Measure:
    """Precision, recall or F1 of the spans that are `kept`, or in the `output`."""

    def measure(record: Record) -> float | None:
        counts = record[kind]
        outof = {"p": counts["spans"], "r": counts["gold"], "f": (counts["spans"] + counts["gold"]) / 2}
        return ratio(counts["found"], outof[part])

    return measure


def average_precision(record: Record) -> float | None:
    """The average precision of all spans ranked by the selector; None if it ranks none."""
    value: float | None = record["average_precision"]
    return value


def crossing_share(record: Record) -> float | None:
    """The share of the kept spans that cross another kept one."""
    return ratio(record["kept"]["crossing"], record["kept"]["spans"])


def class_recall(kind: str, classes: str, name: str) -> Measure:
    """Recall of the gold spans of a class, by `depth` or `width`, among those `kept` or in the `output`."""
    return lambda record: ratio(record[kind][classes][name]["found"], record[kind][classes][name]["gold"])


def ratio(numerator: float, denominator: float) -> float | None:
    """A fraction; None if the denominator is 0."""
    return numerator / denominator if denominator else None


def mean_curve(records: Sequence[Record]) -> list[tuple[float, float]]:
    """Spans per token and recall at each value of the selector's setting: means over runs, sorted."""
    points: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for record in records:
        for point in (point for point in record["curve"] if point["gold"]):
            key = point["setting"], point["value"]
            points.setdefault(key, []).append((point["spans"] / record["tokens"], point["found"] / point["gold"]))
    return sorted((float(x), float(y)) for x, y in (np.mean(rows, axis=0) for rows in points.values()))


def recall_at(curve: Sequence[tuple[float, float]], spans: float) -> float | None:
    """Recall at a number of spans per token, interpolated on a curve; None outside its range."""
    if not curve or not curve[0][0] <= spans <= curve[-1][0]:
        return None
    return float(np.interp(spans, [x for x, _ in curve], [y for _, y in curve]))


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
