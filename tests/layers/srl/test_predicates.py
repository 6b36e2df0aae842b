import math

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from spacy_span_selector.layers.srl.predicates import (
    BEGIN,
    INSIDE,
    OUTSIDE,
    FindPredicates,
    PredicateTagger,
    RolesetClassifier,
    RolesetScores,
    Senses,
    decode_predicates,
    predicate_tags,
)
from spacy_span_selector.layers.srl.roles import Pairs

from ...layouts import layout_of, listed, spans_at

Predicates = list[tuple[int, int]]

LAYOUT = layout_of([[3, 2], [], [4]])


def certain(tags: list[int]) -> torch.Tensor:
    """Log probabilities that spell these tags."""
    return torch.nn.functional.one_hot(torch.tensor(tags, dtype=torch.long), 3).float().log_softmax(1)


def plain_predicates(tags: list[int], lengths: list[int]) -> Predicates:
    """Sentence by sentence: a predicate begins at BEGIN and takes the INSIDE that follow."""
    found = []
    first = 0
    for length in lengths:
        for start in range(first, first + length):
            if tags[start] == BEGIN:
                end = start
                while end + 1 < first + length and tags[end + 1] == INSIDE:
                    end += 1
                found.append((start, end))
        first += length
    return found


@st.composite
def tagged_batches(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Sentence lengths, and a tag for each token."""
    length = st.integers(1, 5)
    lengths = draw(st.lists(st.lists(length, max_size=3), min_size=1, max_size=3).filter(any))
    total = sum(length for document in lengths for length in document)
    return lengths, draw(st.lists(st.sampled_from([OUTSIDE, BEGIN, INSIDE]), min_size=total, max_size=total))


@settings(deadline=None)
@given(tagged_batches())
def test_predicates_are_those_that_the_tags_spell(batch: tuple[list[list[int]], list[int]]) -> None:
    lengths, tags = batch
    found = decode_predicates(certain(tags), layout_of(lengths))
    assert listed(found) == plain_predicates(tags, [length for document in lengths for length in document])


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([1, 1, 2, 1, 2, 0, 0, 0, 0], [(0, 0), (1, 2), (3, 4)]),
        ([0, 0, 1, 2, 2, 2, 2, 0, 1], [(2, 2), (8, 8)]),
        ([0, 2, 0, 0, 0, 0, 1, 2, 2], [(6, 8)]),
        ([0] * 9, []),
        ([2] * 9, []),
    ],
    ids=["adjacent", "sentences end predicates", "inside without begin", "none", "inside alone"],
)
def test_tags_at_edges(tags: list[int], expected: Predicates, device: str) -> None:
    layout = layout_of([[3, 2], [], [4]], torch.device(device))
    found = decode_predicates(certain(tags).to(device), layout)
    assert found.starts.device.type == device
    assert listed(found) == expected


@settings(deadline=None)
@given(tagged_batches())
def test_tags_of_predicates_spell_them(batch: tuple[list[list[int]], list[int]]) -> None:
    lengths, tags = batch
    layout = layout_of(lengths)
    predicates = decode_predicates(certain(tags), layout)
    spelt = predicate_tags(predicates, len(tags))
    assert listed(decode_predicates(certain(spelt.tolist()), layout)) == listed(predicates)


def test_the_first_of_overlapping_predicates_has_the_tokens() -> None:
    predicates = spans_at([(0, 0), (0, 2), (4, 6), (5, 5), (7, 8), (7, 8)])
    assert predicate_tags(predicates, 10).tolist() == [1, 0, 0, 0, 1, 2, 2, 1, 2, 0]


def test_given_predicates_are_taken_and_no_others(device: str) -> None:
    layout = layout_of([[3, 2], [], [4]], torch.device(device))
    given = spans_at([(3, 4), (1, 1), (1, 1)], device)
    find = FindPredicates(given, closed=torch.tensor([True, False, False], device=device))
    found = find(certain([1, 0, 0, 1, 0, 1, 2, 0, 1]).to(device), layout)
    assert listed(found) == [(1, 1), (1, 1), (3, 4), (5, 6), (8, 8)]


def test_a_document_may_be_given_no_predicates() -> None:
    find = FindPredicates(spans_at([]), closed=torch.tensor([True, True, False]))
    assert listed(find(certain([1] * 9), LAYOUT)) == [(5, 5), (6, 6), (7, 7), (8, 8)]
    find = FindPredicates(spans_at([]), closed=torch.tensor([True, True, True]))
    assert listed(find(certain([1] * 9), LAYOUT)) == []


def test_tagger_gives_log_probabilities() -> None:
    torch.manual_seed(0)
    tagger, tokens = PredicateTagger(width=5, hidden_width=7, dropout=0.5), torch.randn(6, 5)
    log_tags = tagger.eval()(tokens)
    assert log_tags.shape == (6, 3)
    torch.testing.assert_close(log_tags.exp().sum(1), torch.ones(6))


WIDTH, ROLESETS = 6, 5
SENSES = [(0, 1), (0, 3), (0, 4), (2, 0), (3, 2), (3, 3)]  # predicate 1 has none
COUNTS = [7, 2, 1, 3, 1, 9]
PREDICATES = 5  # nor has the last


def senses(device: str = "cpu") -> Senses:
    predicate, roleset = torch.tensor(SENSES, device=device).T
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
        for (predicate, roleset), count in zip(SENSES, COUNTS, strict=True)
    ]
    totals: dict[int, float] = {}
    for (predicate, _), score in zip(SENSES, scores, strict=True):
        totals[predicate] = totals.get(predicate, 0.0) + math.exp(score)
    return [score - math.log(totals[predicate]) for (predicate, _), score in zip(SENSES, scores, strict=True)]


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


def test_the_most_probable_is_decoded_and_of_equal_ones_the_first() -> None:
    scores = RolesetScores(senses(), torch.tensor([-2.0, -0.5, -1.0, 0.0, -0.1, -3.0]), PREDICATES)
    assert scores.decode().tolist() == [3, -1, 0, 2, -1]
    assert RolesetScores(senses(), torch.full((6,), -1.0), PREDICATES).decode().tolist() == [1, -1, 0, 2, -1]


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
    assert build()(vectors(0), no_senses()).decode().tolist() == []
