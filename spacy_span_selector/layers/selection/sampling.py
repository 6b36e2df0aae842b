"""Random spans that are not annotated: what keeps the probabilities of unlikely spans down in training."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from ..spans.layout import SpanLayout

Annotation = Literal["complete", "partial"]
"""Whether a corpus marks every span of interest, or a span that is not marked may be one all the same."""


def sample_spans(pool: Tensor, annotated: Tensor, layout: SpanLayout, per_token: float) -> Tensor:
    """Draw spans of annotated documents, with replacement.

    pool (Tensor): Which spans may be drawn, flat; padding is left out here. Shape: (layout.size,)
    annotated (Tensor): Which documents are annotated. Shape: (documents,)
    layout (SpanLayout): The sentences of the batch.
    per_token (float): How many to draw, per token of the batch; never more than there are.
    RETURNS (Tensor): Flat indices. Shape: (drawn,)
    """
    spans = torch.nonzero(layout.valid() & pool).squeeze(1)
    wanted = min(int(per_token * len(layout.document)), len(spans))
    drawn = spans[torch.randint(max(1, len(spans)), (wanted,), device=spans.device)]
    starts, _ = layout.locate(drawn)
    return drawn[annotated[layout.document[starts]]]
