"""The architecture of `structured_coref`: any tok2vec, then the coreference network."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.coref.network import CorefHead, CorefOutput, CorefSettings
from ..layers.selection.selectors import SpanSelector, StructuredSelector
from ..signatures import takes_settings
from .torch_head import HeadInput, torch_head


@registry.architectures("spacy_span_selector.CorefModel.v1")
@takes_settings(CorefSettings)
def build_coref_model(
    tok2vec: Model[list[Doc], list[Floats2d]], settings: CorefSettings, selector: SpanSelector | None = None
) -> Model[HeadInput, CorefOutput]:
    """Build the coreference model. In a config, the fields of its settings are its arguments.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token: a Tok2Vec, or a listener
        to a shared Tok2Vec or transformer.
    settings (CorefSettings): Everything else.
    selector (SpanSelector | None): How mentions are selected: spacy_span_selector.StructuredSelector.v1, which is the
        default, LaminarSelector.v1, or a baseline, SigmoidSelector.v1, GreedySelector.v1 or MultitaskSelector.v1.
    RETURNS (Model[HeadInput, CorefOutput]): Its attributes `selector` and `max_span_width` are those of the network;
        `settings`, which is not saved, has all of them.
    """
    settings = replace(settings, selector=selector or StructuredSelector())
    model = torch_head("coref", tok2vec, partial(CorefHead, settings=settings))
    model.attrs["selector"] = settings.selector
    model.attrs["max_span_width"] = settings.max_span_width
    model.attrs["settings"] = settings
    return model
