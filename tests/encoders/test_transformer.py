import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from thinc.api import Model

from spacy_span_selector.encoders import transformer
from spacy_span_selector.encoders.transformer import EncoderSettings, build_transformer_model

from ..tok2vec import TRANSFORMER_LISTENER

NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
EVERY_FIELD = {**NO_DROPOUT, "output_hidden_states": True, "output_attentions": True, "attn_implementation": "eager"}
VOCAB = spacy.blank("en").vocab
DOCS = [
    Doc(VOCAB, words=["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "."]),  # several windows
    Doc(VOCAB),
    Doc(VOCAB, words=["a"]),
    Doc(VOCAB, words=["extraordinarily", "long", "words"]),
    Doc(VOCAB, words=["so", "it", "is", "."]),
]

Build = Callable[..., Any]
SetSize = Callable[[int], None]


@pytest.fixture
def build(encoder: Path) -> Build:
    """Builds an encoder by the name of its architecture and its settings."""

    def built(architecture: str = "spacy_span_selector.TransformerModel.v1", **settings: Any) -> Any:
        get_spans = registry.span_getters.get("spacy-transformers.strided_spans.v1")(window=4, stride=3)
        settings = {"transformer_config": dict(NO_DROPOUT), **settings}
        if architecture == "spacy_span_selector.TransformerModel.v1":
            settings.setdefault("bfloat16", False)
        model = registry.architectures.get(architecture)(str(encoder), get_spans, {"use_fast": True}, **settings)
        model.initialize(X=DOCS[:1])
        return model

    return built


@pytest.fixture
def plain(build: Build) -> Callable[..., Any]:
    """Builds the encoder as spacy-transformers runs it."""
    return lambda **settings: build("spacy-transformers.TransformerModel.v3", **settings)


@pytest.fixture
def blocks_of(monkeypatch: pytest.MonkeyPatch) -> SetSize:
    """Sets how many subwords run at once."""
    return lambda subwords: monkeypatch.setitem(transformer.BLOCK_SUBWORDS, "cpu", subwords)


@pytest.fixture
def computes_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every device computes in bfloat16, however slowly."""
    monkeypatch.setattr(transformer, "has_bfloat16", lambda device: True)


def is_piece(output: Any) -> torch.Tensor:
    """Which subwords are no padding. Shape: (windows, subwords)"""
    return torch.from_numpy(output.wordpieces.attention_mask) != 0


def states(output: Any) -> torch.Tensor:
    """The vectors of subwords that are no padding. Shape: (subwords, width)"""
    hidden: torch.Tensor = output.model_output.last_hidden_state[is_piece(output)]
    return hidden


def runs(model: Any) -> list[tuple[int, ...]]:
    """Will hold the (windows, subwords) of each run of the encoder."""
    shapes: list[tuple[int, ...]] = []
    model.transformer.register_forward_pre_hook(
        lambda module, args, kwargs: shapes.append(tuple(kwargs["input_ids"].shape)), with_kwargs=True
    )
    return shapes


def gradients(model: Any, docs: list[Doc] = DOCS) -> dict[str, torch.Tensor]:
    """Of all weights, for a gradient of the output that is drawn at random."""
    output, backprop = model.begin_update(docs)
    hidden = output.model_output.last_hidden_state
    gradient = torch.randn(hidden.shape, generator=torch.Generator().manual_seed(0)) * is_piece(output)[..., None]
    backprop(output.unsplit_by_doc([[gradient.numpy()]]))
    return {name: weight.grad for name, weight in model.transformer.named_parameters() if weight.grad is not None}


@pytest.mark.parametrize("subwords", [1024, 1, 20, 60])
@pytest.mark.parametrize("docs", [DOCS, DOCS[:1], DOCS[2:3], DOCS[-1:]], ids=["all", "long", "one word", "one window"])
def test_output_is_that_of_all_windows_at_once(
    build: Build, plain: Build, docs: list[Doc], subwords: int, blocks_of: Callable[[int], None]
) -> None:
    expected = plain().predict(docs)
    blocks_of(subwords)
    output = build().predict(docs)
    torch.testing.assert_close(states(output), states(expected), rtol=0, atol=1e-5)
    pooled = output.model_output.pooler_output
    torch.testing.assert_close(pooled, expected.model_output.pooler_output, rtol=0, atol=1e-5)
    assert [len(data.wordpieces) for data in output.doc_data] == [len(data.wordpieces) for data in expected.doc_data]
    np.testing.assert_array_equal(output.align.dataXd, expected.align.dataXd)


def test_fields_of_every_layer(build: Build, plain: Build, blocks_of: Callable[[int], None]) -> None:
    blocks_of(20)
    expected = plain(transformer_config=dict(EVERY_FIELD)).predict(DOCS)
    output = build(transformer_config=dict(EVERY_FIELD)).predict(DOCS)
    pieces = is_piece(expected)
    pairs = (pieces[:, :, None] & pieces[:, None, :])[:, None]
    assert list(output.model_output) == list(expected.model_output)
    for field, mask in {"hidden_states": pieces[..., None], "attentions": pairs}.items():
        found, wanted = output.model_output[field], expected.model_output[field]
        assert isinstance(found, tuple)
        assert len(found) == len(wanted)
        for layer, plain_layer in zip(found, wanted, strict=True):
            torch.testing.assert_close(layer * mask, plain_layer * mask, rtol=0, atol=1e-5)


def test_padding_is_zero(build: Build, blocks_of: Callable[[int], None]) -> None:
    blocks_of(1)
    output = build().predict(DOCS)
    padding = ~is_piece(output)
    assert padding.any()
    assert not output.model_output.last_hidden_state[padding].any()


def test_blocks_hold_so_many_subwords(build: Build, blocks_of: Callable[[int], None]) -> None:
    blocks_of(60)
    model = build()
    shapes = runs(model)
    output = model.predict(DOCS)
    assert len(shapes) > 1
    assert sum(windows for windows, _ in shapes) == len(output.wordpieces)
    assert all(windows * length <= 60 for windows, length in shapes)


def test_blocks_are_as_long_as_their_longest_window(build: Build, blocks_of: Callable[[int], None]) -> None:
    blocks_of(1)
    model = build()
    shapes = runs(model)
    output = model.predict(DOCS)
    assert shapes == [(1, length) for length in sorted(is_piece(output).sum(dim=1).tolist(), reverse=True)]


def test_few_windows_run_at_once_by_default(build: Build) -> None:
    model = build()
    shapes = runs(model)
    model.predict(DOCS)
    assert len(shapes) == 1


def test_padding_at_the_start_is_kept() -> None:
    mask = np.asarray([[0, 1, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0]])
    assert transformer._lengths(mask).tolist() == [4, 2, 3]


@pytest.mark.parametrize("subwords", [1024, 1, 60])
def test_gradient_is_that_of_all_windows_at_once(
    build: Build, plain: Build, subwords: int, blocks_of: Callable[[int], None]
) -> None:
    expected = gradients(plain())
    blocks_of(subwords)
    found = gradients(build())
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-4, atol=1e-5, msg=name)


def test_dropout_in_training_only(build: Build) -> None:
    model = build(transformer_config={"hidden_dropout_prob": 0.5})
    predicted = states(model.predict(DOCS))
    assert not torch.equal(states(model.begin_update(DOCS)[0]), predicted)
    assert torch.equal(states(model.predict(DOCS)), predicted)


@pytest.mark.parametrize("bfloat16", [True, "prediction"])
def test_bfloat16_is_close_to_float32(build: Build, computes_bfloat16: None, bfloat16: bool | str) -> None:
    expected = states(build().predict(DOCS))
    found = states(build(bfloat16=bfloat16).predict(DOCS))
    assert found.dtype == torch.float32
    assert not torch.equal(found, expected)
    torch.testing.assert_close(found, expected, rtol=0, atol=5e-2)
    assert (found - expected).abs().mean() < 1e-2


def test_bfloat16_at_prediction_is_the_default() -> None:
    assert EncoderSettings(name="bert", get_spans=list).bfloat16 == "prediction"


def test_bfloat16_at_prediction_trains_in_float32(build: Build, computes_bfloat16: None) -> None:
    expected = gradients(build())
    found = gradients(build(bfloat16="prediction"))
    assert all(torch.equal(found[name], gradient) for name, gradient in expected.items())


def test_bfloat16_trains_float32_weights(build: Build, computes_bfloat16: None) -> None:
    expected = gradients(build())
    found = gradients(build(bfloat16=True))
    assert {gradient.dtype for gradient in found.values()} == {torch.float32}
    difference = sum((found[name] - gradient).norm() ** 2 for name, gradient in expected.items())
    assert 0 < difference < 0.05**2 * sum(gradient.norm() ** 2 for gradient in expected.values())


def test_bfloat16_is_left_to_devices_that_have_it(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "has_bfloat16", lambda device: False)
    assert torch.equal(states(build(bfloat16=True).predict(DOCS)), states(build().predict(DOCS)))


def test_the_setting_int8_of_saved_configs_means_nothing(build: Build) -> None:
    assert torch.equal(states(build(int8=True).predict(DOCS)), states(build(int8=False).predict(DOCS)))


def test_weights_of_either_load_in_the_other(build: Build, plain: Build, tmp_path: Path) -> None:
    for saved, loaded in ((plain(), build()), (build(), plain())):
        with torch.no_grad():
            for weight in saved.transformer.parameters():
                weight += 0.1
        expected = states(saved.predict(DOCS))
        torch.testing.assert_close(states(loaded.from_bytes(saved.to_bytes()).predict(DOCS)), expected)
        saved.to_disk(tmp_path / "model")
        torch.testing.assert_close(states(loaded.from_disk(tmp_path / "model").predict(DOCS)), expected)


@pytest.mark.parametrize("copy", [lambda model: model.copy(), lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_run_in_blocks(build: Build, copy: Callable[[Any], Any], blocks_of: Callable[[int], None]) -> None:
    blocks_of(1)
    model = build()
    copied = copy(model)
    shapes = runs(copied)
    output = copied.predict(DOCS)
    assert len(shapes) == len(output.wordpieces)
    assert torch.equal(states(output), states(model.predict(DOCS)))


@pytest.mark.parametrize("grad_factor", [1.0, 0.0])
def test_listener_is_replaced(encoder: Path, build: Build, tmp_path: Path, grad_factor: float) -> None:
    nlp = spacy.blank("en")
    block = {
        "@architectures": "spacy_span_selector.TransformerModel.v1",
        "name": str(encoder),
        "get_spans": {"@span_getters": "spacy-transformers.doc_spans.v1"},
        "bfloat16": True,
    }
    nlp.add_pipe("transformer", config={"model": block})
    listener = {**TRANSFORMER_LISTENER, "grad_factor": grad_factor}
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}})
    doc = Doc(nlp.vocab, words=["it", "is"], tags=["A", "B"])
    nlp.initialize(lambda: [Example(nlp.make_doc("it is"), doc)])
    nlp.replace_listeners("transformer", "tagger", ["model.tok2vec"])
    nlp.remove_pipe("transformer")
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    block = loaded.config["components"]["tagger"]["model"]["tok2vec"]
    assert block["@architectures"] == "spacy_span_selector.Tok2VecTransformer.v1"
    assert (block["bfloat16"], block["grad_factor"]) == (True, grad_factor)
    vectors = [tagger(pipeline).predict([pipeline.make_doc("so it is.")])[0] for pipeline in (nlp, loaded)]
    np.testing.assert_array_equal(*vectors)


def tagger(nlp: spacy.language.Language) -> Model[Any, Any]:
    """What gives the tagger its vectors."""
    model: Model[Any, Any] = nlp.get_pipe("tagger").model.get_ref("tok2vec")  # type: ignore[attr-defined]
    return model


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bfloat16": True, "mixed_precision": True}, "set only one to true"),
        ({"bfloat16": "always"}, "'bfloat16' of the encoder is 'always'; it must be a valid boolean or 'prediction'"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_transformer_model(name="bert", get_spans=list, **settings)


def test_missing_spacy_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    needing_it = ("spacy_transformers.", "spacy_span_selector.encoders.encoder_shim")
    for module in [name for name in sys.modules if name.startswith(needing_it)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "spacy_transformers", None)
    with pytest.raises(ImportError, match=r"pip install 'spacy-span-selector\[transformers\]'"):
        build_transformer_model(name="bert", get_spans=list)
