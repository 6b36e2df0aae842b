"""The base of the grammars: log Z and span marginals from the sums that each grammar computes by a chart.

A grammar is a distribution over sets of non-crossing spans. In each, a span is selected with probability

    p = q * sigmoid(score)

where q is the probability that the rest of the derivation allows it. Everything else here is elementwise.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

from .validation import check_sums, validate

FORBIDDEN = -1e30  # log weight of what is in no derivation; finite, so that no difference of two is NaN
IDENTITY = 40.0  # above, softplus is the identity, even in float64
ROUNDING = 64.0  # where 1 - p is less, in units of the precision of log Z, its logarithm is computed another way
AT_ONCE = 1 << 20  # the scores in charts that are computed at once for that


class Grammar(ABC):
    """A distribution over sets of non-crossing spans of a sentence.

    is_precise (bool): Whether `log_marginals` computes log(1 - p) again where it would be rounding error.
    """

    is_precise: ClassVar[bool] = True

    def first_and_last(self, scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """First and last token of the span of each score, which is none if it ends before it starts or behind its
        sentence. Shapes that broadcast to (n, n)."""
        validate(scores, lengths)
        token = torch.arange(scores.shape[1], device=scores.device)
        return token[:, None], token

    @abstractmethod
    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Sum over all derivations.

        scores (Tensor): Scores in float32 or float64; 0 where there is no span. Shape: (batch, n, n)
        chord (Tensor): Which spans are chords: all but single tokens and whole sentences, which no span crosses.
            Shape: (batch, n, n)
        lengths (Tensor): Number of tokens of each sentence, 0 to n; n is not 0. Shape: (batch,)
        RETURNS (tuple[Tensor, Tensor]): log Z without single tokens and whole sentences, and log q, which has no
            meaning where there is no chord. Shapes: (batch,) and (batch, n, n)
        """

    def log_partition(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Compute the log of the total weight of all derivations of each sentence.

        Its gradient is `marginals(scores, lengths)`.

        scores (Tensor): `scores[b, i, j]` is the score of the span from token i to token j inclusive; those beyond the
            length are never read; -inf forbids a span. Half precision is computed in float32. Shape: (batch, n, n)
        lengths (Tensor): Number of tokens of each sentence, 0 to n. Shape: (batch,)
        RETURNS (Tensor): log Z, 0 for an empty sentence. Shape: (batch,)
        RAISES (ValueError): If a shape, a dtype or a length is not as described, or a score is NaN, infinite, or so
            large that log Z is above 5e5, or 2.8e14 in float64, where only rounding errors would be left.
        """
        return self._spans(scores, lengths).log_partition

    def marginals(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """Compute the probability that each span is selected; arguments and errors are those of `log_partition`.

        Differentiable once; a second derivative raises RuntimeError.

        RETURNS (Tensor): Probabilities; exactly 0 where a score is never read or is -inf. Shape: (batch, n, n)
        """
        return self._spans(scores, lengths).selected()

    def log_marginals(self, scores: Tensor, lengths: Tensor, both: bool = True) -> tuple[Tensor, Tensor]:
        """Compute the logarithms of the probability p that a span is selected, and of 1 - p; arguments and errors are
        those of `log_partition`.

        Precise where `marginals` rounds to 0 or 1, with finite gradients: use this in a loss. Either is off by less
        than a tenth, or by a few units of the precision of log Z. In a band, log(1 - p) is off by more where crossing
        spans make p less than 1 by less than rounding errors, about 1e-5: there they count as impossible.

        RETURNS (tuple[Tensor, Tensor]): log p and log(1 - p); -inf and 0 where a score is never read or is -inf.
            Shape: (batch, n, n) each; the latter is empty unless `both` are wanted.
        """
        spans = self._spans(scores, lengths)
        if not both:
            return spans.log_selected(), scores[:0]
        # Not selected: not allowed, or allowed and not selected. What is always allowed is never the former: its log
        # would be -inf and the derivative infinite, so its value is masked out of this branch.
        certain = spans.log_allowed >= 0
        log_ruled_out = torch.log(-torch.expm1(spans.log_allowed.masked_fill(certain, -1.0)))
        log_left_alone = spans.log_allowed + logsigmoid(-spans.scores)
        log_unselected = torch.logaddexp(log_ruled_out.masked_fill(certain, -math.inf), log_left_alone).clamp(max=0)
        if self.is_precise:
            log_unselected = self._without_rounding(log_unselected, spans, lengths)
        return spans.log_selected(), log_unselected.masked_fill(~spans.exists, 0.0)

    def _without_rounding(self, log_unselected: Tensor, spans: _Spans, lengths: Tensor) -> Tensor:
        """Compute log(1 - p) again where it is little more than the rounding error of log q.

        It is log Z with the span forbidden, less log Z, whose gradient is the difference of the marginals. That takes
        a chart for each such span. A sentence has fewer of them than words, since two that cross cannot both be likely,
        and after training hardly one.
        """
        rounding = torch.finfo(log_unselected.dtype).eps * (1 + spans.log_partition.detach())
        which = torch.nonzero(spans.chord & (log_unselected.detach() < rounding.mul(ROUNDING).log()[:, None, None]))
        if not len(which):
            return log_unselected
        lengths = lengths.to(which.device)
        values, gradients = [], []
        with torch.no_grad():
            scores, log_partition, selected = spans.scores.detach(), spans.log_partition, spans.selected()
            for some in which.split(max(1, AT_ONCE // scores[0].numel())):
                sentence, row, column = some.unbind(1)
                others = scores[sentence]
                others[torch.arange(len(some), device=some.device), row, column] = -math.inf
                without = self._spans(others, lengths[sentence])
                values.append(without.log_partition - log_partition[sentence])
                gradients.append(without.selected() - selected[sentence])
        own = spans.scores[which[:, 0]]
        own = own.masked_fill(own.isinf(), 0.0)
        zero = ((own - own.detach()) * torch.cat(gradients)).sum((1, 2))  # for its gradient
        return log_unselected.index_put(which.unbind(1), torch.cat(values) + zero)

    def _spans(self, scores: Tensor, lengths: Tensor) -> _Spans:
        """Separate what is certain from what needs the chart."""
        start, last = self.first_and_last(scores, lengths)
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        lengths = lengths.to(scores.device)
        if scores.shape[1] == 0:
            return _Spans(scores.bool(), scores.bool(), scores, scores.sum((1, 2)), scores)

        exists = (start <= last) & (last < lengths[:, None, None])
        # No span crosses a token or the whole sentence, so these are constants and only the chords need the chart.
        whole = (start == 0) & (last == lengths[:, None, None] - 1)
        certain = exists & (whole | (start == last))
        chord = exists & ~certain

        with torch.autocast(scores.device.type, enabled=False):
            scores = scores.masked_fill(~exists, 0.0)
            log_chords, log_allowed = self.sum_over_chords(scores, chord, lengths)
            constant = softplus(scores, threshold=IDENTITY).masked_fill(~certain, 0.0).sum((1, 2))
            log_partition = log_chords + constant
            check_sums(log_partition, scores)
            return _Spans(exists, chord, scores, log_partition, log_allowed.masked_fill(~chord, 0.0))


class _Spans(NamedTuple):
    """The results of the chart for every span."""

    exists: Tensor  # on or above the diagonal and within the length
    chord: Tensor  # neither a single token nor the whole sentence
    scores: Tensor  # 0 where no span exists
    log_partition: Tensor
    log_allowed: Tensor  # log q

    def selected(self) -> Tensor:
        """The probability that each span is selected."""
        return self.log_selected().exp()

    def log_selected(self) -> Tensor:
        """Its logarithm."""
        return (self.log_allowed + logsigmoid(self.scores)).masked_fill(~self.exists, -math.inf)
