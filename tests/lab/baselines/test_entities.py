from typing import Any

import spacy
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp

from lab.baselines.entities import ENCODER, OURS, HeadOptimizer, make_config
from spacy_span_selector.annotation import set_labelled_spans


class Recorder:
    """Takes the place of an optimizer and notes the factor of each call."""

    def __init__(self) -> None:
        self.factors: dict[tuple[int, str], float] = {}

    def __call__(self, key: tuple[int, str], weights: Any, gradient: Any, *, lr_scale: float = 1.0) -> Any:
        self.factors[key] = lr_scale
        return weights, gradient


def weights_of(model: Any) -> set[tuple[int, str]]:
    nodes = [*model.walk()]
    own = {(node.id, name) for node in nodes for name in node.param_names}
    shims = [shim for node in nodes for shim in node.shims]
    return own | {(shim.id, name) for shim in shims for name, _ in shim._model.named_parameters()}


def test_only_what_is_not_the_encoder_has_the_factor(tmp_path):
    doc = Doc(spacy.blank("en").vocab, words=["Ann", "came"], sent_starts=[True, False])
    set_labelled_spans(doc, [(0, 1, "PER")])
    train = tmp_path / "train.spacy"
    DocBin(docs=[doc]).to_disk(train)
    settings = {"learn_rate": 0.001, "head_factor": 3.0}
    nlp = init_nlp(make_config(OURS, "cnn", settings, train=train, updates=10, seed=0))
    models: list[Any] = [nlp.get_pipe(name).model for name in (ENCODER, OURS)]  # type: ignore[attr-defined]
    # The number of a shim of the head may be that of a layer of the encoder: their weights have different names.
    shim = next(shim for node in models[1].walk() for shim in node.shims)
    shim.id = next(node.id for node in models[0].walk() if node.param_names)
    recorder = Recorder()
    optimizer = HeadOptimizer(recorder, nlp, settings["head_factor"])  # type: ignore[arg-type]

    factors = []
    for model in models:
        keys = weights_of(model)
        for key in keys:
            optimizer(key, None, None)
        factors.append({recorder.factors[key] for key in keys})

    assert factors == [{1.0}, {3.0}]
