from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spacy.language import Language
from thinc.api import Model

from lab.benchmarks.documents import training_batch
from lab.benchmarks.pipelines import find_encoder, load_pipeline, network, selector_pipes
from lab.benchmarks.train_step import create_optimizer, run_encoder, run_whole, take_step

from .conftest import MakeModel, rows, run


@pytest.mark.parametrize("component", ["structured_coref", "structured_srl"])
def test_every_batch_has_a_row(data: Path, make_model: MakeModel, component: str):
    table = rows(run("train-step", data, make_model(component), "--words", "8,100", "--repeats", 2))
    name = f"{component}, structured"
    found = [(row["pipeline"], row["documents"], row["words"]) for row in table]
    assert found == [(name, "1", "8"), (name, "2", "18")]
    assert all(row["whole / encoder, time"].count("to") == 1 for row in table)


def test_both_passes_give_gradients_and_a_step_changes_the_weights_of_all_components(data: Path, make_model: MakeModel):
    nlp = load_pipeline(make_model(), 0, -1)
    before = _weights(nlp)
    run_whole(nlp, training_batch(nlp, data, 100))
    [pipe] = selector_pipes(nlp).values()
    assert any(weight.grad is not None and weight.grad.any() for weight in network(pipe).parameters())
    assert _encoder_has_gradient(nlp)
    assert all(map(np.array_equal, before, _weights(nlp)))
    take_step(nlp, create_optimizer(nlp))
    same = list(map(np.array_equal, before, _weights(nlp)))
    encoder = len(_encoder_weights(nlp))
    assert not all(same[:encoder])
    assert not all(same[encoder:])


def test_the_encoder_alone_has_a_gradient(data: Path, make_model: MakeModel):
    nlp = load_pipeline(make_model(), 0, -1)
    run_encoder(nlp, training_batch(nlp, data, 100))
    [pipe] = selector_pipes(nlp).values()
    assert _encoder_has_gradient(nlp)
    assert all(weight.grad is None for weight in network(pipe).parameters())


def test_the_optimizer_follows_references_to_other_settings(make_model: MakeModel):
    nlp = load_pipeline(make_model(), 0, -1)
    nlp.config["training"]["max_steps"] = 7
    schedule = {"@schedules": "warmup_linear.v1", "total_steps": 100, "initial_rate": 0.7}
    nlp.config["training"]["optimizer"]["learn_rate"] = {**schedule, "warmup_steps": "${training.max_steps}"}
    optimizer = create_optimizer(nlp)
    optimizer.step_schedules()
    assert optimizer.learn_rate == pytest.approx(0.1)


def _weights(nlp: Language) -> list[np.ndarray]:
    """Copies of all weights, those of the encoder first."""
    [pipe] = selector_pipes(nlp).values()
    return _encoder_weights(nlp) + [weight.detach().numpy().copy() for weight in network(pipe).parameters()]


def _encoder_weights(nlp: Language) -> list[np.ndarray]:
    return [node.get_param(name).copy() for node in _encoder_nodes(nlp) for name in node.param_names]


def _encoder_has_gradient(nlp: Language) -> bool:
    return any(np.any(node.get_grad(name)) for node in _encoder_nodes(nlp) for name in node.grad_names)


def _encoder_nodes(nlp: Language) -> list[Model[Any, Any]]:
    _, encoder = find_encoder(nlp)
    return list(encoder.model.walk())
