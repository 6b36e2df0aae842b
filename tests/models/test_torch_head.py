import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import srsly
import torch
from spacy.tokens import Doc
from thinc.api import Model
from torch import nn

from spacy_span_selector.documents.cleaned import clean_docs
from spacy_span_selector.layers.selection.candidates import CandidateStrategy, Decode
from spacy_span_selector.layers.spans.layout import SpanLayout
from spacy_span_selector.models import torch_head as torch_head_module
from spacy_span_selector.models.finite import NotFinite
from spacy_span_selector.models.torch_head import HeadInput, head_module, torch_head
from spacy_span_selector.wcfg import LAMINAR

from ..harmful import MakesFolder, as_by_default_before_torch_2_6, saved
from ..layouts import layout_of

WIDTH = 3
VOCAB = spacy.blank("en").vocab
DOCS = [Doc(VOCAB, words=["Ann", "left"]), Doc(VOCAB), Doc(VOCAB, words=["ann"])]


class Toy(nn.Module):
    """Two outputs; dropout tells training from prediction."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sizes = {"width": width}
        self.linear = nn.Linear(width, 2)
        self.dropout = nn.Dropout(0.5)

    def forward(
        self, tokens: torch.Tensor, layout: SpanLayout, choose: CandidateStrategy
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return self.linear(tokens), self.dropout(tokens)


def vectors(docs: list[Doc]) -> list[np.ndarray]:
    return [np.arange(len(doc) * WIDTH, dtype="f").reshape(len(doc), WIDTH) + 1 for doc in docs]


def fake_tok2vec(gradients: list[Any]) -> Model[Any, Any]:
    """Fixed vectors; what comes back is put into `gradients`."""

    def forward(model: Model[Any, Any], docs: list[Doc], is_train: bool) -> tuple[Any, Any]:
        def backprop(d_vectors: list[np.ndarray]) -> str:
            gradients.extend(d_vectors)
            return "from tok2vec"

        return vectors(docs), backprop

    return Model("fake_tok2vec", forward)


def build(gradients: list[Any] | None = None, docs: list[Doc] = DOCS) -> Model[Any, Any]:
    torch.manual_seed(0)
    model: Model[Any, Any] = torch_head("toy", fake_tok2vec([] if gradients is None else gradients), Toy)
    model.initialize(X=docs)
    return model


@pytest.fixture
def model() -> Model[Any, Any]:
    return build()


def head_input() -> HeadInput:
    return HeadInput(clean_docs(DOCS), layout_of([[2], [], [1]]), Decode("map", 0.5))


def module(model: Model[HeadInput, Any]) -> Toy:
    return head_module(model)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_weight_that_was_made_nan_or_infinite_is_an_error_at_prediction(model: Model[Any, Any], bad: float) -> None:
    module(model).linear.bias.data[1] = bad
    with pytest.raises(NotFinite, match=r"'linear\.bias' of its network"):
        model.predict(head_input())


@pytest.mark.parametrize("is_train", [False, True])
def test_scores_that_a_grammar_cannot_compute_with_are_said_to_be_scores(
    is_train: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forward(module: Toy, *arguments: Any) -> Any:
        return LAMINAR.marginals(torch.full((1, 2, 2), 1e6), torch.tensor([2]))

    monkeypatch.setattr(Toy, "forward", forward)
    with pytest.raises(NotFinite, match=r"the scores of spans, or they are too large: scores\[0\] go up to 1e\+06"):
        build()(head_input(), is_train)


def test_tokens_of_all_documents_are_one_matrix_with_dropout_in_training(model: Model[Any, Any]) -> None:
    assert module(model).sizes == {"width": WIDTH}
    output, kept = model.predict(head_input())
    tokens = torch.from_numpy(np.concatenate(vectors(DOCS)))
    torch.testing.assert_close(output, module(model).linear(tokens).detach())
    assert torch.equal(kept, tokens)
    (_, kept), _ = model.begin_update(head_input())
    assert not torch.equal(kept.detach(), tokens)


def test_prediction_keeps_nothing_for_a_gradient(model: Model[Any, Any]) -> None:
    output, _ = model.predict(head_input())
    assert not output.requires_grad


def test_backprop_gives_each_document_its_gradient() -> None:
    gradients: list[np.ndarray] = []
    model = build(gradients)
    (output, _), backprop = model.begin_update(head_input())
    d_output = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]])
    assert backprop([(output, d_output)]) == "from tok2vec"
    expected = d_output @ module(model).linear.weight.detach()
    assert [gradient.shape for gradient in gradients] == [(2, WIDTH), (0, WIDTH), (1, WIDTH)]
    np.testing.assert_allclose(np.concatenate(gradients), expected.numpy(), rtol=1e-6)
    torch.testing.assert_close(module(model).linear.bias.grad, d_output.sum(0))


def test_an_unknown_width_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Can't initialize 'toy': the width .* Initialize it with examples"):
        build(docs=[])


def empty(width: int | None = None) -> Model[Any, Any]:
    """A model without its network, whose tok2vec may know its width."""
    tok2vec = fake_tok2vec([])
    if width is not None:
        tok2vec._dims["nO"] = width
    return torch_head("toy", tok2vec, Toy)


def test_bytes_rebuild_the_module(model: Model[Any, Any]) -> None:
    fresh, other = empty(), empty(width=5)
    fresh.from_bytes(empty().to_bytes())
    assert module(fresh) is None
    fresh.from_bytes(model.to_bytes())
    assert torch.equal(fresh.predict(head_input())[0], model.predict(head_input())[0])
    other.initialize()
    assert module(other).sizes == {"width": 5}
    other.from_bytes(model.to_bytes())
    assert module(other).sizes == {"width": WIDTH}
    assert torch.equal(module(other).linear.weight, module(model).linear.weight)


def test_head_can_be_pickled() -> None:
    head = build().get_ref("head")
    weight = head.shims[0]._model.linear.weight
    assert torch.equal(pickle.loads(pickle.dumps(head)).shims[0]._model.linear.weight, weight)


def packed(model: Model[Any, Any]) -> dict[str, Any]:
    """What the shim of the network saves of it: sizes and weights."""
    content: dict[str, Any] = srsly.msgpack_loads(torch_head_module._serialize(module(model)))
    return content


def load(model: Model[Any, Any], content: Any) -> Any:
    shim = model.get_ref("head").shims[0]
    return shim.from_bytes(srsly.msgpack_dumps({"config": {}, "state": srsly.msgpack_dumps(content)}))


@pytest.mark.parametrize(
    "sizes",
    [None, 7, [], {"width": "3"}, {"width": 3.0}, {"width": -1}, {"width": True}, {"width": 1 << 40}, {"width": None}],
    ids=str,
)
def test_sizes_that_are_no_sizes_are_an_error(model: Model[Any, Any], sizes: Any) -> None:
    with pytest.raises(ValueError, match=r"The sizes of the network 'toy' are .*; expected whole numbers by name"):
        load(model, {**packed(model), "sizes": sizes})


@pytest.mark.parametrize("sizes", [{}, {"height": 3}, {"width": 3, "height": 3}], ids=str)
def test_other_sizes_are_an_error(model: Model[Any, Any], sizes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"The network 'toy' can't be built from its sizes \{.*argument"):
        load(model, {**packed(model), "sizes": sizes})


@pytest.mark.parametrize("width", [WIDTH + 1, (1 << 31) - 1])
def test_sizes_that_weights_do_not_have_take_no_memory(
    model: Model[Any, Any], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = []
    linear = nn.Linear

    def recorded(*sizes: int) -> nn.Linear:
        devices.append(torch.empty(0).device.type)
        return linear(*sizes)

    monkeypatch.setattr(nn, "Linear", recorded)
    with pytest.raises(ValueError, match=rf"'linear.weight' is \(2, 3\), expected \(2, {width}\)"):
        load(model, {**packed(model), "sizes": {"width": width}})
    assert devices == ["meta"]


def test_weights_of_other_names_or_with_code_are_an_error(
    model: Model[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=r"'linear\.weight' is missing"):
        load(model, {**packed(model), "weights": saved({})})
    as_by_default_before_torch_2_6(monkeypatch)
    weights = {**module(model).state_dict(), "linear.bias": MakesFolder(tmp_path / "harm")}
    with pytest.raises(ValueError, match="The weights of the network 'toy' hold something else than tensors"):
        load(model, {**packed(model), "weights": saved(weights)})
    assert not (tmp_path / "harm").exists()
