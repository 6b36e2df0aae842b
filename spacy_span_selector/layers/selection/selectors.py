"""Selectors: what makes a span of the scores of all spans, and what it learns that from.

The structured selector and the sigmoid give each span a probability, from which losses are made; greedy pruning has
none and keeps as many spans as it is told to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor, cat
from torch.nn.functional import logsigmoid

from ...wcfg import log_marginals
from ..spans.layout import SpanLayout


class Marginals(NamedTuple):
    """Log probabilities of every span of a batch, flat; what lies in padding means nothing.

    selected (Tensor): log p(span is selected). Shape: (layout.size,)
    unselected (Tensor): log(1 - p). Shape: (layout.size,)
    """

    selected: Tensor
    unselected: Tensor


MarginalFunction = Callable[[Tensor, SpanLayout], Marginals]
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


@dataclass(frozen=True)
class StructuredSelector:
    """The grammar over non-crossing spans."""

    @property
    def marginals(self) -> MarginalFunction:
        """From scores to probabilities."""
        return structured_marginals


@dataclass(frozen=True)
class SigmoidSelector:
    """Each span on its own, with the losses of the structured selector: the baseline that knows nothing of crossing."""

    @property
    def marginals(self) -> MarginalFunction:
        """From scores to probabilities."""
        return sigmoid_marginals


@dataclass(frozen=True)
class GreedySelector:
    """The highest-scoring spans, a fixed number per token: non-crossing ones of a document for coreference (Lee et al.
    2017), any of a sentence for semantic roles (He et al. 2018). It learns from links or roles alone.

    ratio (float | None): How many spans to keep, per token. If None that of the paper: 0.4 for coreference, 0.8 for
        semantic roles.
    """

    ratio: float | None = None

    def __post_init__(self) -> None:
        if self.ratio is not None and not self.ratio > 0:
            raise ValueError(f"'ratio' of the greedy selector is {self.ratio}; it must be above 0, or null.")

    @property
    def marginals(self) -> None:
        """There are no probabilities."""


@dataclass(frozen=True)
class MultitaskSelector(GreedySelector):
    """Greedy, and the network also learns which spans are noun phrases, other constituents, or none (Swayamdipta et
    al. 2018). Constituents come from `doc.spans["constituents"]` of the training corpus; none are needed later.

    weight (float): What the loss of this second task is multiplied by.
    """

    weight: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.weight >= 0:
            raise ValueError(f"'weight' of the multitask selector is {self.weight}; it must be at least 0.")


@dataclass(frozen=True)
class BioSelector:
    """No spans at all: tokens are tagged, once for each predicate. For semantic roles alone."""


SpanSelector = StructuredSelector | SigmoidSelector | GreedySelector | MultitaskSelector
"""A selector of spans; its `marginals` say how probabilities are made of scores."""
