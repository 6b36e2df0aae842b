"""What is asked of the model of every component; `tests/layers` has the networks."""

from dataclasses import replace
from typing import Any

import pytest
import spacy
import torch
from spacy.util import registry
from thinc.api import Model

from spacy_span_selector.documents.cleaned import clean_docs
from spacy_span_selector.layers.coref.network import CorefHead, CorefRequest
from spacy_span_selector.layers.selection.candidates import AboveThreshold, Decode, MostProbable
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
from ..token_facts import words_only

NLP = spacy.blank("en")
NONE = torch.zeros(0, dtype=torch.long)
SIZES = {
    "CorefModel": {"hidden_width": 9, "linker_width": 7, "linker_hidden_width": 5},
    "SrlModel": {"hidden_width": 9, "pair_width": 7, "pair_hidden_width": 5},
}
LABELS = {"CorefModel": {}, "SrlModel": {"roles": 3, "rolesets": 2}}
both = pytest.mark.parametrize("name", SIZES)


def build(name: str, labels: dict[str, int] | None = None, **settings: Any) -> Model[Any, Any]:
    tok2vec = {**TOK2VEC, "width": 8}
    config = {"@architectures": f"spacy_span_selector.{name}.v1", "tok2vec": tok2vec, **SIZES[name], **settings}
    model = registry.resolve({"model": config})["model"]
    model.attrs["sizes"] = LABELS[name] if labels is None else labels
    return model


def initialized(name: str, **settings: Any) -> tuple[Model[Any, Any], Any]:
    model = build(name, **settings)
    model.initialize(X=[NLP.make_doc("Ann left.")])
    return model, head_module(model)


def head_input(name: str, *texts: str) -> HeadInput:
    """A batch of texts; the first token of each is a predicate."""
    docs = [NLP.make_doc(text) for text in texts]
    if name == "CorefModel":
        request: Any = CorefRequest(words_only(torch.arange(sum(map(len, docs)))), Decode("marginal", 0.1))
    else:
        first = torch.tensor([sum(map(len, docs[:number])) for number in range(len(docs))])
        find = FindPredicates(Spans(first, first), closed=torch.ones(len(docs), dtype=torch.bool))
        no_senses = Senses(Pairs(NONE, NONE), torch.zeros(0))
        request = SrlRequest(find, lambda predicates: no_senses, no_frames(3), AboveThreshold(0.0))
    return HeadInput(clean_docs(docs), layout_of([[len(doc)] for doc in docs]), request)


def test_settings_reach_the_network_of_coreference() -> None:
    model, head = initialized("CorefModel", feature_width=3, dropout=0.2, max_span_width=4)
    assert isinstance(head, CorefHead)
    assert head.sizes == {"width": 8, "labels": 0}
    assert head.span_scorer.start.weight.shape == (9, 8)
    assert head.span_scorer.width_embedding.embedding_dim == 3
    assert head.linker.project.out_features == 7
    assert head.linker.mention.out_features == 5
    assert (head.dropout.p, head.settings.max_span_width, head.linker.kept) == (0.2, 4, 50)
    assert (model.attrs["settings"].selector, model.attrs["settings"].max_span_width) == (LaminarSelector(), 4)


def test_settings_reach_the_network_of_roles() -> None:
    model, head = initialized("SrlModel", feature_width=3, dropout=0.2, max_span_width=4)
    assert isinstance(head, SrlHead)
    assert head.sizes == {"width": 8, "roles": 3, "rolesets": 2, "tags": 0}
    assert isinstance(head.arguments, SpanArgumentFinder)
    assert head.arguments.span_scorer.start.weight.shape == (9, 8)
    assert head.arguments.span_scorer.width_embedding.embedding_dim == 3
    assert head.arguments.roles.project_argument.out_features == 7
    assert head.arguments.roles.output.weight.shape == (3, 5)
    assert head.rolesets.rolesets.weight.shape == (2, 7)
    assert (head.dropout.p, head.arguments.settings.max_span_width) == (0.2, 4)
    assert (model.attrs["settings"].selector, model.attrs["settings"].max_span_width) == (LaminarSelector(), 4)


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize(("name", "own"), [("CorefModel", "span_scorer.output"), ("SrlModel", "arguments.")])
def test_selectors_share_all_but_the_output_or_the_arguments(name: str, own: str, selector: str) -> None:
    shapes = []
    for each in (selector, "structured"):
        model, head = initialized(name, selector=selector_block(each))
        assert isinstance(model.attrs["settings"].selector, SELECTORS[each])
        shapes.append({name: weight.shape for name, weight in head.named_parameters() if not name.startswith(own)})
    assert shapes[0] == shapes[1]


@both
def test_bytes_rebuild_the_network(name: str) -> None:
    model, _ = initialized(name, selector=selector_block("structured"))
    other_labels = dict.fromkeys(LABELS[name], 1)
    fresh = build(name, other_labels, selector=selector_block("structured")).from_bytes(model.to_bytes())
    assert fresh.attrs["settings"].selector == model.attrs["settings"].selector
    batch = head_input(name, "Ann saw her brother.")
    if name == "CorefModel":
        batch = replace(batch, request=replace(batch.request, choose=MostProbable(1.0)))
    for found, expected in zip(fresh.predict(batch).tensors(), model.predict(batch).tensors(), strict=True):
        assert torch.equal(found, expected)


@both
def test_bad_settings_are_errors(name: str) -> None:
    with pytest.raises(ValueError, match=r"'hidden_width' of the .* model is 0; it must be greater than"):
        build(name, hidden_width=0)
    with pytest.raises(ValueError, match="selector"):
        build(name, selector="best")
