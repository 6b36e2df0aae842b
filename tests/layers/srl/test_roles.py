import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from spacy_span_selector.layers.spans import computing
from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl.roles import (
    ABSENT,
    DISTANCES,
    GREATEST_DISTANCE,
    NO_TAG,
    FrameTable,
    KnownRoles,
    PairClassifier,
    Pairs,
    RoleClassifier,
    SrlSettings,
    arguments_with_predicates,
    is_near,
    pairs_with_ranges,
    signed_distance,
)

from ...layouts import layout_of, listed

ARGUMENT_WIDTH, PREDICATE_WIDTH, WIDTH, HIDDEN, LABELS = 7, 6, 5, 8, 3
BUCKETS = [(64, 9), (32, 8), (16, 7), (8, 6), (5, 5), (4, 4), (3, 3), (2, 2), (1, 1), (0, 0)]  # Lee et al. (2017)

Inputs = tuple[Tensor, Tensor, Pairs, Tensor]


def build(dropout: float = 0.0, bfloat16: bool = False) -> PairClassifier:
    torch.manual_seed(0)
    sizes = {"argument_width": ARGUMENT_WIDTH, "predicate_width": PREDICATE_WIDTH, "width": WIDTH}
    classifier = PairClassifier(**sizes, hidden_width=HIDDEN, labels=LABELS, dropout=dropout, bfloat16=bfloat16)
    torch.nn.init.normal_(classifier.distance.weight)  # starts close to 0, which would hide mistakes
    return classifier


def random_inputs(device: str = "cpu", pairs: int = 20) -> Inputs:
    generator = torch.Generator().manual_seed(1)
    arguments, predicates = (torch.randn(6, width, generator=generator) for width in (ARGUMENT_WIDTH, PREDICATE_WIDTH))
    indices = Pairs(*(torch.randint(6, (pairs,), generator=generator).to(device) for _ in range(2)))
    distance = torch.randint(DISTANCES, (pairs,), generator=generator)
    return arguments.to(device), predicates.to(device), indices, distance.to(device)


def concatenated_form(classifier: PairClassifier, inputs: Inputs) -> Tensor:
    """Pair by pair: concatenate both sides and their product, then a feed-forward net."""
    arguments, predicates, pairs, distance = inputs
    weight = torch.cat([part.weight for part in (classifier.argument, classifier.predicate, classifier.product)], dim=1)
    rows = []
    for argument, predicate, far in zip(pairs.left.tolist(), pairs.right.tolist(), distance.tolist(), strict=True):
        left = torch.relu(classifier.project_argument(arguments[argument]))
        right = torch.relu(classifier.project_predicate(predicates[predicate]))
        hidden = weight @ torch.cat([left, right, left * right]) + classifier.argument.bias
        rows.append(classifier.output(torch.relu(hidden + classifier.distance.weight[far])))
    return torch.stack(rows)


@pytest.mark.parametrize(("training", "can"), [(False, True), (True, True), (False, False)])
def test_pairs_are_multiplied_in_bfloat16_at_prediction_where_the_device_can(
    training: bool, can: bool, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    monkeypatch.setattr(computing, "has_bfloat16", lambda device: can)
    inputs = random_inputs(device)
    exact, found = (build(bfloat16=k).to(device).train(training)(*inputs) for k in (False, True))
    assert found.dtype == torch.float32 and torch.equal(found, exact) is (training or not can)
    torch.testing.assert_close(found, exact, rtol=0.05, atol=0.05)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_each_is_paired_with_its_range(ranges: list[tuple[int, int]]) -> None:
    first, after = torch.tensor(ranges, dtype=torch.long).view(-1, 2).T
    found = pairs_with_ranges(first, after)
    expected = [(i, j) for i, (start, stop) in enumerate(ranges) for j in range(start, stop)]
    assert listed(*found) == expected


def test_distance_counts_tokens_in_between_on_each_side() -> None:
    spans = [(start, start + width) for start in range(145) for width in (0, 1, 6)]
    predicates = [(70, 70), (71, 73)]
    pairs = [(argument, predicate) for argument in spans for predicate in predicates]
    arguments, others = (Spans(*torch.tensor([pair[side] for pair in pairs], dtype=torch.long).T) for side in (0, 1))
    expected = []
    for (start, end), (first, last) in pairs:
        between = first - end - 1 if end < first else start - last - 1
        number = next((number for bound, number in BUCKETS if between >= bound), None)
        expected.append(0 if number is None else 1 + number if end < first else 1 + len(BUCKETS) + number)
    found = signed_distance(arguments, others).tolist()
    assert found == expected
    assert set(found) == set(range(DISTANCES))


@pytest.mark.parametrize("elements", [1, 3 * HIDDEN, 1 << 20])
def test_scores_and_gradients_equal_those_of_the_concatenated_form(
    elements: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    classifier, inputs = build().to(device), random_inputs(device)
    wanted = [inputs[0].requires_grad_(), inputs[1].requires_grad_(), *classifier.parameters()]
    scores, plain = classifier(*inputs), concatenated_form(classifier, inputs)
    torch.testing.assert_close(scores, plain, rtol=1e-5, atol=1e-5)
    found, expected = (torch.autograd.grad(x.tanh().sum(), wanted) for x in (scores, plain))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_no_pairs_have_no_scores_but_a_gradient() -> None:
    classifier, inputs = build(), random_inputs(pairs=0)
    scores = classifier(*inputs)
    assert scores.shape == (0, LABELS)
    assert scores.requires_grad
    gradients = torch.autograd.grad(scores.sum(), list(classifier.parameters()), materialize_grads=True)
    assert all((gradient == 0).all() for gradient in gradients)


def test_the_pairs_of_one_predicate_share_a_mask() -> None:
    arguments, predicates, _, _ = random_inputs()
    classifier = build(dropout=0.5).train()
    for projection in (classifier.project_argument, classifier.project_predicate):
        torch.nn.init.zeros_(projection.weight)  # leaves the mask of the hidden layer as the only difference
        torch.nn.init.zeros_(projection.bias)
    pairs = Pairs(torch.arange(6).repeat(6), torch.arange(6).repeat_interleave(6))
    scores = classifier(arguments, predicates, pairs, torch.zeros(36, dtype=torch.long)).unflatten(0, (6, 6))
    assert torch.equal(scores, scores[:, :1].expand_as(scores))
    assert len(scores[:, 0].unique(dim=0)) > 1


@settings(deadline=None)
@given(st.lists(st.integers(1, 200), min_size=1, max_size=3), st.booleans(), st.integers(0, 2**31))
def test_in_long_sentences_arguments_meet_near_predicates_only(lengths: list[int], long: bool, seed: int) -> None:
    layout = layout_of([lengths], most=10 if long else None)
    tokens = sum(lengths)
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(tokens, (20,), generator=generator).sort().values
    ends = torch.minimum(starts + torch.randint(5, (20,), generator=generator), starts.new_tensor(tokens - 1))
    ends = torch.where(layout.sentence[ends] == layout.sentence[starts], ends, starts)
    predicate = torch.randint(tokens, (10,), generator=generator).sort().values
    found = arguments_with_predicates(Spans(starts, ends), Spans(predicate, predicate), layout)
    expected = [
        (i, j)
        for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
        for j, place in enumerate(predicate.tolist())
        if layout.sentence[start] == layout.sentence[place]
        and (is_near((start, end), place) or not layout.in_long_sentence[start])
    ]
    assert listed(*found) == expected


def test_greater_distances_than_those_that_are_looked_at_have_the_same_feature() -> None:
    arguments = Spans(torch.tensor([0, 0]), torch.tensor([0, 0]))
    places = torch.tensor([GREATEST_DISTANCE + 1, 10 * GREATEST_DISTANCE])
    assert signed_distance(arguments, Spans(places, places)).unique().numel() == 1


ROLES, ROLESETS, TAGS = 3, 2, 2  # ABSENT and one function tag
GOAL = 2
TABLE = FrameTable(
    torch.tensor([[GOAL, NO_TAG, ABSENT], [NO_TAG, GOAL, GOAL]]), torch.zeros(ROLES, dtype=torch.bool), True
)
PAIRS = Pairs(torch.tensor([0, 1, 1, 2]), torch.tensor([0, 0, 1, 2]))
DISTANCE = torch.tensor([0, 1, 2, 3])


def known(*rolesets: int, strict: bool = True) -> KnownRoles:
    return TABLE._replace(strict=strict).look_up(torch.tensor(rolesets))


def build_roles(*, tags: int = 0, roleset_vectors: bool = False) -> RoleClassifier:
    torch.manual_seed(0)
    settings = SrlSettings(pair_width=4, pair_hidden_width=5, dropout=0.0, roleset_vectors=roleset_vectors)
    sizes = {"argument_width": 6, "predicate_width": 6, "labels": ROLES, "rolesets": ROLESETS, "tags": tags}
    return RoleClassifier(**sizes, settings=settings)


def score(classifier: RoleClassifier, knowledge: KnownRoles) -> Tensor:
    arguments, predicates = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(1))
    return classifier.score_roles(arguments, predicates, PAIRS, DISTANCE, knowledge, knowledge.tags)


def test_frames_are_looked_up_and_allow_what_they_do_not_lack_if_strict() -> None:
    assert known(1, -1, 0).tags.tolist() == [[NO_TAG, GOAL, GOAL], [NO_TAG] * 3, [GOAL, NO_TAG, ABSENT]]
    assert known(0, 1, -1).allowed.tolist() == [[True, True, False], [True] * 3, [True] * 3]
    assert known(0, 1, -1, strict=False).allowed.all()


def test_each_role_gets_the_score_of_its_function_tag() -> None:
    classifier = build_roles(tags=TAGS).eval()
    arguments, predicates = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(1))
    plain = PairClassifier.forward(classifier, arguments, predicates, PAIRS, DISTANCE)
    knowledge = known(0, -1, 1)
    found = score(classifier, knowledge)
    for row, predicate in enumerate(PAIRS.right.tolist()):
        for role, tag in enumerate(knowledge.tags[predicate].tolist()):
            extra = plain[row, ROLES + tag - ABSENT] if tag != NO_TAG else 0.0
            torch.testing.assert_close(found[row, role], plain[row, role] + extra)


def test_rolesets_change_the_scores_of_their_own_predicates_if_they_have_vectors() -> None:
    assert torch.equal(score(build_roles(), known(0, 1, -1)), score(build_roles(), known(-1, -1, -1)))
    classifier = build_roles(roleset_vectors=True).eval()
    one, other = score(classifier, known(0, 1, -1)), score(classifier, known(1, 1, -1))
    assert torch.equal(one[2:], other[2:])
    assert (one[:2] != other[:2]).all()


def test_rolesets_that_were_not_seen_are_scored_as_none() -> None:
    classifier = build_roles(roleset_vectors=True).eval()
    known_roles = known(-1, -1, -1)
    unseen = known_roles._replace(rolesets=torch.tensor([ROLESETS, ROLESETS + 7, -1]))
    assert torch.equal(score(classifier, unseen), score(classifier, known_roles))


def test_the_vector_of_no_roleset_is_learnt_in_training() -> None:
    classifier = build_roles(roleset_vectors=True).train()
    assert classifier.rolesets is not None
    for _ in range(50):
        score(classifier, known(0, 1, 1)).sum().backward()
    gradient = classifier.rolesets.weight.grad
    assert gradient is not None
    assert gradient[-1].any()
    assert gradient[0].any()
