"""From span scores to the probability that each span is selected."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ..wcfg import log_marginals
from .layout import SpanLayout


class Marginals(NamedTuple):
    """Log probabilities of every span of a batch, flat; what lies in padding means nothing.

    selected (Tensor): log p(span is selected). Shape: (layout.size,)
    unselected (Tensor): log(1 - p). Shape: (layout.size,)
    """

    selected: Tensor
    unselected: Tensor


def structured_marginals(scores: Tensor, layout: SpanLayout) -> Marginals:
    """The marginals of the grammar over non-crossing spans, sentence by sentence (the paper, eq. 9).

    scores (Tensor): Score of every span, flat. Shape: (layout.size,)
    layout (SpanLayout): The sentences of the batch.
    """
    if not layout.buckets:
        return Marginals(scores, scores)
    charts = [log_marginals(bucket.chart(scores), bucket.lengths) for bucket in layout.buckets]
    selected, unselected = (torch.cat([chart.flatten() for chart in column]) for column in zip(*charts, strict=True))
    return Marginals(selected, unselected)
