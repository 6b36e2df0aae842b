"""The architecture of `structured_srl`: any tok2vec, then the network of semantic role labelling."""

from __future__ import annotations

from functools import partial

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.selection.selectors import BioSelector, SpanSelector
from ..layers.srl.network import SrlHead, SrlOutput, SrlSettings
from .selectors import complete_selector
from .torch_head import HeadInput, torch_head

GREEDY_RATIO = 0.8
"""Spans per token that the greedy selector keeps (He et al. 2018)."""


@registry.architectures("spacy_span_selector.SrlModel.v1")
def build_srl_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    selector: SpanSelector | BioSelector | None = None,
    hidden_width: int = 512,
    pair_width: int = 256,
    pair_hidden_width: int = 512,
    feature_width: int = 20,
    dropout: float = 0.3,
    max_span_width: int | None = None,
) -> Model[HeadInput, SrlOutput]:
    """Build the model of semantic role labelling.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token: a Tok2Vec, or a listener
        to a shared Tok2Vec or transformer.
    selector (SpanSelector | BioSelector | None): How arguments are found: spacy_span_selector.StructuredSelector.v1,
        which is the default, or a baseline, SigmoidSelector.v1, GreedySelector.v1 or BioSelector.v1.
    The other arguments are those of `SrlSettings`.
    RETURNS (Model[HeadInput, SrlOutput]): Its attributes `selector` and `max_span_width` say how arguments are
        found and which ones it can learn.
    """
    if not isinstance(selector, BioSelector):
        selector = complete_selector(selector, GREEDY_RATIO)
    settings = SrlSettings(
        selector=selector,
        hidden_width=hidden_width,
        pair_width=pair_width,
        pair_hidden_width=pair_hidden_width,
        feature_width=feature_width,
        dropout=dropout,
        max_span_width=max_span_width,
    )
    model = torch_head("srl", tok2vec, partial(SrlHead, settings=settings))
    model.attrs["selector"] = selector
    model.attrs["max_span_width"] = max_span_width if not isinstance(selector, BioSelector) else None
    return model
