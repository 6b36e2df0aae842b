from __future__ import annotations

import random

import pytest

from lab.experiments.bootstrap import Bootstrap, paired_bootstrap
from lab.experiments.records import Record
from spacy_span_selector.scoring.metrics.counts import Counts

from .conftest import make_record

CHANCE = random.Random(0)


def run(variant: str, found: list[int], *, seed: int = 0, fold: str = "0") -> Record:
    """A run with a document of 20 gold and 20 predicted items for each number of right ones, by two equal metrics."""
    documents = [[[n, 20, n, 20]] * 2 for n in found]
    return make_record(variant, seed, fold, documents={"test": documents})


def test_equals_a_plain_bootstrap():
    sides = [[CHANCE.randint(5, 15) for _ in range(12)] for _ in range(2)]
    documents = [[Counts(n, 20, n, 20) for n in side] for side in sides]

    def difference(chosen: list[int]) -> float:
        ours, theirs = (sum((side[i] for i in chosen), Counts()).f1 for side in documents)
        return ours - theirs

    drawn = sorted(difference(CHANCE.choices(range(12), k=12)) for _ in range(4000))
    test = paired_bootstrap([run("a", sides[0])], [run("b", sides[1])], "test")
    assert test.documents == 12
    assert test.difference == pytest.approx(difference(list(range(12))))
    assert test.low == pytest.approx(drawn[100], abs=0.02)
    assert test.high == pytest.approx(drawn[-100], abs=0.02)
    other_sign = sum(value <= 0 for value in drawn) / 4000
    assert test.p == pytest.approx(2 * min(other_sign, 1 - other_sign), abs=0.05)


def test_a_document_of_two_seeds_is_one_document():
    runs = [run(name, found, seed=seed) for seed in (0, 1) for name, found in (("a", [9, 8]), ("b", [5, 5]))]
    assert paired_bootstrap(runs[::2], runs[1::2], "test").documents == 2


def test_a_document_under_two_conditions_is_one_document():
    runs = [{**run(name, [9, 8]), "condition": condition} for condition in ("5", "80") for name in ("a", "b")]
    assert paired_bootstrap(runs[::2], runs[1::2], "test").documents == 2


def test_folds_have_documents_of_their_own():
    runs = [run(name, [9, 8], fold=fold) for fold in ("0", "1") for name in ("a", "b")]
    assert paired_bootstrap(runs[::2], runs[1::2], "test").documents == 4


def test_a_document_that_one_side_lacks_does_not_count():
    assert paired_bootstrap([run("a", [9, 8, 7])], [run("b", [5, 5])], "test").documents == 2


def test_a_document_without_annotation_and_without_predictions_is_no_error():
    records = [make_record(name, documents={"test": [[[0, 0, 0, 0]]]}) for name in ("a", "b")]
    assert paired_bootstrap(records[:1], records[1:], "test").difference == 0


def test_no_document_has_no_difference():
    assert paired_bootstrap([make_record("a")], [make_record("b")], "test") == Bootstrap(0, None, None, None, None)
