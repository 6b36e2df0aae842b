"""From span scores to the probability that each span is selected."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, cat
from torch.nn.functional import logsigmoid

from ..wcfg import log_marginals
from .layout import SpanLayout


class Marginals(NamedTuple):
    """Log probabilities of every span of a batch, flat; what lies in padding means nothing.

    selected (Tensor): log p(span is selected). Shape: (layout.size,)
    unselected (Tensor): log(1 - p). Shape: (layout.size,)
    """

    selected: Tensor
    unselected: Tensor


Selector = Callable[[Tensor, SpanLayout], Marginals]
"""Takes the score of every span, flat, of shape `(layout.size,)`, and the sentences of the batch."""


def structured_marginals(scores: Tensor, layout: SpanLayout) -> Marginals:
    """The marginals of the grammar over non-crossing spans, sentence by sentence (the paper, eq. 9).

    scores (Tensor): Score of every span, flat. Shape: (layout.size,)
    layout (SpanLayout): The sentences of the batch.
    """
    if not layout.buckets:
        return Marginals(scores, scores)
    charts = [log_marginals(bucket.chart(scores), bucket.lengths) for bucket in layout.buckets]
    selected, unselected = (cat([chart.flatten() for chart in column]) for column in zip(*charts, strict=True))
    return Marginals(selected, unselected)


def sigmoid_marginals(scores: Tensor, layout: SpanLayout) -> Marginals:
    """Each span on its own: the baseline that knows nothing of crossing.

    scores (Tensor): Score of every span, flat. Shape: (layout.size,)
    layout (SpanLayout): The sentences of the batch.
    """
    return Marginals(logsigmoid(scores), logsigmoid(-scores))
