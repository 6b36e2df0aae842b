from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model

from spacy_span_selector.documents.cleaned import clean_docs
from spacy_span_selector.layers.coref.network import CorefHead, CorefRequest
from spacy_span_selector.layers.selection.candidates import Decode, MostProbable
from spacy_span_selector.layers.selection.selectors import LaminarSelector
from spacy_span_selector.models.torch_head import HeadInput, head_module

from ..layouts import layout_of
from ..selectors import SELECTORS, selector_block
from ..tok2vec import TOK2VEC
from ..token_facts import words_only

NLP = spacy.blank("en")


def build(**settings: Any) -> Model[Any, Any]:
    tok2vec = {**TOK2VEC, "width": 8}
    config = {"@architectures": "spacy_span_selector.CorefModel.v1", "tok2vec": tok2vec, **settings}
    return registry.resolve({"model": config})["model"]


def head_input(*texts: str) -> HeadInput:
    docs = [NLP.make_doc(text) for text in texts]
    words = torch.arange(sum(map(len, docs)))
    layout = layout_of([[len(doc)] for doc in docs])
    return HeadInput(clean_docs(docs), layout, CorefRequest(words_only(words), Decode("marginal", 0.1)))


def test_settings_reach_the_network() -> None:
    model = build(hidden_width=9, linker_width=7, linker_hidden_width=5, feature_width=3, dropout=0.2, max_span_width=4)
    model.initialize(X=[NLP.make_doc("Ann left.")])
    head = head_module(model)
    assert isinstance(head, CorefHead)
    assert head.sizes == {"width": 8}
    assert head.span_scorer.start.weight.shape == (9, 8)
    assert head.span_scorer.width_embedding.embedding_dim == 3
    assert head.linker.project.out_features == 7
    assert head.linker.mention.out_features == 5
    assert (head.dropout.p, head.settings.max_span_width, head.linker.kept) == (0.2, 4, 50)
    assert (model.attrs["settings"].selector, model.attrs["settings"].max_span_width) == (LaminarSelector(), 4)


@pytest.mark.parametrize("selector", ["laminar", "sigmoid"])
def test_selectors_share_all_but_the_last_layer_of_the_span_scorer(selector: str) -> None:
    shapes = []
    for name in (selector, "structured"):
        model = build(selector=selector_block(name), hidden_width=9)
        model.initialize(X=[NLP.make_doc("Ann left.")])
        head = head_module(model)
        assert isinstance(head, CorefHead)
        assert isinstance(model.attrs["settings"].selector, SELECTORS[name])
        shapes.append({name: weight.shape for name, weight in head.named_parameters() if "scorer.output" not in name})
    assert shapes[0] == shapes[1]


def test_bytes_rebuild_the_network() -> None:
    sizes = {"selector": selector_block("structured"), "hidden_width": 9, "linker_width": 7, "linker_hidden_width": 5}
    model, fresh = build(**sizes), build(**sizes)
    model.initialize(X=[NLP.make_doc("Ann left.")])
    fresh.from_bytes(model.to_bytes())
    assert fresh.attrs["settings"].selector == model.attrs["settings"].selector
    batch = head_input("Ann saw her brother.")
    batch = replace(batch, request=replace(batch.request, choose=MostProbable(1.0)))
    for found, expected in zip(fresh.predict(batch).tensors(), model.predict(batch).tensors(), strict=True):
        assert torch.equal(found, expected)


def test_prediction_is_one_batch() -> None:
    model = build(hidden_width=9, linker_width=7, linker_hidden_width=5)
    docs: list[Doc] = [NLP.make_doc("Ann left.")]
    model.initialize(X=docs)
    together = model.predict(head_input("Ann saw her brother.", "He left."))
    alone = model.predict(head_input("He left."))
    starts = together.selection.spans.starts
    document = torch.tensor([0] * 5 + [1] * 3)[starts]
    assert (starts[document == 1] - 5).tolist() == alone.selection.spans.starts.tolist()
    assert not together.links.scores.requires_grad


def test_bad_settings_are_errors() -> None:
    with pytest.raises(ValueError, match="'hidden_width' of the coreference model is 0; it must be greater than"):
        build(hidden_width=0)
    with pytest.raises(ValueError, match="selector"):
        build(selector="best")
