from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from spacy_span_selector.wcfg import TREES, log_marginals, log_partition, marginals

from .charts import charts, random_scores
from .reference import enumerate_selections


@settings(max_examples=60, deadline=None)
@given(charts(longest=7))
def test_equals_enumeration_of_all_selections(chart: tuple[Tensor, Tensor]) -> None:
    scores, lengths = chart
    log_selected, log_unselected = log_marginals(scores, lengths)
    for sentence, length in enumerate(lengths.tolist()):
        partition, expected = enumerate_selections(scores[sentence, :length, :length].numpy())
        probability = torch.zeros(scores.shape[1:], dtype=torch.float64)
        probability[:length, :length] = torch.from_numpy(expected)
        assert_close = partial(torch.testing.assert_close, rtol=1e-10, atol=1e-13)
        torch.testing.assert_close(log_partition(scores, lengths)[sentence].exp().item(), partition, rtol=1e-10, atol=0)
        assert_close(marginals(scores, lengths)[sentence], probability)
        assert_close(log_selected[sentence].exp(), probability)
        assert_close(log_unselected[sentence].exp(), 1 - probability)


def test_the_functions_of_the_package_are_those_of_this_grammar() -> None:
    scores, lengths = random_scores(2, 5, 5), torch.tensor([5, 3])
    assert torch.equal(log_partition(scores, lengths), TREES.log_partition(scores, lengths))
    assert torch.equal(marginals(scores, lengths), TREES.marginals(scores, lengths))
    assert torch.equal(log_marginals(scores, lengths)[1], TREES.log_marginals(scores, lengths)[1])


def test_all_forbidden_but_one(device: str) -> None:
    scores = torch.full((1, 8, 8), -torch.inf, device=device)
    scores[0, 2, 4] = 3.0
    scores.requires_grad_()
    lengths = torch.tensor([8])
    probability = marginals(scores, lengths)
    assert probability.count_nonzero() == 1
    # Of the Catalan(7) trees over 8 tokens, those with the span: Catalan(2) inside it, Catalan(5) with it as a leaf.
    nodes = 2 * 42 / 429
    expected = nodes * np.exp(3) / (1 + nodes * np.exp(3))
    # The span is unlabelled in `nodes` of all trees, so only the labelled share is added to Z.
    assert probability[0, 2, 4].item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.filterwarnings("ignore:.*arg_constraints")
def test_agrees_with_torch_struct() -> None:
    torch_struct = pytest.importorskip("torch_struct")
    scores = random_scores(3, 10, 10, dtype=torch.float32)
    lengths = torch.tensor([10, 6, 2])
    nodes = torch_struct.TreeCRF(torch.nn.functional.softplus(scores)[..., None], lengths=lengths)
    expected = nodes.marginals[..., 0] * scores.sigmoid()
    torch.testing.assert_close(log_partition(scores, lengths), nodes.partition, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(marginals(scores, lengths), expected, rtol=1e-4, atol=1e-5)
