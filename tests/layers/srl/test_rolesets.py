from __future__ import annotations

import math

import pytest
import torch

from spacy_span_selector.layers.srl.predicates import RolesetClassifier, RolesetScores, Senses
from spacy_span_selector.layers.srl.roles import Pairs

WIDTH, ROLESETS = 6, 5
PAIRS = [(0, 1), (0, 3), (0, 4), (2, 0), (3, 2), (3, 3)]  # predicate 1 has none
COUNTS = [7, 2, 1, 3, 1, 9]
PREDICATES = 5  # nor has the last


def senses(device: str = "cpu") -> Senses:
    predicate, roleset = torch.tensor(PAIRS, device=device).T
    return Senses(Pairs(predicate, roleset), torch.tensor(COUNTS, dtype=torch.float, device=device).log())


def no_senses() -> Senses:
    none = torch.zeros(0, dtype=torch.long)
    return Senses(Pairs(none, none), torch.zeros(0))


def build(dropout: float = 0.0, scale: float = 1.0) -> RolesetClassifier:
    torch.manual_seed(0)
    classifier = RolesetClassifier(width=WIDTH, hidden_width=4, rolesets=ROLESETS, dropout=dropout)
    torch.nn.init.normal_(classifier.rolesets.weight, std=scale)
    return classifier


def vectors(count: int = PREDICATES) -> torch.Tensor:
    return torch.randn(count, WIDTH, generator=torch.Generator().manual_seed(1))


@torch.no_grad()
def plain_log_p(classifier: RolesetClassifier, predicates: torch.Tensor) -> list[float]:
    """A softmax for each predicate."""
    scores = [
        float(torch.relu(classifier.project(predicates[predicate])) @ classifier.rolesets.weight[roleset])
        + math.log(count)
        for (predicate, roleset), count in zip(PAIRS, COUNTS, strict=True)
    ]
    totals: dict[int, float] = {}
    for (predicate, _), score in zip(PAIRS, scores, strict=True):
        totals[predicate] = totals.get(predicate, 0.0) + math.exp(score)
    return [score - math.log(totals[predicate]) for (predicate, _), score in zip(PAIRS, scores, strict=True)]


def test_log_probabilities_are_a_softmax_for_each_predicate(device: str) -> None:
    classifier = build()
    found = classifier.to(device)(vectors().to(device), senses(device))
    assert found.predicates == PREDICATES
    torch.testing.assert_close(found.log_p.cpu(), torch.tensor(plain_log_p(classifier.cpu(), vectors())))


def test_great_scores_do_not_overflow() -> None:
    log_p = build(scale=1e4)(vectors(), senses()).log_p
    assert torch.isfinite(log_p).all()
    totals = torch.zeros(PREDICATES).index_add(0, senses().pairs.left, log_p.exp())
    torch.testing.assert_close(totals, torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0]))


def test_the_most_frequent_wins_before_anything_is_learnt() -> None:
    torch.manual_seed(0)
    untrained = RolesetClassifier(width=WIDTH, hidden_width=4, rolesets=ROLESETS, dropout=0.0)
    scores = untrained(vectors(), senses())
    assert scores.decode().tolist() == [1, -1, 0, 3, -1]
    torch.testing.assert_close(scores.log_p.exp(), torch.tensor([0.7, 0.2, 0.1, 1.0, 0.1, 0.9]))


def test_the_most_probable_is_decoded() -> None:
    scores = RolesetScores(senses(), torch.tensor([-2.0, -0.5, -1.0, 0.0, -0.1, -3.0]), PREDICATES)
    assert scores.decode().tolist() == [3, -1, 0, 2, -1]


def test_of_equally_probable_ones_the_first_is_decoded() -> None:
    scores = RolesetScores(senses(), torch.full((6,), -1.0), PREDICATES)
    assert scores.decode().tolist() == [1, -1, 0, 2, -1]


@pytest.mark.parametrize(
    ("gold", "learnt"),
    [
        ([1, -1, 0, 3, -1], [0, 3, 5]),
        ([4, 2, -1, -1, 2], [2]),  # predicate 1 and the last were never seen with roleset 2
        ([2, 2, 3, 0, 0], []),
        ([-1] * 5, []),
    ],
)
def test_loss_is_the_log_likelihood_of_gold_rolesets_that_were_seen(gold: list[int], learnt: list[int]) -> None:
    scores = build()(vectors(), senses())
    assert scores.loss(torch.tensor(gold)).item() == pytest.approx(-sum(scores.log_p.tolist()[i] for i in learnt))


def test_no_rolesets_have_no_loss_but_a_gradient() -> None:
    for classifier in (build(), RolesetClassifier(width=WIDTH, hidden_width=4, rolesets=0, dropout=0.0)):
        scores = classifier(vectors(), no_senses())
        assert scores.decode().tolist() == [-1] * PREDICATES
        loss = scores.loss(torch.full((PREDICATES,), -1))
        assert loss.item() == 0.0
        (gradient,) = torch.autograd.grad(loss, scores.log_p)
        assert len(gradient) == 0


def test_no_predicates_have_no_rolesets() -> None:
    assert build()(vectors(0), no_senses()).decode().tolist() == []


def test_evaluation_is_without_dropout() -> None:
    dropped = build(dropout=0.5)
    assert torch.equal(dropped.eval()(vectors(), senses()).log_p, build()(vectors(), senses()).log_p)
    assert not torch.equal(dropped.train()(vectors(), senses()).log_p, build()(vectors(), senses()).log_p)
