"""Selectors as config entries: `[components.NAME.model.selector]` with `@misc = "spacy_span_selector.NAME.v1"`."""

from __future__ import annotations

from spacy.util import registry

from ..layers.selection.selectors import LaminarSelector, SigmoidSelector, StructuredSelector
from ..signatures import checks_arguments


@registry.misc("spacy_span_selector.StructuredSelector.v1")
def structured_selector() -> StructuredSelector:
    """Select non-crossing spans by the grammar of the paper (Liu et al. 2022)."""
    return StructuredSelector()


@registry.misc("spacy_span_selector.LaminarSelector.v1")
def laminar_selector() -> LaminarSelector:
    """Select non-crossing spans by a grammar that counts each set of them once."""
    return LaminarSelector()


@registry.misc("spacy_span_selector.SigmoidSelector.v1")
@checks_arguments("'spacy_span_selector.SigmoidSelector.v1'")
def sigmoid_selector(non_crossing: bool = False) -> SigmoidSelector:
    """Select each span independently; the losses are those of the structured selector.

    non_crossing (bool): Whether the best non-crossing set of spans is kept at prediction, instead of every span whose
        probability is above the threshold.
    """
    return SigmoidSelector(non_crossing)
