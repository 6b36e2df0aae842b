"""The architecture of `structured_srl`: any tok2vec, then the SRL network."""

from __future__ import annotations

from functools import partial

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.selection.selectors import Selector, StructuredSelector, selects_spans
from ..layers.srl.network import SrlHead, SrlOutput
from ..layers.srl.settings import SrlSettings
from .torch_head import HeadInput, torch_head


@registry.architectures("spacy_span_selector.SrlModel.v1")
def build_srl_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    selector: Selector | None = None,
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
    selector (Selector | None): How arguments are found: spacy_span_selector.StructuredSelector.v1,
        which is the default, or a baseline, SigmoidSelector.v1, GreedySelector.v1 or BioSelector.v1.
    The other arguments are those of `SrlSettings`.
    RETURNS (Model[HeadInput, SrlOutput]): Its attributes `selector` and `max_span_width` are those of the network; the
        latter is None where arguments are tagged, which have no limit.
    """
    settings = SrlSettings(
        selector=selector or StructuredSelector(),
        hidden_width=hidden_width,
        pair_width=pair_width,
        pair_hidden_width=pair_hidden_width,
        feature_width=feature_width,
        dropout=dropout,
        max_span_width=max_span_width,
    )
    model = torch_head("srl", tok2vec, partial(SrlHead, settings=settings))
    model.attrs["selector"] = settings.selector
    model.attrs["max_span_width"] = max_span_width if selects_spans(settings.selector) else None
    return model
