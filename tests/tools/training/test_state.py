import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam, Optimizer, RAdam

from spacy_span_selector.tools.training.state import (
    data_random_state,
    set_training_state,
    training_state,
    with_own_randomness,
)

from ...pipeline.components import CASES, COREF, component, head_weights, initialized, weights


def draw() -> list[float]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    of_torch = [float(torch.rand(())), float(torch.rand((), device=device))]
    return [random.random(), random.gauss(0, 1), np.random.uniform(), np.random.normal(), *of_torch]


def test_numbers_go_on_from_a_saved_state() -> None:
    nlp, optimizer = spacy.blank("xx"), Adam(0.01)
    fix_random_seed(1)
    draw()
    state, arrays = training_state(nlp, optimizer)
    saved = json.dumps(state)
    expected = [draw() for _ in range(3)]
    fix_random_seed(2)
    set_training_state(nlp, optimizer, json.loads(saved), arrays)
    assert [draw() for _ in range(3)] == expected


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


OPTIMIZERS = {
    "Adam": lambda: Adam(0.01, use_averages=False),
    "averages": lambda: Adam(0.01, use_averages=True),
    "RAdam": lambda: RAdam(0.01),
}


def updated(optimizer: Optimizer, steps: int) -> tuple[Language, list[Example]]:
    """A pipeline after so many updates."""
    nlp, examples = initialized(COREF, negatives=0.0)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    return nlp, examples


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_updates_go_on_from_a_saved_state(make: Any) -> None:
    first, second = make(), make()
    nlp, examples = updated(first, 3)
    other, other_examples = updated(make(), 0)
    other.from_bytes(nlp.to_bytes())
    set_training_state(other, second, *training_state(nlp, first))
    # Weights move on without a gradient, as their momentum has not come to rest.
    for pipeline, optimizer, batch in ((nlp, first, examples), (other, second, other_examples)):
        component(pipeline).finish_update(optimizer)
        torch.manual_seed(0)
        pipeline.update(batch, sgd=optimizer)
    torch.testing.assert_close(head_weights(other), head_weights(nlp), rtol=0, atol=0)
    for weight, expected in zip(weights(component(other).model), weights(component(nlp).model), strict=True):
        np.testing.assert_array_equal(weight, expected)
    (state, arrays), (other_state, other_arrays) = training_state(nlp, first), training_state(other, second)
    assert state["updates"] == other_state["updates"]
    np.testing.assert_equal(arrays, other_arrays)


def test_names_of_weights_do_not_depend_on_the_process() -> None:
    states = []
    for _ in range(2):
        optimizer = OPTIMIZERS["Adam"]()
        states.append(training_state(updated(optimizer, 1)[0], optimizer)[0]["updates"])
    assert states[0] == states[1]
    assert {name.split("/")[0] for name in states[0]} == {COREF.factory}


def test_weights_that_are_in_no_component_are_an_error() -> None:
    optimizer = OPTIMIZERS["Adam"]()
    nlp, _ = updated(optimizer, 1)
    nlp.remove_pipe(COREF.factory)
    with pytest.raises(ValueError, match=r"\d+ weights were updated, such as '.*', that are in no comp"):
        training_state(nlp, optimizer)


def test_gradient_scalers_go_on() -> None:
    nlp, _ = initialized(CASES[1])
    scaler = component(nlp).model.get_ref("head").shims[0]._grad_scaler
    scaler._scale.fill_(512.0)
    scaler._growth_tracker.fill_(7)
    other, _ = initialized(CASES[1])
    set_training_state(other, Adam(0.01), *training_state(nlp, Adam(0.01)))
    assert training_state(other, Adam(0.01))[0]["scalers"] == [[512.0, 7]]
