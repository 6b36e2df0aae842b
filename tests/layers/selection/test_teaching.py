import math

import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.selection.selectors import Selection
from spacy_span_selector.layers.selection.teaching import cross_entropy, selection_loss, weights_of_choices
from spacy_span_selector.layers.spans.layout import SpanLayout

from ...layouts import layout_of
from ...selectors import SELECTORS
from .test_types import TOKENS, TYPES, select

LAYOUT = layout_of([[TOKENS]])


def drawn(selector: str, seed: int) -> Selection:
    torch.manual_seed(seed)
    return select(selector, torch.randn(TYPES, LAYOUT.size), LAYOUT)


def plain_loss(own: Selection, told: Selection, types: list[int]) -> float:
    """The loss in loops, of all spans."""
    total = 0.0
    p, q = own.type_probabilities().tolist(), told.type_probabilities().tolist()
    for of_own, of_teacher in zip(p, q, strict=True):
        total -= sum(of_teacher[types[t]] * math.log(of_own[t]) for t in range(TYPES))
        total -= (1 - sum(of_teacher)) * math.log(1 - sum(of_own))
    return total


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("types", [[0, 1, 2], [2, 0, 1]])
def test_selection_costs_what_the_teacher_holds_probable(selector: str, types: list[int]) -> None:
    own, told = drawn(selector, 0), drawn(selector, 1)
    expected = plain_loss(own, told, types)
    assert selection_loss(own, told, LAYOUT, types).item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("selector", SELECTORS)
def test_there_is_nothing_to_learn_from_what_says_the_same(selector: str) -> None:
    torch.manual_seed(0)
    scores = torch.randn(TYPES, LAYOUT.size, requires_grad=True)

    def marginals(scores: Tensor) -> Selection:
        selector_ = SELECTORS[selector]()
        empty = scores.new_zeros(0)
        found = selector_.marginals(scores.logsumexp(0), LAYOUT)
        shares = scores.log_softmax(0)
        kept = select(selector, scores.detach(), LAYOUT)
        return Selection(scores, found, empty, kept.candidates, kept.spans, shares)

    loss = selection_loss(marginals(scores), marginals(scores.detach()), LAYOUT, [0, 1, 2])
    (gradient,) = torch.autograd.grad(loss, scores)
    assert gradient.abs().max() < 1e-4


def test_what_neither_selects_has_nothing_to_choose() -> None:
    own, told = drawn("sigmoid", 0), drawn("sigmoid", 1)
    weights = weights_of_choices(own, told)
    assert torch.equal(weights, torch.maximum(own.probabilities(), told.probabilities()))


def test_what_is_impossible_to_the_teacher_costs_nothing() -> None:
    log_own = torch.tensor([-math.inf, math.log(0.5)], requires_grad=True)
    loss = cross_entropy(torch.tensor([0.0, 1.0]), log_own)
    assert loss.item() == pytest.approx(math.log(2))
    (gradient,) = torch.autograd.grad(loss, log_own)
    assert gradient.tolist() == [0.0, -1.0]


def test_a_layout_without_words_of_one_document_is_fine() -> None:
    layout: SpanLayout = layout_of([[TOKENS], []])
    own = select("laminar", torch.randn(TYPES, layout.size), layout)
    assert selection_loss(own, own, layout, [0, 1, 2]) > 0
