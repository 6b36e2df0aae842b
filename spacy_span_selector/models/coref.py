"""The architecture of `structured_coref`: any tok2vec, then the coreference network."""

from __future__ import annotations

from functools import partial

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.coref.network import CorefHead, CorefOutput, CorefSettings
from ..layers.selection.selectors import SpanSelector, StructuredSelector
from .torch_head import HeadInput, torch_head


@registry.architectures("spacy_span_selector.CorefModel.v1")
def build_coref_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    selector: SpanSelector | None = None,
    hidden_width: int = 512,
    linker_width: int = 256,
    linker_hidden_width: int = 512,
    feature_width: int = 20,
    antecedents: int = 50,
    match_words: bool = True,
    dropout: float = 0.3,
    max_span_width: int | None = None,
    max_distance: int | None = None,
) -> Model[HeadInput, CorefOutput]:
    """Build the coreference model.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token: a Tok2Vec, or a listener
        to a shared Tok2Vec or transformer.
    selector (SpanSelector | None): How mentions are selected: spacy_span_selector.StructuredSelector.v1, which is the
        default, or a baseline, SigmoidSelector.v1, GreedySelector.v1 or MultitaskSelector.v1.
    The other arguments are those of `CorefSettings`.
    RETURNS (Model[HeadInput, CorefOutput]): Its attributes `selector` and `max_span_width` are those of the network.
    """
    settings = CorefSettings(
        selector=selector or StructuredSelector(),
        hidden_width=hidden_width,
        linker_width=linker_width,
        linker_hidden_width=linker_hidden_width,
        feature_width=feature_width,
        antecedents=antecedents,
        match_words=match_words,
        dropout=dropout,
        max_span_width=max_span_width,
        max_distance=max_distance,
    )
    model = torch_head("coref", tok2vec, partial(CorefHead, settings=settings))
    model.attrs["selector"] = settings.selector
    model.attrs["max_span_width"] = max_span_width
    return model
