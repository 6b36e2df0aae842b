from __future__ import annotations

import torch

from spacy_span_selector.layers.srl.pairs import Pairs
from spacy_span_selector.layers.srl.refinement import RoleRefiner, likeliest_pairs

ROLES = 3
PAIRS = Pairs(torch.tensor([0, 0, 1, 1, 2, 3, 3]), torch.tensor([0, 2, 0, 2, 0, 2, 0]))  # predicate 1 has none
DISTANCE = torch.tensor([0, 1, 2, 3, 4, 5, 6])


def build(most: int = 2) -> RoleRefiner:
    torch.manual_seed(0)
    return RoleRefiner(argument_width=5, predicate_width=6, roles=ROLES, most=most, width=8, dropout=0.0).eval()


def log_roles() -> torch.Tensor:
    return torch.randn(len(DISTANCE), 1 + ROLES, generator=torch.Generator().manual_seed(1)).log_softmax(1)


def refine(refiner: RoleRefiner, given: torch.Tensor | None = None, *, arguments: int = 4) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    vectors = torch.randn(arguments, 5, generator=generator), torch.randn(3, 6, generator=generator)
    refined: torch.Tensor = refiner(log_roles() if given is None else given, *vectors, PAIRS, DISTANCE)
    return refined


def learnt(refiner: RoleRefiner) -> RoleRefiner:
    torch.nn.init.normal_(refiner.output.weight)
    return refiner


def test_the_likeliest_pairs_of_each_predicate_come_first() -> None:
    log_null = torch.tensor([0.3, 0.1, 0.2, 0.5, 0.9, 0.1, 0.1])
    assert likeliest_pairs(log_null, PAIRS.right, 3, 2).tolist() == [[6, 2], [-1, -1], [1, 5]]
    assert likeliest_pairs(log_null, PAIRS.right, 3, 9).tolist() == [[6, 2, 0, 4], [-1] * 4, [1, 5, 3, -1]]


def test_without_pairs_there_are_no_rows() -> None:
    none = torch.zeros(0, dtype=torch.long)
    assert likeliest_pairs(torch.zeros(0), none, 2, 3).shape == (2, 0)
    assert likeliest_pairs(torch.zeros(0), none, 0, 3).shape == (0, 0)
    empty = torch.zeros(0, 1 + ROLES)
    assert build()(empty, torch.zeros(0, 5), torch.zeros(2, 6), Pairs(none, none), none) is empty


def test_at_first_nothing_is_refined() -> None:
    torch.testing.assert_close(refine(build()), log_roles())


def test_refined_roles_are_probabilities() -> None:
    torch.testing.assert_close(refine(learnt(build())).exp().sum(1), torch.ones(len(DISTANCE)))


def test_only_the_likeliest_arguments_are_refined() -> None:
    chosen = likeliest_pairs(log_roles()[:, 0], PAIRS.right, 3, 2)
    refined, given = refine(learnt(build())), log_roles()
    changed = [i for i in range(len(given)) if not torch.equal(refined[i], given[i])]
    assert changed == sorted(i for i in chosen.flatten().tolist() if i >= 0)


def test_arguments_of_one_predicate_read_each_other_and_those_of_another_do_not() -> None:
    refiner, given = learnt(build(most=9)), log_roles()
    other = given.clone()
    other[0] = other[0].flip(0)  # of predicate 0
    one, two = refine(refiner, given), refine(refiner, other)
    of_first = PAIRS.right == 0
    torch.testing.assert_close(one[~of_first], two[~of_first])
    assert (one[of_first] != two[of_first]).any(dim=1).all()


def test_padding_changes_nothing() -> None:
    """Predicate 2 has three pairs in rows of four; alone, in rows of three."""
    refiner = learnt(build(most=9))
    together = refine(refiner)
    own = PAIRS.right == 2
    generator = torch.Generator().manual_seed(2)
    arguments, predicates = torch.randn(4, 5, generator=generator), torch.randn(3, 6, generator=generator)
    pairs = Pairs(PAIRS.left[own], PAIRS.right[own])
    alone = refiner(log_roles()[own], arguments, predicates, pairs, DISTANCE[own])
    torch.testing.assert_close(together[own], alone)


def test_everything_learns() -> None:
    refiner = learnt(build()).train()
    refine(refiner)[:, 0].sum().backward()
    assert all(weight.grad is not None and weight.grad.any() for weight in refiner.parameters())
