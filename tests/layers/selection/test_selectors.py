from __future__ import annotations

import torch

from spacy_span_selector.layers.selection.selectors import SigmoidSelector, StructuredSelector
from spacy_span_selector.wcfg import marginals

from ...layouts import layout_of


def test_marginals_equal_those_of_the_sentences_one_by_one(device: str) -> None:
    layout = layout_of([[5, 4], [], [2, 5, 1]], torch.device(device))
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0)).to(device)
    selected, unselected = StructuredSelector().marginals(scores, layout)
    for bucket in layout.buckets:
        for sentence, length in enumerate(bucket.lengths.tolist()):
            chart = bucket.chart(scores)[sentence, :length, :length]
            expected = marginals(chart[None], torch.tensor([length]))[0]
            inside = torch.ones(length, length, dtype=torch.bool, device=device).triu()
            for flat, probability in ((selected, expected), (unselected, 1 - expected)):
                found = bucket.chart(flat)[sentence, :length, :length].exp()
                torch.testing.assert_close(found[inside], probability[inside])


def test_padding_has_no_gradient() -> None:
    layout = layout_of([[5, 4]])
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0)).requires_grad_()
    valid = layout.valid()
    selected, unselected = StructuredSelector().marginals(scores, layout)
    (gradient,) = torch.autograd.grad((selected[valid] - unselected[valid].exp()).sum(), scores)
    assert torch.isfinite(gradient).all()
    assert (gradient[~valid] == 0).all()


def test_empty_batch_has_no_marginals() -> None:
    selected, unselected = StructuredSelector().marginals(torch.zeros(0), layout_of([[]]))
    assert len(selected) == len(unselected) == 0


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
