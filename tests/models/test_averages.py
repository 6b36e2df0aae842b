from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam, Optimizer
from torch import nn

from spacy_span_selector.annotation import set_clusters
from spacy_span_selector.models.torch_head import at_rest

from ..tiny_bert import tiny_bert
from ..tok2vec import TRANSFORMER_LISTENER


def parts() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.5)))


def test_every_part_is_in_evaluation_mode() -> None:
    module = parts()
    assert at_rest(module) is module
    assert not any(part.training for part in module.modules())
    module = parts()
    module.training = False  # as if another thread had come to the module itself, and not to its parts
    assert not any(part.training for part in at_rest(module).modules())


def test_a_module_at_rest_is_not_touched(monkeypatch) -> None:
    module = parts().eval()
    monkeypatch.setattr(nn.Module, "train", None)
    at_rest(module)


@pytest.fixture(params=["tok2vec", "transformer"])
def nlp(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A pipeline with a component over an encoder of its own, or over a shared one that is a torch module, too."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    model: dict[str, Any] = {"hidden_width": 8, "linker_width": 8, "linker_hidden_width": 8}
    if request.param == "transformer":
        pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
        encoder = {
            "@architectures": "spacy_span_selector.TransformerModel.v1",
            "name": str(tiny_bert(tmp_path / "bert")),
            "get_spans": {"@span_getters": "spacy_span_selector.SentenceWindows.v1"},
        }
        nlp.add_pipe("transformer", config={"model": encoder})
        model["tok2vec"] = TRANSFORMER_LISTENER
    nlp.add_pipe("structured_coref", config={"model": model})
    return nlp


@pytest.fixture
def trained(nlp: Any) -> tuple[Any, Optimizer, list[dict[str, torch.Tensor]]]:
    """The pipeline after three updates, the optimizer, and all weights of torch modules after each update."""
    gold = Doc(nlp.vocab, words=["a", "b", "a", "c"], sent_starts=[True, False, False, False])
    set_clusters(gold, [[(0, 1), (2, 3)], [(3, 4)]])
    examples = [Example(Doc(nlp.vocab, words=["a", "b", "a", "c"], sent_starts=[True, False, False, False]), gold)]
    nlp.initialize(lambda: examples)
    sgd = Adam(0.1, use_averages=True)
    history = []
    for _ in range(3):
        nlp.update(examples, sgd=False)
        for _, pipe in nlp.components:
            pipe.finish_update(sgd)
        history.append({key: weight.clone() for key, weight in weights(nlp).items()})
    return nlp, sgd, history


def weights(nlp: Any) -> dict[tuple[int, str], torch.Tensor]:
    """All weights of torch modules."""
    shims = [shim for _, pipe in nlp.components for node in pipe.model.walk() for shim in node.shims]
    return {(shim.id, name): weight.data for shim in shims for name, weight in shim._model.named_parameters()}


def test_weights_are_averages_for_a_while(trained: Any) -> None:
    nlp, sgd, history = trained
    expected = dict.fromkeys(sgd.averages, 0.0)
    for step, after in enumerate(history, start=1):
        decay = (1 + step) / (10 + step)  # Thinc's schedule
        for key, weight in after.items():
            if key in expected:
                expected[key] = decay * expected[key] + (1 - decay) * weight
    assert expected.keys() & history[-1].keys()
    with nlp.use_params(sgd.averages):
        found = weights(nlp)
        for key in history[-1]:
            wanted = expected.get(key, history[-1][key])
            torch.testing.assert_close(found[key], wanted, rtol=1e-4, atol=1e-5)
    for key, weight in weights(nlp).items():
        assert torch.equal(weight, history[-1][key])


def test_weights_come_back_after_an_error_and_others_stay(trained: Any) -> None:
    nlp, sgd, history = trained
    with pytest.raises(KeyError), nlp.use_params(sgd.averages):
        raise KeyError
    for key, weight in weights(nlp).items():
        assert torch.equal(weight, history[-1][key])
    with nlp.use_params({}):
        assert all(torch.equal(weight, history[-1][key]) for key, weight in weights(nlp).items())


def test_averages_are_saved(trained: Any, tmp_path: Path) -> None:
    nlp, sgd, _ = trained
    with nlp.use_params(sgd.averages):
        averaged = list(weights(nlp).values())
        nlp.to_disk(tmp_path / "pipeline")
    loaded = list(weights(spacy.load(tmp_path / "pipeline")).values())
    assert len(loaded) == len(averaged)
    assert all(torch.equal(one, other) for one, other in zip(loaded, averaged, strict=True))
