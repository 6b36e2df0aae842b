"""Scores of pairs of a span, or a token, and a predicate: the role classifier of He et al. (2018).

The first layer of its feed-forward net is linear, so both sides, their product and the distance are
projected separately and added per pair, as in the span scorer and the linker.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..spans.blocks import compute_blocks, rows_at_once
from ..spans.features import DISTANCE_BUCKETS, bucket, look_up
from ..spans.layout import SpanLayout, Spans
from ..spans.precision import multiply, prediction_dtype

GREATEST_DISTANCE = DISTANCE_BUCKETS[-1]
"""In a long sentence, arguments are looked for up to so many tokens before or behind their predicate: the classifier
can't tell greater distances apart."""

DISTANCES = 2 * (len(DISTANCE_BUCKETS) + 1) + 1
"""Distances before the predicate, after it, and none, where span and predicate overlap."""


class Pairs(NamedTuple):
    """Pairs as indices into two lists of spans, by the first.

    left, right (Tensor): Shape: (pairs,)
    """

    left: Tensor
    right: Tensor


def arguments_with_predicates(arguments: Spans, predicates: Spans, layout: SpanLayout) -> Pairs:
    """All pairs of one sentence; in a long sentence, those that are near each other.

    arguments, predicates (Spans): Each by start.
    layout (SpanLayout): The sentences of the batch.
    """
    sentence = layout.sentence
    left, right = sentence[arguments.starts], sentence[predicates.starts]
    far = torch.where(layout.in_long_sentence[arguments.starts], GREATEST_DISTANCE, len(sentence))
    starts = predicates.starts.contiguous()
    first = torch.searchsorted(starts, arguments.starts - far)
    after = torch.searchsorted(starts, arguments.ends + far, right=True)
    return pairs_with_ranges(
        torch.maximum(first, torch.searchsorted(right, left)),
        torch.minimum(after, torch.searchsorted(right, left, right=True)),
    )


def is_near(argument: tuple[int, int], predicate: int) -> bool:
    """Tell whether an argument of a long sentence is paired with a predicate.

    argument (tuple[int, int]): Its first and last token.
    predicate (int): The first token of the predicate.
    """
    return argument[0] - GREATEST_DISTANCE <= predicate <= argument[1] + GREATEST_DISTANCE


def pairs_with_ranges(first: Tensor, after: Tensor) -> Pairs:
    """Pair each on the left with a range of those on the right.

    first, after (Tensor): Where the range starts, and where it has ended. Shape: (left,)
    """
    counts = (after - first).clamp(min=0)
    index = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
    before = torch.cumsum(counts, 0) - counts
    return Pairs(index, first[index] + torch.arange(len(index), device=counts.device) - before[index])


def signed_distance(arguments: Spans, predicates: Spans) -> Tensor:
    """A number for the tokens between argument and predicate, and for the side, from 0 to DISTANCES - 1.

    arguments, predicates (Spans): The two sides of each pair. Shape: (pairs,)
    RETURNS (Tensor): 0 where they overlap. Shape: (pairs,)
    """
    before = predicates.starts - arguments.ends
    after = arguments.starts - predicates.ends
    buckets = len(DISTANCE_BUCKETS) + 1
    one_side = torch.where(before > 0, 1 + bucket(before - 1, DISTANCE_BUCKETS), 0)
    return torch.where(after > 0, 1 + buckets + bucket(after - 1, DISTANCE_BUCKETS), one_side)


class PairClassifier(nn.Module):
    """Score the labels of pairs of an argument, or a token, and a predicate.

    argument_width, predicate_width (int): Widths of the vectors of each side.
    width (int): Width to which both are projected first.
    hidden_width (int): Width of the hidden layer.
    labels (int): How many scores each pair gets.
    dropout (float): Dropout of both projections and of the hidden layer; there, one mask is drawn per predicate
        and shared by its pairs.
    bfloat16 (bool): Whether both sides are projected, and the product part of the hidden layer is computed, in bfloat16
        at prediction, where the device can.
    """

    def __init__(
        self,
        *,
        argument_width: int,
        predicate_width: int,
        width: int,
        hidden_width: int,
        labels: int,
        dropout: float,
        bfloat16: bool = False,
    ) -> None:
        super().__init__()
        self.in_bfloat16 = bfloat16
        self.project_argument = nn.Linear(argument_width, width)
        self.project_predicate = nn.Linear(predicate_width, width)
        self.argument = nn.Linear(width, hidden_width)
        self.predicate = nn.Linear(width, hidden_width, bias=False)
        self.product = nn.Linear(width, hidden_width, bias=False)
        self.distance = nn.Embedding(DISTANCES, hidden_width)
        self.output = nn.Linear(hidden_width, labels)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.distance.weight, std=0.02)

    def forward(
        self, arguments: Tensor, predicates: Tensor, pairs: Pairs, distance: Tensor, known: Tensor | None = None
    ) -> Tensor:
        """Score pairs.

        arguments, predicates (Tensor): Vectors. Shapes: (arguments, argument_width), (predicates, predicate_width)
        pairs (Pairs): Which argument with which predicate.
        distance (Tensor): From `signed_distance`. Shape: (pairs,)
        known (Tensor | None): What else is known of the predicates; added to their projection.
            Shape: (predicates, width)
        RETURNS (Tensor): Shape: (pairs, labels)
        """
        dtype = prediction_dtype(self, self.in_bfloat16, arguments)
        left = self.dropout(torch.relu(multiply(self.project_argument, arguments, dtype)))
        projected = multiply(self.project_predicate, predicates, dtype)
        right = self.dropout(torch.relu(projected if known is None else projected + known))
        argument, predicate = multiply(self.argument, left, dtype), multiply(self.predicate, right, dtype)
        parts = (left, right, argument, predicate, self.distance.weight)
        product = self.product.weight.to(dtype)
        mask = self.dropout(torch.ones_like(parts[3])) if self.training else None
        at_once = rows_at_once(self.output.in_features, left.device)
        blocks = (
            (*parts, mask, *(column[some] for column in (*pairs, distance)), product, self.output.weight)
            for some in torch.arange(len(distance), device=left.device).split(at_once)
        )
        scores = compute_blocks(_score_pairs, blocks, at_once * self.output.in_features)
        return torch.cat(scores) + self.output.bias if scores else left.new_zeros(0, self.output.out_features)


def _score_pairs(
    left: Tensor,
    right: Tensor,
    argument: Tensor,
    predicate: Tensor,
    distances: Tensor,
    mask: Tensor | None,
    arguments: Tensor,
    predicates: Tensor,
    distance: Tensor,
    product: Tensor,
    output: Tensor,
) -> Tensor:
    """The scores of some pairs, without bias.

    left, right (Tensor): Vectors of arguments and predicates. Shapes: (arguments or predicates, width)
    argument, predicate (Tensor): Their projections. Shapes: (arguments or predicates, hidden)
    mask (Tensor | None): Dropout of the hidden layer. Shape: (predicates, hidden)
    distances (Tensor): Every distance. Shape: (DISTANCES, hidden)
    arguments, predicates, distance (Tensor): Indices into these. Shape: (pairs,)
    product, output (Tensor): Weights, products by the first of which are computed in its type. Shapes: (hidden, width)
        and (labels, hidden)
    RETURNS (Tensor): Shape: (pairs, labels)
    """
    embed, linear = nn.functional.embedding, nn.functional.linear
    hidden = linear((embed(arguments, left) * embed(predicates, right)).to(product.dtype), product).to(left.dtype)
    hidden.add_(embed(arguments, argument)).add_(embed(predicates, predicate)).add_(look_up(distance, distances))
    hidden.relu_()
    return linear(hidden if mask is None else hidden * embed(predicates, mask), output)
