"""Paired bootstrap: would the difference between two variants be there on other documents?

Documents are drawn with replacement, the same ones for both variants, and both are scored on them as a corpus (Efron
and Tibshirani 1993; Berg-Kirkpatrick, Burkett, Klein 2012, "An Empirical Investigation of Statistical Significance in
NLP"). Unlike a t-test over runs, it has as many units as there are documents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .records import Record

SAMPLES = 10_000


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


def paired_bootstrap(first: Iterable[Record], second: Iterable[Record], split: str) -> Bootstrap:
    """Compare two variants on the documents that both have annotated, over all conditions, seeds and folds.

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
    """The counts of each document of each run, by condition, seed, fold and number; earlier records have none."""
    return {
        (record.get("condition", ""), record["seed"], record["fold"], number): counts
        for record in records
        for number, counts in enumerate(record.get("documents", {}).get(split, ()))
    }
