import pytest
import torch

from spacy_span_selector.layers.selection.selectors import (
    GrammarSelector,
    LaminarSelector,
    SigmoidSelector,
    StructuredSelector,
)
from spacy_span_selector.wcfg import LAMINAR, TREES

from ...layouts import layout_of

by_grammar = pytest.mark.parametrize("selector", [StructuredSelector(), LaminarSelector()])


def test_each_selector_has_its_grammar() -> None:
    assert (StructuredSelector().grammar, LaminarSelector().grammar) == (TREES, LAMINAR)


@by_grammar
def test_marginals_equal_those_of_the_sentences_one_by_one(selector: GrammarSelector, device: str) -> None:
    layout = layout_of([[5, 4], [], [2, 5, 1]], torch.device(device))
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0)).to(device)
    selected, unselected = selector.marginals(scores, layout)
    for bucket in layout.buckets:
        for sentence, length in enumerate(bucket.lengths.tolist()):
            chart = bucket.chart(scores)[sentence, :length, :length]
            expected = selector.grammar.marginals(chart[None], torch.tensor([length]))[0]
            inside = torch.ones(length, length, dtype=torch.bool, device=device).triu()
            for flat, probability in ((selected, expected), (unselected, 1 - expected)):
                found = bucket.chart(flat)[sentence, :length, :length].exp()
                torch.testing.assert_close(found[inside], probability[inside])


@by_grammar
def test_padding_has_no_gradient(selector: GrammarSelector) -> None:
    layout = layout_of([[5, 4]])
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0)).requires_grad_()
    valid = layout.valid()
    selected, unselected = selector.marginals(scores, layout)
    (gradient,) = torch.autograd.grad((selected[valid] - unselected[valid].exp()).sum(), scores)
    assert torch.isfinite(gradient).all()
    assert (gradient[~valid] == 0).all()


@by_grammar
def test_empty_batch_has_no_marginals(selector: GrammarSelector) -> None:
    selected, unselected = selector.marginals(torch.zeros(0), layout_of([[]]))
    assert len(selected) == len(unselected) == 0


def test_laminar_is_sigmoid_where_nothing_crosses() -> None:
    layout = layout_of([[5, 4], [2]])
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0))
    scores = scores.masked_fill(layout.widths() == 2, -torch.inf).masked_fill(layout.widths() == 3, -torch.inf)
    found, expected = (selector.marginals(scores, layout) for selector in (LaminarSelector(), SigmoidSelector()))
    uncrossed = layout.valid() & (layout.widths() != 4)  # those of 4 tokens cross in the sentence of 5
    for column in range(2):
        torch.testing.assert_close(found[column][uncrossed], expected[column][uncrossed])


def test_sigmoid_takes_each_span_on_its_own(device: str) -> None:
    layout = layout_of([[3, 2]], torch.device(device))
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0)).to(device)
    selected, unselected = SigmoidSelector().marginals(scores, layout)
    torch.testing.assert_close(selected.exp(), 1 / (1 + torch.exp(-scores)))
    torch.testing.assert_close(unselected.exp(), 1 / (1 + torch.exp(scores)))


def test_forbidden_spans_have_no_gradient_under_sigmoid() -> None:
    layout = layout_of([[4]])
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0)).requires_grad_()
    wide = layout.widths() > 2
    selected, unselected = SigmoidSelector().marginals(scores.masked_fill(wide, -torch.inf), layout)
    assert (selected[wide].exp() == 0).all() and (unselected[wide] == 0).all()
    (gradient,) = torch.autograd.grad((unselected + selected.masked_fill(wide, 0.0)).sum(), scores)
    assert torch.isfinite(gradient).all()
    assert (gradient[wide] == 0).all()


def test_sigmoid_may_keep_the_best_spans_that_do_not_cross() -> None:
    layout = layout_of([[3]])
    scores = torch.full((layout.size,), -torch.inf)
    first, second = layout.flat_index(torch.tensor([0, 1]), torch.tensor([1, 2])).tolist()
    scores[first], scores[second] = 1.0, 2.0
    log_p = SigmoidSelector().marginals(scores, layout).selected
    kept = {
        selector.spans_may_cross: selector.prediction_strategy("marginal", 0.4)(scores, log_p, layout).tolist()
        for selector in (SigmoidSelector(), SigmoidSelector(non_crossing=True))
    }
    assert kept == {True: [first, second], False: [second]}


def test_sigmoid_keeps_five_spans_per_token_where_every_span_is_probable() -> None:
    layout = layout_of([[20, 3]])
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0)).abs()
    log_p = SigmoidSelector().marginals(scores, layout).selected
    kept = SigmoidSelector().prediction_strategy("marginal", 0.4)(scores, log_p, layout)
    starts, _ = layout.locate(kept)
    assert [int((starts < 20).sum()), int((starts >= 20).sum())] == [100, 6]
    assert scores[kept].min() > 0
