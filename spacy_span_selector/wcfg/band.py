"""The laminar grammar over narrow spans: exact for any length of sentence, in time and memory that grow with it.

Spans of more than `most` words are forbidden. Whatever is not inside a narrow span is then a chain along the sentence
(`chain`), so that only the charts of narrow spans are needed; see docs/grammar.md. Scores are given by first token and
width, not by first and last token.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad, softplus

from .band_charts import BandCharts, band_to_chart, chart_to_band
from .band_sweeps import BandSums, BandWeights, log_free, sweep, sweep_back
from .chain import Chain
from .grammar import FORBIDDEN, IDENTITY, Grammar
from .laminar import level
from .triangle import to_end, to_start
from .validation import check_differentiated_once, validate_band


class LaminarBandGrammar(Grammar):
    """Each set of non-crossing narrow spans is a derivation.

    Its functions are those of the other grammars, but `scores[b, i, w]` is the score of the span of w + 1 tokens that
    starts at token i, of shape (batch, n, most); and so are their results.
    """

    is_precise = False  # a chart for each span that is almost certain would take the square of a long sentence

    def first_and_last(self, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        validate_band(scores, lengths)
        _, tokens, most = scores.shape
        first = torch.arange(tokens, device=scores.device)[:, None]
        return first, first + torch.arange(most, device=scores.device)

    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        _, tokens, most = scores.shape
        scores = scores.masked_fill(~chord, FORBIDDEN).clamp(min=FORBIDDEN)
        log_partition, log_allowed = _LaminarBands.apply(scores[:, :, :tokens], lengths)
        return log_partition, pad(log_allowed, (0, max(0, most - tokens)))


class _LaminarBands(torch.autograd.Function):
    """Sum over all sets of non-crossing narrow spans.

    scores (Tensor): Score of each span; forbidden for words and where there is no span. Shape: (batch, n, most)
    lengths (Tensor): Number of tokens of each sentence. Shape: (batch,)
    RETURNS (tuple[Tensor, Tensor]): log Z, and the log probability that no selected span crosses a span, which has no
        meaning where there is none. Shapes: (batch,) and (batch, n, most)
    """

    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        selected = band_to_chart(scores, FORBIDDEN)
        either = softplus(selected, threshold=IDENTITY)
        most = scores.shape[2]
        chords = (most * lengths - most * (most - 1) // 2 - lengths).clamp(min=1)
        constant = level(scores, either, lengths, chords)
        word = torch.arange(scores.shape[1], device=scores.device)[:, None] < lengths
        selected = to_end(selected)
        weights = torch.stack([selected, either, selected]).div_(math.log(2))
        sums = sweep(_weights(weights), torch.where(word, -constant, 0.0) / math.log(2))
        log_allowed = chart_to_band(log_free(sums).mul_(math.log(2)).clamp_(max=0))
        inside, below, outside, above, chain = sums
        ctx.save_for_backward(scores, log_allowed, weights, inside.values, below, outside.values, above.values, *chain)
        ctx.set_materialize_grads(False)
        return chain.total.to(scores.dtype) + constant * lengths, log_allowed

    @staticmethod
    def backward(
        ctx: Any, grad_partition: Tensor | None, grad_allowed: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        scores, log_allowed, weights, inside, below, outside, above, *chain = ctx.saved_tensors
        if grad_allowed is None:  # log_allowed is an output, so this expression can be differentiated again
            if grad_partition is None:
                return None, None
            return grad_partition[:, None, None] * (log_allowed.exp() * scores.sigmoid()), None
        check_differentiated_once()
        if grad_partition is None:
            grad_partition = grad_allowed.new_zeros(len(grad_allowed))
        sums = BandSums(
            *(BandCharts(inside, end_first=True), below, BandCharts(outside)),
            *(BandCharts(above, end_first=True), Chain(*chain)),
        )
        # There is no gradient where there is no chord: log_allowed is masked there.
        gradient = sweep_back(_weights(weights), sums, grad_partition, band_to_chart(grad_allowed, 0.0))
        as_right = chart_to_band(to_start(gradient.by_end))
        return chart_to_band(gradient.by_start).mul_(scores.sigmoid()).add_(as_right), None


def _weights(values: Tensor) -> BandWeights:
    """The weights from the charts of selected spans by end, of either by start, and of selected ones by end."""
    return BandWeights(BandCharts(values[:2], end_first=True), BandCharts(values[1:]))
