from __future__ import annotations

import pytest
import torch

from spacy_span_selector.layers.coref.positions import Positions

from .mentions import bucket_of, distance_bucket


def distances(weights: torch.Tensor) -> torch.Tensor:
    order = torch.arange(len(weights), device=weights.device)
    return Positions.of(weights).distance(order[:, None], order)


def test_mentions_that_count_in_full_are_as_far_as_steps(device: str) -> None:
    found = distances(torch.ones(80, device=device))
    assert all(found[i, j] == bucket_of(i - j) for i in range(80) for j in range(i))


@pytest.mark.parametrize("seed", range(3))
def test_distance_is_one_more_than_the_weight_between(seed: int, device: str) -> None:
    weights = torch.rand(60, generator=torch.Generator().manual_seed(seed)) ** 2
    found = distances(weights.to(device))
    assert all(found[i, j] == distance_bucket(weights, i, j) for i in range(60) for j in range(i))
    assert found.unique().tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_mentions_that_count_nothing_are_not_between_others() -> None:
    weights = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    assert distances(weights)[5, :3].tolist() == [bucket_of(2), bucket_of(2), bucket_of(1)]


def test_distances_do_not_depend_on_what_is_before() -> None:
    weights = torch.rand(50, generator=torch.Generator().manual_seed(0))
    before = torch.rand(1000, generator=torch.Generator().manual_seed(1))
    together = distances(torch.cat([before, weights]))[1000:, 1000:]
    assert torch.equal(together.tril(-1), distances(weights).tril(-1))
