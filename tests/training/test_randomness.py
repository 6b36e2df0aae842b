from __future__ import annotations

import json
import random
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from spacy.util import fix_random_seed

from spacy_span_selector.training.randomness import (
    data_random_state,
    random_state,
    set_random_state,
    with_own_randomness,
)


def draw() -> list[float]:
    return [random.random(), random.gauss(0, 1), np.random.uniform(), np.random.normal(), float(torch.rand(()))]


def test_numbers_go_on_from_a_saved_state() -> None:
    fix_random_seed(1)
    draw()
    saved = json.dumps(random_state())
    expected = [draw() for _ in range(3)]
    fix_random_seed(2)
    set_random_state(json.loads(saved))
    assert [draw() for _ in range(3)] == expected


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_numbers_of_a_gpu_go_on_from_a_saved_state() -> None:
    saved = random_state()
    expected = torch.rand(3, device="cuda")
    set_random_state(saved)
    assert torch.equal(torch.rand(3, device="cuda"), expected)


def numbers() -> Iterator[tuple[float, float]]:
    for _ in range(3):
        yield random.random(), np.random.uniform()


def test_an_iterator_has_random_numbers_of_its_own() -> None:
    fix_random_seed(1)
    expected = list(numbers())
    fix_random_seed(1)
    alone = [draw() for _ in range(3)]
    fix_random_seed(1)
    own = data_random_state()
    found = [(item, draw()) for item in with_own_randomness(numbers(), own)]
    assert [item for item, _ in found] == expected
    assert [drawn[:4] for _, drawn in found] == [drawn[:4] for drawn in alone]
