"""The architectures of the components: any tok2vec, then the network.

In a config, the fields of the settings are the arguments of an architecture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d
from torch import nn

from ..layers.coref.loss import CorefOutput
from ..layers.coref.network import CorefHead, CorefSettings
from ..layers.selection.network import NetworkSettings
from ..layers.spancat.network import SpancatHead, SpancatOutput, SpancatSettings
from ..layers.srl.network import SrlHead, SrlOutput
from ..layers.srl.roles import SrlSettings
from ..signatures import takes_settings
from .torch_head import HeadInput, resize_output, torch_head

Tok2Vec = Model[list[Doc], list[Floats2d]]


@registry.architectures("spacy_span_selector.CorefModel.v1")
@takes_settings(CorefSettings, "the coreference model")
def build_coref_model(tok2vec: Tok2Vec, settings: CorefSettings) -> Model[HeadInput, CorefOutput]:
    """Build the coreference model."""
    return selecting_model("coref", tok2vec, CorefHead, settings)


@registry.architectures("spacy_span_selector.SrlModel.v1")
@takes_settings(SrlSettings, "the SRL model")
def build_srl_model(tok2vec: Tok2Vec, settings: SrlSettings) -> Model[HeadInput, SrlOutput]:
    """Build the model of semantic role labelling."""
    return selecting_model("srl", tok2vec, SrlHead, settings)


@registry.architectures("spacy_span_selector.SpancatModel.v1")
@takes_settings(SpancatSettings, "the model of labelled spans")
def build_spancat_model(tok2vec: Tok2Vec, settings: SpancatSettings) -> Model[HeadInput, SpancatOutput]:
    """Build the model of labelled spans."""
    return selecting_model("spancat", tok2vec, SpancatHead, settings)


def selecting_model(
    name: str, tok2vec: Tok2Vec, head: Callable[..., nn.Module], settings: NetworkSettings
) -> Model[HeadInput, Any]:
    """Put a network that selects spans behind a tok2vec.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token: a Tok2Vec, or a listener to a shared
        Tok2Vec or transformer.
    head (Callable[..., nn.Module]): Makes the network from its `settings` and sizes, which may learn more labels:
        `grow`. Must be picklable.
    RETURNS (Model[HeadInput, Any]): Its attribute `settings`, which is not saved, has all settings.
    """
    model = torch_head(name, tok2vec, partial(head, settings=settings))
    model.attrs["settings"] = settings
    model.attrs["resize_output"] = resize_output
    return model
