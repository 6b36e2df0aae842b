from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from thinc.api import SGD, Adam, Optimizer
from thinc.types import Floats1d

from spacy_span_selector.pipeline.optimizer import ScaledOptimizer


def step(optimizer: Optimizer | ScaledOptimizer, **kwargs: float) -> np.ndarray:
    """What one update changes."""
    weights, gradient = cast(Floats1d, np.ones(4, dtype="f")), cast(Floats1d, np.asarray([1, -2, 0.5, 0], dtype="f"))
    updated, _ = optimizer((1, "W"), weights, gradient, **kwargs)
    return np.asarray(updated) - 1


@pytest.mark.parametrize("make", [SGD, Adam])
@pytest.mark.parametrize("factor", [0.0, 1.0, 7.0])
def test_step_is_multiplied_by_the_factor(make: type, factor: float) -> None:
    plain, scaled = (make(0.01, L2=0.0, grad_clip=0.0) for _ in range(2))
    np.testing.assert_allclose(step(ScaledOptimizer(scaled, factor)), factor * step(plain), rtol=1e-4, atol=1e-7)


def test_factors_multiply() -> None:
    expected = 6 * step(SGD(0.01, L2=0.0, grad_clip=0.0))
    found = step(ScaledOptimizer(SGD(0.01, L2=0.0, grad_clip=0.0), 2.0), lr_scale=3.0)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-7)


def test_schedule_of_the_optimizer_is_followed() -> None:
    sgd = SGD(0.01, L2=0.0, grad_clip=0.0)
    scaled = ScaledOptimizer(sgd, 5.0)
    before = step(scaled)
    sgd.learn_rate = 0.1
    np.testing.assert_allclose(step(scaled), 10 * before, rtol=1e-4)
