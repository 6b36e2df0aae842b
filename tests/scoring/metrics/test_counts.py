import pytest

from spacy_span_selector.scoring.metrics.counts import Counts


def test_precision_recall_and_f1_are_fractions_of_the_counts() -> None:
    counts = Counts(1, 4, 1, 2)
    assert (counts.recall, counts.precision, counts.f1) == (0.25, 0.5, pytest.approx(1 / 3))
    assert (Counts().recall, Counts().precision, Counts().f1) == (0.0, 0.0, 0.0)
    assert Counts(0, 3, 0, 2).f1 == 0.0, "nothing is right"


def test_sum_adds_numerators_and_denominators() -> None:
    assert Counts(1, 2, 3, 4) + Counts(10, 20, 30, 40) == Counts(11, 22, 33, 44)
