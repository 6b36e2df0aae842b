from __future__ import annotations

import torch

from spacy_span_selector.layers.srl.roles import (
    ABSENT,
    NO_TAG,
    FrameTable,
    KnownRoles,
    PairClassifier,
    Pairs,
    RoleClassifier,
    SrlSettings,
)

ROLES, ROLESETS, TAGS = 3, 2, 2  # ABSENT and one function tag
GOAL = 2
TABLE = FrameTable(
    torch.tensor([[GOAL, NO_TAG, ABSENT], [NO_TAG, GOAL, GOAL]]), torch.zeros(ROLES, dtype=torch.bool), True
)
PAIRS = Pairs(torch.tensor([0, 1, 1, 2]), torch.tensor([0, 0, 1, 2]))
DISTANCE = torch.tensor([0, 1, 2, 3])


def known(*rolesets: int, strict: bool = True) -> KnownRoles:
    return TABLE._replace(strict=strict).look_up(torch.tensor(rolesets))


def build(*, tags: int = 0, roleset_vectors: bool = False) -> RoleClassifier:
    torch.manual_seed(0)
    settings = SrlSettings(pair_width=4, pair_hidden_width=5, dropout=0.0, roleset_vectors=roleset_vectors)
    sizes = {"argument_width": 6, "predicate_width": 6, "labels": ROLES, "rolesets": ROLESETS, "tags": tags}
    return RoleClassifier(**sizes, settings=settings)


def score(classifier: RoleClassifier, knowledge: KnownRoles) -> torch.Tensor:
    arguments, predicates = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(1))
    return classifier.score_roles(arguments, predicates, PAIRS, DISTANCE, knowledge, knowledge.tags)


def test_nothing_is_known_of_a_predicate_without_roleset() -> None:
    assert known(1, -1, 0).tags.tolist() == [[NO_TAG, GOAL, GOAL], [NO_TAG] * 3, [GOAL, NO_TAG, ABSENT]]


def test_strict_frames_allow_what_they_do_not_lack() -> None:
    assert known(0, 1, -1).allowed.tolist() == [[True, True, False], [True] * 3, [True] * 3]
    assert known(0, 1, -1, strict=False).allowed.all()


def test_each_role_gets_the_score_of_its_function_tag() -> None:
    classifier = build(tags=TAGS).eval()
    arguments, predicates = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(1))
    plain = PairClassifier.forward(classifier, arguments, predicates, PAIRS, DISTANCE)
    knowledge = known(0, -1, 1)
    found = score(classifier, knowledge)
    for row, predicate in enumerate(PAIRS.right.tolist()):
        for role, tag in enumerate(knowledge.tags[predicate].tolist()):
            extra = plain[row, ROLES + tag - ABSENT] if tag != NO_TAG else 0.0
            torch.testing.assert_close(found[row, role], plain[row, role] + extra)


def test_without_frames_and_vectors_rolesets_change_nothing() -> None:
    assert torch.equal(score(build(), known(0, 1, -1)), score(build(), known(-1, -1, -1)))


def test_rolesets_change_the_scores_of_their_own_predicates() -> None:
    classifier = build(roleset_vectors=True).eval()
    one, other = score(classifier, known(0, 1, -1)), score(classifier, known(1, 1, -1))
    assert torch.equal(one[2:], other[2:])
    assert (one[:2] != other[:2]).all()


def test_rolesets_that_were_not_seen_are_scored_as_none() -> None:
    classifier = build(roleset_vectors=True).eval()
    known_roles = known(-1, -1, -1)
    unseen = known_roles._replace(rolesets=torch.tensor([ROLESETS, ROLESETS + 7, -1]))
    assert torch.equal(score(classifier, unseen), score(classifier, known_roles))


def test_the_vector_of_no_roleset_is_learnt_in_training() -> None:
    classifier = build(roleset_vectors=True).train()
    assert classifier.rolesets is not None
    for _ in range(50):
        score(classifier, known(0, 1, 1)).sum().backward()
    gradient = classifier.rolesets.weight.grad
    assert gradient is not None
    assert gradient[-1].any()
    assert gradient[0].any()
