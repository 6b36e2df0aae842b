"""The architectures of the components: any tok2vec, then the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.coref.loss import CorefOutput
from ..layers.coref.network import CorefHead, CorefSettings
from ..layers.selection.selectors import Selector
from ..layers.selection.settings import NetworkSettings
from ..layers.spancat.network import SpancatHead, SpancatOutput, SpancatSettings
from ..layers.srl.arguments import ArgumentFinder
from ..layers.srl.network import SrlHead, SrlOutput
from ..layers.srl.settings import SrlSettings
from ..layers.srl.span_arguments import SpanArgumentFinder
from ..signatures import naming, takes_settings
from .torch_head import HeadInput, change_head, torch_head

Settings = TypeVar("Settings", bound=NetworkSettings)


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
    settings = _with_selector(settings, selector, "the coreference model")
    model = torch_head("coref", tok2vec, partial(CorefHead, settings=settings))
    model.attrs["settings"] = settings
    return model


@registry.architectures("spacy_span_selector.SrlModel.v1")
@takes_settings(SrlSettings, "the SRL model")
def build_srl_model(
    tok2vec: Model[list[Doc], list[Floats2d]], settings: SrlSettings, selector: Selector | None = None
) -> Model[HeadInput, SrlOutput]:
    """Build the model of semantic role labelling. In a config, the fields of its settings are its arguments.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token: a Tok2Vec, or a listener
        to a shared Tok2Vec or transformer.
    settings (SrlSettings): Everything else.
    selector (Selector | None): How arguments are selected; None for spacy_span_selector.LaminarSelector.v1.
    RETURNS (Model[HeadInput, SrlOutput]): Its attribute `settings`, which is not saved, has all settings.
    """
    return srl_model(tok2vec, _with_selector(settings, selector, "the SRL model"))


@registry.architectures("spacy_span_selector.SpancatModel.v1")
@takes_settings(SpancatSettings, "the model of labelled spans")
def build_spancat_model(
    tok2vec: Model[list[Doc], list[Floats2d]], settings: SpancatSettings, selector: Selector | None = None
) -> Model[HeadInput, SpancatOutput]:
    """Build the model of labelled spans. In a config, the fields of its settings are its arguments.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token: a Tok2Vec, or a listener
        to a shared Tok2Vec or transformer.
    settings (SpancatSettings): Everything else.
    selector (Selector | None): How spans are selected; None for spacy_span_selector.LaminarSelector.v1.
    RETURNS (Model[HeadInput, SpancatOutput]): Its attribute `settings`, which is not saved, has all settings.
    """
    settings = _with_selector(settings, selector, "the model of labelled spans")
    model = torch_head("spancat", tok2vec, partial(SpancatHead, settings=settings))
    model.attrs["settings"] = settings
    model.attrs["resize_output"] = resize_labels
    return model


def resize_labels(model: Model[HeadInput, SpancatOutput], labels: int) -> Model[HeadInput, SpancatOutput]:
    """Let a model of labelled spans learn more labels, as `add_label` of the component does.

    model (Model[HeadInput, SpancatOutput]): The model.
    labels (int): How many labels there are; new ones come last.
    RETURNS (Model[HeadInput, SpancatOutput]): The same model.
    """
    change_head(model, lambda head: head.grow(labels))
    return model


def srl_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    settings: SrlSettings,
    make_finder: Callable[..., ArgumentFinder] = SpanArgumentFinder,
) -> Model[HeadInput, SrlOutput]:
    """Build the model of semantic role labelling, maybe with another way to find arguments.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives one vector for each token.
    settings (SrlSettings): All sizes.
    make_finder (Callable[..., ArgumentFinder]): Makes the part of the network that finds arguments. Must be picklable.
    RETURNS (Model[HeadInput, SrlOutput]): As of `build_srl_model`.
    """
    model = torch_head("srl", tok2vec, partial(SrlHead, settings=settings, make_finder=make_finder))
    model.attrs["settings"] = settings
    model.attrs["resize_output"] = resize_output
    return model


def resize_output(
    model: Model[HeadInput, SrlOutput], roles: int, rolesets: Sequence[int] | None = None
) -> Model[HeadInput, SrlOutput]:
    """Let a model learn more roles and rolesets, as `add_label` and `add_labels` of the component do.

    model (Model[HeadInput, SrlOutput]): The model.
    roles (int): How many roles there are; new ones come last.
    rolesets (Sequence[int] | None): The old number of each roleset, or -1 if it is new; None for the same.
    RETURNS (Model[HeadInput, SrlOutput]): The same model.
    """
    change_head(model, lambda head: head.grow(roles, range(head.sizes["rolesets"]) if rolesets is None else rolesets))
    return model


def _with_selector(settings: Settings, selector: Selector | None, owner: str) -> Settings:
    """Settings with the selector of a config; None for the default."""
    if selector is None:
        return settings
    with naming(owner):
        return replace(settings, selector=selector)
