"""log Z and span marginals, exact and differentiable, in O(n^2) memory.

A span that is a node of the tree is selected with weight exp(score) or not selected with weight 1,
so the log weight of its node is softplus(score), and one chart over nodes sums over both choices. The
sweeps over this chart are in `sweeps`; everything else is elementwise.

Liu et al. 2022, "A Structured Span Selector" (NAACL), section 3 and appendix; see docs/grammar.md.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

from .chart import arcs_to_spans, existing_spans, spans_to_arcs
from .implementations import sweeps_for
from .validation import validate

FORBIDDEN = -1e30  # log weight of a node that is in no tree; finite, so that no difference of two is NaN


def log_partition(scores: Tensor, lengths: Tensor) -> Tensor:
    """Compute the log of the total weight of all trees over each sentence, each node selected or not.

    Its gradient is `marginals(scores, lengths)`.

    scores (Tensor): `scores[b, i, j]` is the score of the span from token i to token j inclusive.
        Scores below the diagonal or beyond the length are never read; -inf forbids a span.
        float16 and bfloat16 are computed in float32. Shape: (batch, n, n)
    lengths (Tensor): Number of tokens of each sentence, 0 to n. Shape: (batch,)
    RETURNS (Tensor): log Z, 0 for an empty sentence. Shape: (batch,)
    RAISES (ValueError): If a shape, a dtype or a length is not as described.
    """
    return _nodes(scores, lengths).log_partition


def marginals(scores: Tensor, lengths: Tensor) -> Tensor:
    """Compute the probability that each span is selected: that it is a node of the tree, and a selected one.

    Differentiable once; a second derivative raises RuntimeError.

    scores (Tensor): As for `log_partition`. Shape: (batch, n, n)
    lengths (Tensor): As for `log_partition`. Shape: (batch,)
    RETURNS (Tensor): Probabilities; exactly 0 where a score is never read or is -inf. Shape: (batch, n, n)
    RAISES (ValueError): As for `log_partition`.
    """
    nodes = _nodes(scores, lengths)
    selected = (nodes.log_marginals + logsigmoid(nodes.scores)).exp()
    return selected.masked_fill(~nodes.exists, 0.0)


def log_marginals(scores: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the logarithms of the probability p that a span is selected, and of 1 - p.

    Precise where `marginals` rounds to 0 or 1, with finite gradients: use this in a loss.

    scores (Tensor): As for `log_partition`. Shape: (batch, n, n)
    lengths (Tensor): As for `log_partition`. Shape: (batch,)
    RETURNS (tuple[Tensor, Tensor]): log p and log(1 - p); -inf and 0 where a score is never read or is -inf.
        Shape: (batch, n, n) each
    RAISES (ValueError): As for `log_partition`.
    """
    nodes = _nodes(scores, lengths)
    log_selected = nodes.log_marginals + logsigmoid(nodes.scores)
    # Not selected: absent from the tree, or a node that is not selected. A node of every tree is never absent: its
    # log would be -inf and the derivative infinite, so its value is masked out of this branch.
    certain = nodes.log_marginals >= 0
    log_absent = torch.log(-torch.expm1(nodes.log_marginals.masked_fill(certain, -1.0)))
    log_left_alone = nodes.log_marginals + logsigmoid(-nodes.scores)
    log_unselected = torch.logaddexp(log_absent.masked_fill(certain, -math.inf), log_left_alone).clamp(max=0)
    return log_selected.masked_fill(~nodes.exists, -math.inf), log_unselected.masked_fill(~nodes.exists, 0.0)


class _Nodes(NamedTuple):
    """The results of the chart for every span, selected or not."""

    exists: Tensor  # on or above the diagonal and within the length
    scores: Tensor  # 0 where no span exists
    log_partition: Tensor
    log_marginals: Tensor  # log probability that the span is a node of the tree


def _nodes(scores: Tensor, lengths: Tensor) -> _Nodes:
    """Reduce the grammar to node weights, sum over all trees, and undo the reduction."""
    validate(scores, lengths)
    tokens = scores.shape[1]
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    lengths = lengths.to(scores.device)
    if tokens == 0:
        return _Nodes(scores.bool(), scores, scores.sum((1, 2)), scores)

    token = torch.arange(tokens, device=scores.device)
    start, last = token[:, None], token
    exists = existing_spans(lengths, tokens)
    # All tokens and the root are in every tree, so these are constants and only the chords need the chart.
    root = (start == 0) & (last == lengths[:, None, None] - 1)
    certain = exists & (root | (start == last))
    chord = exists & ~certain

    with torch.autocast(scores.device.type, enabled=False):
        scores = scores.masked_fill(~exists, 0.0)
        weights = softplus(scores, threshold=40)  # above, softplus is the identity, even in float64
        level = _level(weights.detach(), chord)
        # A sentence shorter than the chart is padded in exactly one way, with the nodes (0, k).
        padding = torch.where((start == 0) | (start == last), 0.0, FORBIDDEN).to(weights.dtype)
        chord_partition, chord_marginals = _Triangulations.apply(
            torch.where(chord, weights - level[:, None, None], padding)
        )
        constant = weights.masked_fill(~certain, 0.0).sum((1, 2)) + level * (lengths - 2).clamp(min=0)
        return _Nodes(exists, scores, chord_partition + constant, chord_marginals.masked_fill(~chord, 0.0))


def _level(weights: Tensor, chord: Tensor) -> Tensor:
    """The constant to subtract from the log weight of every chord, so that log Z is close to 0.

    Each tree over n tokens has n - 2 chords, so any level is exact, but sums close to 0 gain an order
    of magnitude in precision. There are about 4^n trees, so the right level is the log of 4 times the
    mean weight.

    weights (Tensor): Log weight of each node. Shape: (batch, n, n)
    chord (Tensor): Which nodes are chords. Shape: (batch, n, n)
    RETURNS (Tensor): The level of each sentence. Shape: (batch,)
    """
    count = chord.sum((1, 2))
    mean = weights.masked_fill(~chord, -math.inf).logsumexp((1, 2)) - count.log()
    return torch.where(count > 0, mean + math.log(4), 0.0)


class _Triangulations(torch.autograd.Function):
    """Sum over all binary trees, with one upward sweep over a chart and one downward sweep.

    weights (Tensor): Log weight of each node. Shape: (batch, n, n)
    RETURNS (tuple[Tensor, Tensor]): log Z, and the log probability of each node, which has no meaning below the
        diagonal. Shapes: (batch,) and (batch, n, n)
    """

    @staticmethod
    def forward(ctx: Any, weights: Tensor) -> tuple[Tensor, Tensor]:
        # The chart is in base 2, because exp2 is much faster than exp on CPUs.
        arcs = spans_to_arcs(weights / math.log(2))
        ctx.sweeps = sweeps_for(arcs)
        swept = ctx.sweeps.sweep_up(arcs)
        log_partition = swept[0][-1, 0] * math.log(2)
        # Inside and outside of a span share its chord, so its weight is counted twice.
        log_nodes = arcs_to_spans(swept[0]).mul_(math.log(2)).sub_(weights).sub_(log_partition[:, None, None])
        log_nodes.clamp_(max=0)
        ctx.save_for_backward(log_nodes, *swept)
        ctx.set_materialize_grads(False)
        return log_partition, log_nodes

    @staticmethod
    def backward(ctx: Any, grad_partition: Tensor | None, grad_nodes: Tensor | None) -> Tensor | None:
        log_nodes, *swept = ctx.saved_tensors
        if grad_nodes is None:  # log_nodes is an output, so this expression can be differentiated again
            return None if grad_partition is None else grad_partition[:, None, None] * log_nodes.exp()
        if torch.is_grad_enabled():
            raise RuntimeError(
                "span marginals can be differentiated once only: call backward without create_graph=True"
            )
        grad_nodes = grad_nodes.triu()
        gradient = spans_to_arcs(grad_nodes)
        gradient[-1, 0] -= grad_nodes.sum((1, 2))
        if grad_partition is not None:
            gradient[-1, 0] += grad_partition
        return arcs_to_spans(ctx.sweeps.sweep_down(tuple(swept), gradient)) - grad_nodes
