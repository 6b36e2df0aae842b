"""The grammar of the paper: binary trees over a sentence, each of whose nodes is selected or not.

A span that is a node of the tree is selected with weight exp(score) or not selected with weight 1,
so the log weight of its node is softplus(score), and one chart over nodes sums over both choices. A set
of spans counts once for each tree that contains it. The chart and the sweeps over it are in `sweeps`.

Liu et al. 2022, "A Structured Span Selector" (NAACL), section 3 and appendix; see docs/grammar.md.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import softplus

from . import sweeps
from .grammar import FORBIDDEN, IDENTITY, Grammar
from .implementations import sweeps_for
from .sweeps import arcs_to_spans, spans_to_arcs
from .validation import check_differentiated_once


class TreeGrammar(Grammar):
    """Each binary tree with each choice of its nodes is a derivation. A span is allowed if it is a node."""

    def sum_over_chords(self, scores: Tensor, chord: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        token = torch.arange(scores.shape[1], device=scores.device)
        start, last = token[:, None], token
        weights = softplus(scores, threshold=IDENTITY)
        level = _level(weights.detach(), chord)
        # A sentence shorter than the chart is padded in exactly one way, with the nodes (0, k).
        padding = torch.where((start == 0) | (start == last), 0.0, FORBIDDEN).to(weights.dtype)
        log_partition, log_nodes = _Triangulations.apply(torch.where(chord, weights - level[:, None, None], padding))
        return log_partition + level * (lengths - 2).clamp(min=0), log_nodes


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
        ctx.sweeps = sweeps_for(arcs, sweeps, "triton_sweeps")
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
        check_differentiated_once()
        grad_nodes = grad_nodes.triu()
        gradient = spans_to_arcs(grad_nodes)
        gradient[-1, 0] -= grad_nodes.sum((1, 2))
        if grad_partition is not None:
            gradient[-1, 0] += grad_partition
        return arcs_to_spans(ctx.sweeps.sweep_down(tuple(swept), gradient)) - grad_nodes
