import numpy as np
import pytest
import torch
from thinc.api import Linear, Model, PyTorchWrapper, chain

from spacy_span_selector.models.finite import discard_gradients, first_not_finite, model_gradients

NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize("bad", [NAN, INFINITY, -INFINITY])
def test_the_first_tensor_that_is_not_finite_is_named(bad: float) -> None:
    good, worse, opposite = torch.ones(2, 2), torch.tensor([0.0, bad]), torch.tensor([-bad])
    assert first_not_finite([("a", good), ("b", worse), ("c", opposite)]) == "b"


@pytest.mark.parametrize("tensors", [[], [torch.zeros(0)], [torch.full((4,), 3e38)], [torch.full((1,), 3e38)] * 2])
def test_finite_tensors_have_no_name(tensors: list[torch.Tensor]) -> None:
    assert first_not_finite([("a", tensor) for tensor in tensors]) is None


def layers_with_gradients() -> Model[np.ndarray, np.ndarray]:
    model: Model[np.ndarray, np.ndarray] = chain(Linear(3, 2), PyTorchWrapper(torch.nn.Linear(3, 3)))
    X = np.ones((1, 2), dtype="f")
    model.initialize(X=X)
    output, backprop = model.begin_update(X)
    backprop(np.ones_like(output))
    return model


def test_gradients_of_thinc_and_of_torch_are_found() -> None:
    names = [name for name, _ in model_gradients(layers_with_gradients())]
    assert names == ["linear.W", "linear.b", "weight", "bias"]


def test_discarded_gradients_are_gone() -> None:
    model = layers_with_gradients()
    for _, gradient in model_gradients(model):
        gradient.fill_(NAN)
    discard_gradients(model)
    assert {name: gradient.abs().max() for name, gradient in model_gradients(model)} == {"linear.b": 0, "linear.W": 0}
