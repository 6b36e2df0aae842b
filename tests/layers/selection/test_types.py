import itertools
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from spacy_span_selector.layers.selection.candidates import AboveThreshold, Decode
from spacy_span_selector.layers.selection.network import (
    NEW_TYPE_BIAS,
    NetworkSettings,
    SelectingHead,
    make_span_scorer,
)
from spacy_span_selector.layers.selection.selectors import ANY_TYPES, GoldTypes, Selection
from spacy_span_selector.layers.spans.layout import MOST_ENTRIES, SpanLayout

from ...layouts import every_span, layout_of, listed
from ...selectors import SELECTORS
from ...wcfg.reference import binary_trees, cross

TYPES = 3
TOKENS = 3
SPANS = [(start, last) for start in range(TOKENS) for last in range(start, TOKENS)]
TREES = [{(start, end - 1) for start, end in tree} for tree in binary_trees(0, TOKENS)]
CHOICES = [*itertools.product([None, *range(TYPES)], repeat=len(SPANS))]
"""All sets of typed spans of a sentence: the type of each span, or None."""

Choice = tuple[int | None, ...]


class Scores(nn.Module):
    """In place of a span scorer: scores that were drawn, and vectors that nobody reads."""

    def __init__(self, scores: Tensor) -> None:
        super().__init__()
        self.scores = nn.Parameter(scores)

    def forward(self, tokens: Tensor, layout: SpanLayout, most: int | None) -> Tensor:
        return self.scores

    def represent(self, tokens: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        return tokens[starts]


def weigh(selector: str, choice: Choice, scores: np.ndarray) -> float:
    """The weight of a set of typed spans."""
    chosen = [span for span, kind in zip(SPANS, choice, strict=True) if kind is not None]
    pairs = itertools.combinations([(start, last + 1) for start, last in chosen], 2)
    counts = {
        "sigmoid": 1,
        "laminar": not any(cross(*pair) for pair in pairs),
        "structured": sum({*chosen} <= tree for tree in TREES),
    }
    own = [scores[kind, number] for number, kind in enumerate(choice) if kind is not None]
    return counts[selector] * float(np.exp(sum(own)))


def select(selector: str, scores: Tensor, layout: SpanLayout, types: list[int] | None = None) -> Selection:
    head = SelectingHead()
    head.settings = NetworkSettings(selector=SELECTORS[selector](), max_span_width=None)
    head.types = len(scores)
    head.span_scorer = Scores(torch.cat([scores, torch.zeros(1, layout.size)]))  # type: ignore[assignment]
    return head.select(torch.zeros(len(layout.row), 1), layout, AboveThreshold(0.0), types).selection


@pytest.fixture(params=SELECTORS)
def case(request: pytest.FixtureRequest) -> tuple[Any, ...]:
    """A selector, typed scores of one sentence, the selection, and each set with its probability."""
    torch.manual_seed(len(request.param))
    layout = layout_of([[TOKENS]])
    flat = layout.flat_index(*torch.tensor(SPANS).T)
    scores = torch.randn(TYPES, layout.size)
    weights = np.array([weigh(request.param, choice, scores[:, flat].numpy()) for choice in CHOICES])
    return request.param, scores, layout, flat, weights / weights.sum()


def probability(probabilities: np.ndarray, span: int, kinds: set[int | None]) -> float:
    """That a span has one of some types in a set of all, or None if it is not in it."""
    return sum(p for choice, p in zip(CHOICES, probabilities, strict=True) if choice[span] in kinds)


def test_marginals_fall_apart_by_type_as_in_all_sets_of_typed_spans(case: tuple[Any, ...]) -> None:
    selector, scores, layout, _, probabilities = case
    found = select(selector, scores, layout)
    assert listed(found.spans) == SPANS
    expected = [[probability(probabilities, span, {kind}) for kind in range(TYPES)] for span in range(len(SPANS))]
    np.testing.assert_allclose(found.type_probabilities().detach().numpy(), expected, rtol=1e-4)
    np.testing.assert_allclose(found.probabilities().detach().numpy(), np.sum(expected, axis=1), rtol=1e-4)


@pytest.mark.parametrize("kinds", [{0}, {1, 2}, {0, 1, 2}])
def test_what_is_learnt_is_the_probability_of_all_sets_that_agree(case: tuple[Any, ...], kinds: set[int]) -> None:
    """A gold span has one of some types; any other one is not selected, or with a type that is not declared."""
    selector, scores, layout, flat, probabilities = case
    found = select(selector, scores, layout)
    mask = torch.tensor([[kind in kinds for kind in range(TYPES)]] * len(SPANS))
    has = [probability(probabilities, span, {*kinds}) for span in range(len(SPANS))]
    np.testing.assert_allclose(found.log_selected(flat, mask).exp().detach().numpy(), has, rtol=1e-4)
    np.testing.assert_allclose(found.log_unless(flat, mask).exp().detach().numpy(), 1 - np.array(has), rtol=1e-3)


@pytest.mark.parametrize("kept", [[0], [2, 1]])
def test_spans_of_some_types_are_selected_as_if_others_were_left_out(case: tuple[Any, ...], kept: list[int]) -> None:
    selector, scores, layout, flat, probabilities = case
    found = select(selector, scores, layout, kept)
    own = found.type_probabilities().detach().numpy()
    for span, row in enumerate(own):
        expected = [probability(probabilities, span, {kind}) if kind in kept else 0.0 for kind in range(TYPES)]
        np.testing.assert_allclose(row, expected, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(found.probabilities().detach().numpy(), own.sum(1), rtol=1e-4)
    unselected = found.marginals.unselected[flat].exp().detach().numpy()
    np.testing.assert_allclose(unselected, 1 - own.sum(1), rtol=1e-3)


@pytest.mark.parametrize("types", [None, torch.ones(len(SPANS), TYPES, dtype=torch.bool)])
def test_with_every_type_declared_any_other_span_is_a_no(case: tuple[Any, ...], types: Tensor | None) -> None:
    selector, scores, layout, flat, _ = case
    found = select(selector, scores, layout)
    assert torch.equal(found.log_unless(flat, types), found.marginals.unselected[flat])


def test_where_all_types_are_undeclared_nothing_is_learnt(case: tuple[Any, ...]) -> None:
    selector, scores, layout, flat, _ = case
    found = select(selector, scores, layout)
    free = found.log_unless(flat, torch.zeros(len(SPANS), TYPES, dtype=torch.bool))
    torch.testing.assert_close(free, torch.zeros_like(free), atol=1e-5, rtol=0)


def test_gradients_are_finite_where_a_span_may_have_no_type_at_all(case: tuple[Any, ...]) -> None:
    selector, scores, layout, flat, _ = case
    found = select(selector, scores, layout)
    mask = torch.arange(TYPES).expand(len(SPANS), TYPES) < torch.arange(len(SPANS))[:, None] % (TYPES + 1)
    loss = found.log_unless(flat, mask).sum() + found.log_selected(flat[1:3], mask[1:3]).sum()
    gradients = torch.autograd.grad(loss, found.tensors(), materialize_grads=True)
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)


def test_blocks_have_the_types_of_what_is_selected_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = layout_of([[5, 3], [4]])
    torch.manual_seed(0)
    head = SelectingHead()
    head.settings, head.types = NetworkSettings(hidden_width=8, feature_width=4, bfloat16=False), 4
    head.span_scorer = make_span_scorer(head.settings, 6, head.types).eval()
    tokens = 3 * torch.randn(len(layout.row), 6)
    with torch.inference_mode():
        whole = head.select(tokens, layout, Decode("marginal", 0.3), [1, 3]).selection
        monkeypatch.setitem(MOST_ENTRIES, "cpu", 20)
        blocks = head.select(tokens, layout, Decode("marginal", 0.3), [1, 3]).selection
    assert len(whole.candidates) > 3 and blocks.types is not None and blocks.types.shape[1] == len(blocks.candidates)
    torch.testing.assert_close(blocks.type_probabilities(), whole.type_probabilities(), rtol=1e-4, atol=1e-6)


def test_spans_weigh_about_one_at_first_however_many_types_they_have() -> None:
    settings = NetworkSettings(hidden_width=8, feature_width=4)
    torch.manual_seed(0)
    scorer = make_span_scorer(settings, 6, 50)
    torch.manual_seed(0)
    assert scorer.output.bias[:50].logsumexp(0).abs() < 1.0
    assert scorer.output.out_features == 51


def test_new_types_weigh_next_to_nothing_and_leave_the_others_as_they_were() -> None:
    layout = layout_of([[4, 2]])
    head = SelectingHead()
    head.settings, head.types = NetworkSettings(hidden_width=8, feature_width=4, bfloat16=False), 2
    head.span_scorer = make_span_scorer(head.settings, 6, 2).eval()
    tokens = torch.randn(len(layout.row), 6)
    before = head.span_scorer(tokens, layout)[:, every_span(layout)]
    head.grow_types(4)
    after = head.span_scorer(tokens, layout)[:, every_span(layout)]
    torch.testing.assert_close(after[[0, 1, 4]], before)
    assert bool((after[2:4] == NEW_TYPE_BIAS).all()) and head.types == 4


@pytest.mark.parametrize("new", [1, 5])
def test_new_types_take_nothing_from_a_span_that_many_cross(new: int) -> None:
    layout = layout_of([[60]])
    scores = torch.full((2, layout.size), -12.0)
    middle = layout.flat_index(torch.tensor([25]), torch.tensor([35]))
    scores[0, middle] = 2.0
    before = select("laminar", scores, layout).marginals.selected[middle].exp()
    grown = torch.cat([scores[:1], torch.full((new, layout.size), NEW_TYPE_BIAS), scores[1:]])
    torch.testing.assert_close(
        select("laminar", grown, layout).marginals.selected[middle].exp(), before, atol=0.01, rtol=0
    )


def test_spans_that_had_no_types_weigh_what_they_weighed() -> None:
    layout = layout_of([[4, 2]])
    head = SelectingHead()
    head.settings = NetworkSettings(hidden_width=8, feature_width=4, bfloat16=False)
    head.span_scorer = make_span_scorer(head.settings, 6).eval()
    tokens = torch.randn(len(layout.row), 6)
    before = head.span_scorer(tokens, layout)[:, every_span(layout)]
    head.grow_types(3)
    after = head.span_scorer(tokens, layout)[:, every_span(layout)]
    torch.testing.assert_close(torch.stack([after[:3].logsumexp(0), after[3]]), before)


def test_the_declared_types_of_spans_are_those_of_their_documents() -> None:
    layout = layout_of([[2], [3]])
    declared = torch.tensor([[True, False], [True, True]])
    flat = layout.flat_index(torch.tensor([0, 2]), torch.tensor([1, 2]))
    found = GoldTypes(declared=declared).declared_of(flat, layout)
    assert found is not None and found.tolist() == declared.tolist()
    assert ANY_TYPES.declared_of(flat, layout) is None
