"""Selectors by name: the entries that a config would have, and what they make."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from spacy_span_selector.layers.selection.candidates import MostProbable, in_text_order
from spacy_span_selector.layers.selection.selectors import LaminarSelector, SigmoidSelector, StructuredSelector
from spacy_span_selector.layers.spans.layout import SpanLayout

SELECTORS = {"structured": StructuredSelector, "laminar": LaminarSelector, "sigmoid": SigmoidSelector}


@dataclass(frozen=True)
class WithTask(SigmoidSelector):
    """One score selects and decides; two more of each span are for a task of its own: all of them are to be 0."""

    scores: ClassVar[int] = 1
    auxiliary_scores: ClassVar[int] = 2

    def loss(self, output: Any, gold: Any, own_gold: Any, layout: SpanLayout, **settings: Any) -> Tensor:
        of_task = super().loss(output, gold, own_gold, layout, **settings)
        return of_task + output.selection.auxiliary[:, layout.valid()].square().sum()


@dataclass(frozen=True)
class MostProbableAndGold:
    """The most probable spans, and the gold spans.

    gold (GoldMentions | GoldFrames): The annotation of the batch.
    ratio (float): How many probable spans, per token.
    """

    gold: Any
    ratio: float

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        probable = MostProbable(self.ratio)(scores, log_marginals, layout)
        return in_text_order(torch.cat([probable, self.gold.flat_index(layout)]).unique(), layout)


def selector_block(name: str) -> dict[str, Any]:
    """The block `[components.NAME.model.selector]` of a selector."""
    return {"@misc": f"spacy_span_selector.{SELECTORS[name].__name__}.v1"}
