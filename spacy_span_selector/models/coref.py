"""The architecture of `structured_coref`: any tok2vec, then the coreference network."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.coref.network import CorefHead, CorefOutput, CorefSettings
from ..layers.selection.selectors import Selector
from ..signatures import takes_settings
from .torch_head import HeadInput, torch_head


@registry.architectures("spacy_span_selector.CorefModel.v1")
@takes_settings(CorefSettings, "the coreference model")
def build_coref_model(
    tok2vec: Model[list[Doc], list[Floats2d]], settings: CorefSettings, selector: Selector | None = None
) -> Model[HeadInput, CorefOutput]:
    """Build the coreference model. In a config, the fields of its settings are its arguments.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token: a Tok2Vec, or a listener
        to a shared Tok2Vec or transformer.
    settings (CorefSettings): Everything else.
    selector (Selector | None): How mentions are selected; None for spacy_span_selector.LaminarSelector.v1.
    RETURNS (Model[HeadInput, CorefOutput]): Its attribute `settings`, which is not saved, has all settings.
    """
    if selector is not None:
        settings = replace(settings, selector=selector)
    model = torch_head("coref", tok2vec, partial(CorefHead, settings=settings))
    model.attrs["settings"] = settings
    return model
