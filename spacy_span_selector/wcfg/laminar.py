"""The laminar grammar: every set of non-crossing spans has exactly one derivation.

The probability of a set is proportional to the exponential of the sum of its scores, and nothing else. A span that no
other can cross is selected with probability sigmoid(score), in a sentence of any length. The sweeps over its
chart are in `laminar_sweeps`; see docs/grammar.md.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import softplus

from . import laminar_sweeps
from .grammar import FORBIDDEN, IDENTITY, Grammar
from .implementations import sweeps_for
from .triangle import chart_to_spans, spans_to_chart
from .validation import check_differentiated_once


class LaminarGrammar(Grammar):
    """Each set of non-crossing spans is a derivation. A span is allowed if no selected span crosses it."""

    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        # No span reaches beyond a sentence that is shorter than the chart, so what is there is one derivation.
        return _LaminarSets.apply(scores.masked_fill(~chord, FORBIDDEN).clamp(min=FORBIDDEN), lengths)


class _LaminarSets(torch.autograd.Function):
    """Sum over all sets of non-crossing spans, with a sweep inward and one outward, and their reverses.

    scores (Tensor): Score of each span; forbidden for words and where there is no span. Shape: (batch, n, n)
    lengths (Tensor): Number of tokens of each sentence. Shape: (batch,)
    RETURNS (tuple[Tensor, Tensor]): log Z, and the log probability that no selected span crosses a span, which has no
        meaning where there is none. Shapes: (batch,) and (batch, n, n)
    """

    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        # The charts are in base 2, because exp2 is much faster than exp on CPUs.
        selected = spans_to_chart(scores, FORBIDDEN)
        either = softplus(selected, threshold=IDENTITY)
        chords = (lengths * (lengths - 1) // 2 - 1).clamp(min=1)
        constant = level(scores, either, lengths, chords)
        word = torch.arange(scores.shape[1], device=scores.device)[:, None] < lengths
        words = torch.where(word, -constant, 0.0)
        ctx.sweeps = sweeps_for(selected, laminar_sweeps, "triton_laminar")
        total, log_free, *swept = ctx.sweeps.sweep(*(weight.div_(math.log(2)) for weight in (selected, either, words)))
        log_allowed = chart_to_spans(log_free).mul_(math.log(2)).clamp_(max=0)
        ctx.save_for_backward(scores, log_allowed, *swept)
        ctx.set_materialize_grads(False)
        return total * math.log(2) + constant * lengths, log_allowed

    @staticmethod
    def backward(
        ctx: Any, grad_partition: Tensor | None, grad_allowed: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        scores, log_allowed, *swept = ctx.saved_tensors
        if grad_allowed is None:  # log_allowed is an output, so this expression can be differentiated again
            if grad_partition is None:
                return None, None
            return grad_partition[:, None, None] * (log_allowed.exp() * scores.sigmoid()), None
        check_differentiated_once()
        if grad_partition is None:
            grad_partition = grad_allowed.new_zeros(len(grad_allowed))
        grad_chart = spans_to_chart(grad_allowed.triu(1), 0.0)
        selected, either = ctx.sweeps.sweep_back(tuple(swept), grad_partition, grad_chart)
        return chart_to_spans(either).mul_(scores.sigmoid()).add_(chart_to_spans(selected)), None


def level(scores: Tensor, either: Tensor, lengths: Tensor, chords: Tensor) -> Tensor:
    """The constant to subtract for every word, so that log Z is close to 0.

    Each derivation has all words, so any level is exact, but sums close to 0 are more precise. If all spans had the
    mean weight x, the weight of all sets would grow by the factor (sqrt(x) + sqrt(1 + x))^2 with each word. If few
    spans have any weight, a better estimate is the weight of all sets, crossing or not.

    scores (Tensor): Score of each span; forbidden for words and where there is no span. Shape: (batch, n, widths)
    either (Tensor): Log weight of each span that is selected or not; 0 for words and where there is no span; a chart
        by start. Shape: (widths + 1, n + 1, batch)
    lengths (Tensor): Number of tokens of each sentence. Shape: (batch,)
    chords (Tensor): Number of spans of each sentence, at least 1. Shape: (batch,)
    RETURNS (Tensor): The level of each sentence. Shape: (batch,)
    """
    largest = scores.amax((1, 2), keepdim=True)
    # exp is slow far below 0, where it is 0 anyway.
    mean = (scores - largest).clamp_(min=-80).exp_().sum((1, 2)).div_(chords).log_() + largest.flatten()
    growth = 2 * torch.logaddexp(mean / 2, softplus(mean, threshold=IDENTITY) / 2)
    return torch.minimum(growth, either.sum((0, 1)) / lengths.clamp(min=1))
