import math

import pytest
import torch
from torch import Tensor

from spacy_span_selector.wcfg.chain import Chain, run_back, run_chain
from spacy_span_selector.wcfg.triangle import to_end

from .charts import random_scores

TOKENS, MOST, BATCH = 8, 3, 2


def links() -> Tensor:
    """A chart by start. Shape: (MOST + 1, TOKENS + 1, BATCH)"""
    chart = random_scores(MOST + 1, TOKENS + 1, BATCH)
    for width in range(MOST + 1):
        chart[width, TOKENS - width + 1 :] = 0.0  # no span
    return chart


def weight(chart: Tensor, start: int, end: int) -> Tensor:
    """The weight of all chains from a boundary to another, link by link. Shape: (BATCH,)"""
    if start == end:
        return chart.new_ones(BATCH)
    widths = range(1, min(MOST, end - start) + 1)
    return sum(
        ((2.0 ** chart[width, start]) * weight(chart, start + width, end) for width in widths), chart.new_zeros(BATCH)
    )


def test_sums_are_those_of_all_chains(device: str) -> None:
    chart = links()
    chain = run_chain(to_end(chart).to(device), chart.to(device))
    assert chain.before.dtype == torch.float64
    for place in range(TOKENS + 1):
        torch.testing.assert_close(chain.before[place].exp().cpu(), weight(chart, 0, place))
        torch.testing.assert_close(chain.behind[place].exp().cpu(), weight(chart, place, TOKENS))
    assert torch.equal(chain.total, chain.before[-1])


def test_gradients_are_those_of_autograd() -> None:
    chart = links().requires_grad_()
    direction = Chain(random_scores(TOKENS + 1, BATCH, seed=1), random_scores(TOKENS + 1, BATCH, seed=2))
    loss = chart.new_zeros(())
    for place in range(TOKENS + 1):
        loss = loss + (weight(chart, 0, place).log() * direction.before[place]).sum() / math.log(2)
        loss = loss + (weight(chart, place, TOKENS).log() * direction.behind[place]).sum() / math.log(2)
    (expected,) = torch.autograd.grad(loss, chart)
    by_start = chart.detach()
    chain = run_chain(to_end(by_start), by_start)
    of_end, of_start = run_back(to_end(by_start), by_start, chain, direction)
    for width in range(1, MOST + 1):
        spans = TOKENS - width + 1
        found = of_end[MOST - width, width:] + of_start[width - 1, :spans]
        torch.testing.assert_close(found, expected[width, :spans])


@pytest.mark.parametrize("score", [-1e6, 0.0, 1e6])
def test_both_directions_agree_however_long_the_chain(score: float) -> None:
    chart = torch.full((2, 3001, 1), score)
    chain = run_chain(to_end(chart), chart)
    torch.testing.assert_close(chain.before[-1], chain.behind[0])
    assert chain.total.item() == pytest.approx(3000 * score * math.log(2))
