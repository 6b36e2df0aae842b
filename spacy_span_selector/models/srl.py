"""The architecture of `structured_srl`: any tok2vec, then the network of semantic role labelling."""

from __future__ import annotations

from functools import partial
from typing import Literal

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.srl import SrlHead, SrlOutput, SrlSettings
from .torch_head import HeadInput, torch_head


@registry.architectures("spacy_span_selector.SrlModel.v1")
def build_srl_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    selector: Literal["structured", "sigmoid", "greedy", "bio"] = "structured",
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
    selector (Literal["structured", "sigmoid", "greedy", "bio"]): "structured" selects non-crossing spans by the
        grammar. The baselines: "sigmoid" selects each span on its own, "greedy" keeps a fixed number per sentence,
        "bio" tags tokens and selects nothing.
    The other arguments are those of `SrlSettings`.
    RETURNS (Model[HeadInput, SrlOutput]): Its attributes `selector` and `max_span_width` say how arguments are
        found and which ones it can learn.
    """
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
    model.attrs["max_span_width"] = max_span_width if selector != "bio" else None
    return model
