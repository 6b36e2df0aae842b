"""Sample spans that are not annotated, which keeps the probabilities of unlikely spans down in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from ..spans.layout import SpanLayout

Annotation = Literal["complete", "partial"]
"""Complete if a corpus marks every span of interest, partial if an unmarked span may be one."""

Widths = Literal["all", "gold"]
"""The widths of random spans: those of all spans, most of them wide, or those of gold spans."""


@dataclass(frozen=True)
class Negatives:
    """Sample spans that are not gold.

    per_token (float): How many, per token of the batch.
    widths (Literal["all", "gold"]): Whether any span is as likely as another, or any width as likely as among the gold
        spans, and any place as another. Most spans of a sentence are wide, and hardly probable beside all that cross
        them: of such spans, a grammar learns nothing.
    """

    per_token: float
    widths: Widths = "all"

    def draw(self, is_gold: Tensor, gold: Tensor, annotated: Tensor, layout: SpanLayout) -> Tensor:
        """Draw spans of annotated documents, with replacement.

        is_gold, gold (Tensor): Which spans are gold, as a mask and as flat indices. Shapes: (layout.size,), (gold,)
        annotated (Tensor): Which documents are annotated. Shape: (documents,)
        RETURNS (Tensor): Flat indices. Shape: (drawn,)
        """
        if self.widths == "gold" and len(gold):
            return _sample_like(gold, ~is_gold, annotated, layout, self.per_token)
        return sample_spans(~is_gold, annotated, layout, self.per_token)


def sample_spans(pool: Tensor, annotated: Tensor, layout: SpanLayout, per_token: float) -> Tensor:
    """Draw spans of annotated documents, with replacement.

    pool (Tensor): Which spans may be drawn, flat; padding is left out here. Shape: (layout.size,)
    per_token (float): How many to draw, per token of the batch; never more than there are.
    """
    spans = torch.nonzero(layout.valid() & pool).squeeze(1)
    wanted = min(int(per_token * len(layout.document)), len(spans))
    drawn = spans[torch.randint(max(1, len(spans)), (wanted,), device=spans.device)]
    starts, _ = layout.locate(drawn)
    return drawn[annotated[layout.document[starts]]]


def _sample_like(gold: Tensor, pool: Tensor, annotated: Tensor, layout: SpanLayout, per_token: float) -> Tensor:
    """Draw spans with the widths of gold ones, one at least, at places that are drawn apart.

    Fewer than `per_token` are drawn: those that are not in the pool, or end behind their sentence, are left out.
    """
    tokens = len(layout.document)
    wanted = int(per_token * tokens)
    firsts, lasts = layout.locate(gold)
    starts = torch.randint(tokens, (wanted,), device=gold.device)
    ends = starts + (lasts - firsts)[torch.randint(len(gold), (wanted,), device=gold.device)]
    # A start anywhere and a width from anywhere: what leaves its sentence is thrown away, not drawn again.
    inside = (ends < tokens) & annotated[layout.document[starts]]
    starts, ends = starts[inside], ends[inside]
    whole = (layout.sentence[starts] == layout.sentence[ends]) & layout.has_index(starts, ends)
    flat = layout.flat_index(starts[whole], ends[whole])
    return flat[pool[flat]]
