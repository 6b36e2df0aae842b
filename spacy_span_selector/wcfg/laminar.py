"""The laminar grammar: every set of non-crossing spans has exactly one derivation.

The probability of a set is proportional to the exponential of the sum of its scores, and nothing else. A span that no
other can cross is selected with probability sigmoid(score), whatever the length of the sentence. The sweeps over its
chart are in `laminar_sweeps`; see docs/grammar.md.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import softplus

from .grammar import FORBIDDEN, IDENTITY, Grammar, log_mean_exp
from .laminar_sweeps import Inside, Outside, log_free, sweep_back, sweep_inside, sweep_outside
from .triangle import chart_to_spans, spans_to_chart


class LaminarGrammar(Grammar):
    """Each set of non-crossing spans is a derivation. A span is allowed if no selected span crosses it."""

    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        # No span reaches beyond a sentence that is shorter than the chart, so what is there is one derivation.
        scores = scores.masked_fill(~chord, FORBIDDEN).clamp(min=FORBIDDEN)
        level = _level(scores.detach(), chord, lengths)
        word = torch.arange(scores.shape[1], device=scores.device)[:, None] < lengths
        log_partition, log_allowed = _LaminarSets.apply(scores, torch.where(word, -level, 0.0))
        return log_partition + level * lengths, log_allowed


def _level(scores: Tensor, chord: Tensor, lengths: Tensor) -> Tensor:
    """The constant to subtract for every word, so that log Z is close to 0.

    Each derivation has all words, so any level is exact, but sums close to 0 are more precise. If all spans had the
    mean weight x, the weight of all sets would grow by the factor (sqrt(x) + sqrt(1 + x))^2 with each word. If few
    spans have any weight, a better estimate is the weight of all sets, crossing or not.

    scores (Tensor): Score of each span. Shape: (batch, n, n)
    chord (Tensor): Which spans are chords. Shape: (batch, n, n)
    lengths (Tensor): Number of tokens of each sentence. Shape: (batch,)
    RETURNS (Tensor): The level of each sentence. Shape: (batch,)
    """
    mean = log_mean_exp(scores, chord)
    growth = 2 * torch.logaddexp(mean / 2, softplus(mean, threshold=IDENTITY) / 2)
    independent = softplus(scores, threshold=IDENTITY).masked_fill(~chord, 0.0).sum((1, 2)) / lengths.clamp(min=1)
    return torch.minimum(growth, independent)


class _LaminarSets(torch.autograd.Function):
    """Sum over all sets of non-crossing spans, with a sweep inward and one outward, and their reverses.

    scores (Tensor): Score of each span. Shape: (batch, n, n)
    words (Tensor): Log weight of each word, a constant. Shape: (n, batch)
    RETURNS (tuple[Tensor, Tensor]): log Z, and the log probability that no selected span crosses a span, which has no
        meaning below the diagonal. Shapes: (batch,) and (batch, n, n)
    """

    @staticmethod
    def forward(ctx: Any, scores: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        # The charts are in base 2, because exp2 is much faster than exp on CPUs.
        selected = spans_to_chart(scores / math.log(2))
        either = spans_to_chart(softplus(scores, threshold=IDENTITY) / math.log(2))
        inside = sweep_inside(selected, either, words / math.log(2))
        outside = sweep_outside(selected, either, inside)
        log_allowed = chart_to_spans(log_free(either, inside, outside)).mul_(math.log(2)).clamp_(max=0)
        ctx.save_for_backward(scores, log_allowed, selected, either, *inside, *outside)
        ctx.set_materialize_grads(False)
        return inside.left[-1, 0] * math.log(2), log_allowed

    @staticmethod
    def backward(
        ctx: Any, grad_partition: Tensor | None, grad_allowed: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        scores, log_allowed, selected, either, *charts = ctx.saved_tensors
        if grad_allowed is None:  # log_allowed is an output, so this expression can be differentiated again
            gradient = None
            if grad_partition is not None:
                gradient = grad_partition[:, None, None] * (log_allowed.exp() * scores.sigmoid())
            return gradient, None
        if torch.is_grad_enabled():
            raise RuntimeError(
                "span marginals can be differentiated once only: call backward without create_graph=True"
            )
        if grad_partition is None:
            grad_partition = grad_allowed.new_zeros(len(grad_allowed))
        grad_selected, grad_either = sweep_back(
            selected,
            either,
            Inside(*charts[:3]),
            Outside(*charts[3:]),
            grad_partition,
            spans_to_chart(grad_allowed.triu(1)),
        )
        return chart_to_spans(grad_selected) + chart_to_spans(grad_either) * scores.sigmoid(), None
