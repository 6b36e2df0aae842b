from __future__ import annotations

from typing import Any

import pytest
import spacy
import torch
from spacy.util import registry
from thinc.api import Model

from spacy_span_selector.documents.cleaned import clean_docs
from spacy_span_selector.layers.selection.candidates import AboveThreshold
from spacy_span_selector.layers.selection.selectors import LaminarSelector
from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl.network import SrlHead, SrlRequest
from spacy_span_selector.layers.srl.predicates import FindPredicates, Senses
from spacy_span_selector.layers.srl.roles import Pairs
from spacy_span_selector.layers.srl.span_arguments import SpanArgumentFinder
from spacy_span_selector.models.torch_head import HeadInput, head_module

from ..frame_tables import no_frames
from ..layouts import layout_of
from ..selectors import SELECTORS, selector_block
from ..tok2vec import TOK2VEC

NLP = spacy.blank("en")
NONE = torch.zeros(0, dtype=torch.long)


def build(roles: int = 3, rolesets: int = 2, **settings: Any) -> Model[Any, Any]:
    tok2vec = {**TOK2VEC, "width": 8}
    config = {"@architectures": "spacy_span_selector.SrlModel.v1", "tok2vec": tok2vec, **settings}
    model = registry.resolve({"model": config})["model"]
    model.attrs["sizes"] = {"roles": roles, "rolesets": rolesets}
    return model


def initialized(**settings: Any) -> tuple[Model[Any, Any], SrlHead]:
    model = build(hidden_width=9, pair_width=7, pair_hidden_width=5, **settings)
    model.initialize(X=[NLP.make_doc("Ann left.")])
    return model, head_module(model)


def head_input(*texts: str) -> HeadInput:
    docs = [NLP.make_doc(text) for text in texts]
    # The first token of each document.
    first = torch.tensor([sum(map(len, docs[:number])) for number in range(len(docs))])
    find = FindPredicates(Spans(first, first), closed=torch.ones(len(docs), dtype=torch.bool))
    no_senses = Senses(Pairs(NONE, NONE), torch.zeros(0))
    request = SrlRequest(find, lambda predicates: no_senses, no_frames(3), AboveThreshold(0.0))
    return HeadInput(clean_docs(docs), layout_of([[len(doc)] for doc in docs]), request)


def test_settings_reach_the_network() -> None:
    model, head = initialized(feature_width=3, dropout=0.2, max_span_width=4)
    assert head.sizes == {"width": 8, "roles": 3, "rolesets": 2, "tags": 0}
    assert isinstance(head.arguments, SpanArgumentFinder)
    assert head.arguments.span_scorer.start.weight.shape == (9, 8)
    assert head.arguments.span_scorer.width_embedding.embedding_dim == 3
    assert head.arguments.roles.project_argument.out_features == 7
    assert head.arguments.roles.output.weight.shape == (3, 5)
    assert head.rolesets.rolesets.weight.shape == (2, 7)
    assert (head.dropout.p, head.arguments.settings.max_span_width) == (0.2, 4)
    assert (model.attrs["settings"].selector, model.attrs["settings"].max_span_width) == (LaminarSelector(), 4)


@pytest.mark.parametrize("selector", ["structured", "laminar", "sigmoid"])
def test_selectors_share_all_but_the_arguments(selector: str) -> None:
    model, head = initialized(selector=selector_block(selector))
    _, other = initialized()
    assert isinstance(model.attrs["settings"].selector, SELECTORS[selector])
    shapes = {name: weight.shape for name, weight in head.named_parameters() if not name.startswith("arguments")}
    assert shapes == {
        name: weight.shape for name, weight in other.named_parameters() if not name.startswith("arguments")
    }


def test_prediction_is_one_batch() -> None:
    model, _ = initialized()
    together = model.predict(head_input("Ann saw her brother.", "He left."))
    alone = model.predict(head_input("He left."))
    torch.testing.assert_close(together.log_tags[5:], alone.log_tags)
    shifted = [(found.start - 5, found.end - 5) for found in together.arguments.decode() if found.predicate == 1]
    assert shifted == [(found.start, found.end) for found in alone.arguments.decode()]
    assert not together.log_tags.requires_grad


def test_bytes_rebuild_the_network() -> None:
    model, _ = initialized()
    fresh = build(roles=1, rolesets=1, hidden_width=9, pair_width=7, pair_hidden_width=5)
    fresh.from_bytes(model.to_bytes())
    batch = head_input("Ann saw her brother.")
    for found, expected in zip(fresh.predict(batch).tensors(), model.predict(batch).tensors(), strict=True):
        assert torch.equal(found, expected)


def test_bad_settings_are_errors() -> None:
    with pytest.raises(ValueError, match="'pair_width' of the SRL model is 0; it must be greater than"):
        build(pair_width=0)
    with pytest.raises(ValueError, match="selector"):
        build(selector="best")
