from __future__ import annotations

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from spacy_span_selector.layers.spans import computing
from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl.roles import (
    DISTANCES,
    GREATEST_DISTANCE,
    PairClassifier,
    Pairs,
    arguments_with_predicates,
    is_near,
    pairs_with_ranges,
    signed_distance,
)

from ...layouts import layout_of

ARGUMENT_WIDTH, PREDICATE_WIDTH, WIDTH, HIDDEN, LABELS = 7, 6, 5, 8, 3
BUCKETS = [(64, 9), (32, 8), (16, 7), (8, 6), (5, 5), (4, 4), (3, 3), (2, 2), (1, 1), (0, 0)]  # Lee et al. (2017)

Inputs = tuple[Tensor, Tensor, Pairs, Tensor]


def build(dropout: float = 0.0, bfloat16: bool = False) -> PairClassifier:
    torch.manual_seed(0)
    classifier = PairClassifier(
        argument_width=ARGUMENT_WIDTH,
        predicate_width=PREDICATE_WIDTH,
        width=WIDTH,
        hidden_width=HIDDEN,
        labels=LABELS,
        dropout=dropout,
        bfloat16=bfloat16,
    )
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
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected


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


def test_scores_equal_the_concatenated_form(device: str) -> None:
    classifier, inputs = build().to(device), random_inputs(device)
    torch.testing.assert_close(classifier(*inputs), concatenated_form(classifier, inputs), rtol=1e-5, atol=1e-5)


def test_gradients_equal_those_of_the_concatenated_form(device: str) -> None:
    classifier, inputs = build().to(device), random_inputs(device)
    wanted = [inputs[0].requires_grad_(), inputs[1].requires_grad_(), *classifier.parameters()]
    found = torch.autograd.grad(classifier(*inputs).tanh().sum(), wanted)
    expected = torch.autograd.grad(concatenated_form(classifier, inputs).tanh().sum(), wanted)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("elements", [1, 3 * HIDDEN, 1 << 20])
def test_block_sizes_change_nothing(elements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    classifier, inputs = build(), random_inputs()
    expected = classifier(*inputs)
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    torch.testing.assert_close(classifier(*inputs), expected)


def test_no_pairs_have_no_scores_but_a_gradient() -> None:
    classifier, inputs = build(), random_inputs(pairs=0)
    scores = classifier(*inputs)
    assert scores.shape == (0, LABELS)
    assert scores.requires_grad
    gradients = torch.autograd.grad(scores.sum(), list(classifier.parameters()), materialize_grads=True)
    assert all((gradient == 0).all() for gradient in gradients)


def test_evaluation_is_without_dropout() -> None:
    inputs = random_inputs()
    dropped = build(dropout=0.5)
    assert torch.equal(dropped.eval()(*inputs), build()(*inputs))
    torch.manual_seed(0)
    assert not torch.equal(dropped.train()(*inputs), build()(*inputs))


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
def test_in_long_sentences_arguments_meet_near_predicates_alone(lengths: list[int], long: bool, seed: int) -> None:
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
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected


def test_greater_distances_than_those_that_are_looked_at_have_the_same_feature() -> None:
    arguments = Spans(torch.tensor([0, 0]), torch.tensor([0, 0]))
    places = torch.tensor([GREATEST_DISTANCE + 1, 10 * GREATEST_DISTANCE])
    assert signed_distance(arguments, Spans(places, places)).unique().numel() == 1
