"""Scores of pairs of a span, or a token, and a predicate: the role classifier of He et al. (2018).

The first layer of its feed-forward net is linear, so both sides, their product and the distance are projected
separately and added per pair, as in the span scorer and the linker.

What is known of arguments from the roleset of their predicate helps it: a vector of the roleset, and its frame. The
frame numbers the core roles of a roleset, and says by a *function tag* what each of them is: the ARG2 of give.01 is a
goal (GOL), that of cut.01 a manner (MNR). Rolesets share these tags, so what was learnt of the goals of frequent ones
helps with those that are rare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from pydantic.dataclasses import dataclass
from torch import Tensor, nn

from ...signatures import CHECKED
from ..selection.network import NEW, NetworkSettings, Size, grow_output, take_rows
from ..spans.computing import compute_blocks, multiply, prediction_dtype, rows_at_once
from ..spans.features import DISTANCE_BUCKETS, Added, bucket
from ..spans.layout import SpanLayout, Spans

GREATEST_DISTANCE = DISTANCE_BUCKETS[-1]
"""In a long sentence, arguments are looked for up to so many tokens before or behind their predicate: the classifier
can't tell greater distances apart."""

DISTANCES = 2 * (len(DISTANCE_BUCKETS) + 1) + 1
"""Distances before the predicate, after it, and none, where span and predicate overlap."""

NO_TAG, ABSENT = 0, 1
"""Entries of a table of frames: for a role that frames do not define, or of which nothing is known, and for one that
the frame of a roleset lacks. Function tags are numbered from 2."""

UNKNOWN_IN_TRAINING = 0.2
"""The share of rolesets that are taken for unknown in training, so that the role classifier learns without, too."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class SrlSettings(NetworkSettings):
    """Sizes of the network; `hidden_width` is also that of the predicate tagger.

    pair_width (int): Width to which arguments and predicates are projected before they are paired.
    pair_hidden_width (int): Hidden layer of the role classifier.
    roleset_vectors (bool): Whether the role classifier knows the roleset of the predicate, by a vector for each.
    """

    pair_width: Size = 256
    pair_hidden_width: Size = 512
    roleset_vectors: bool = True


class Pairs(NamedTuple):
    """Pairs as indices into two lists of spans, by the first.

    left, right (Tensor): Shape: (pairs,)
    """

    left: Tensor
    right: Tensor


def arguments_with_predicates(arguments: Spans, predicates: Spans, layout: SpanLayout) -> Pairs:
    """All pairs of one sentence, each side being ordered by start; in a long sentence, those near each other."""
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
    """Tell whether an argument and the first token of a predicate are near enough to be paired in a long sentence."""
    return argument[0] - GREATEST_DISTANCE <= predicate <= argument[1] + GREATEST_DISTANCE


def pairs_with_ranges(first: Tensor, after: Tensor) -> Pairs:
    """Pair each on the left with a range of those on the right: from `first` to before `after`. Shape: (left,)"""
    counts = (after - first).clamp(min=0)
    index = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
    before = torch.cumsum(counts, 0) - counts
    return Pairs(index, first[index] + torch.arange(len(index), device=counts.device) - before[index])


def signed_distance(arguments: Spans, predicates: Spans) -> Tensor:
    """A number for the tokens between the two spans of each pair, and for the side, from 0, where they overlap, to
    DISTANCES - 1. Shape: (pairs,)"""
    before = predicates.starts - arguments.ends
    after = arguments.starts - predicates.ends
    buckets = len(DISTANCE_BUCKETS) + 1
    one_side = torch.where(before > 0, 1 + bucket(before - 1, DISTANCE_BUCKETS), 0)
    return torch.where(after > 0, 1 + buckets + bucket(after - 1, DISTANCE_BUCKETS), one_side)


class PairClassifier(nn.Module):
    """Score the labels of pairs of an argument, or a token, and a predicate.

    width (int): Width to which both are projected first.
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
        distance (Tensor): From `signed_distance`. Shape: (pairs,)
        known (Tensor | None): Added to the projection of the predicates. Shape: (predicates, width)
        RETURNS (Tensor): Shape: (pairs, labels)
        """
        dtype = prediction_dtype(self, self.in_bfloat16, arguments)
        left = self.dropout(torch.relu(multiply(self.project_argument, arguments, dtype)))
        projected = multiply(self.project_predicate, predicates, dtype)
        right = self.dropout(torch.relu(projected if known is None else projected + known))
        argument, predicate = multiply(self.argument, left, dtype), multiply(self.predicate, right, dtype)
        added = Added.of([*pairs, distance], [argument, predicate, self.distance.weight])
        mask = self.dropout(torch.ones_like(predicate)) if self.training else None
        at_once = rows_at_once(self.output.in_features, left.device)
        fixed = (left, right, mask, self.product.weight.to(dtype), self.output.weight)
        blocks = (
            (Pairs(*(side[some] for side in pairs)), added.take(some), *fixed)
            for some in torch.arange(len(distance), device=left.device).split(at_once)
        )
        scores = compute_blocks(_score_pairs, blocks, at_once * self.output.in_features)
        return torch.cat(scores) + self.output.bias if scores else left.new_zeros(0, self.output.out_features)


def _score_pairs(
    pairs: Pairs,
    added: Added,
    arguments: Tensor,
    predicates: Tensor,
    mask: Tensor | None,
    product: Tensor,
    output: Tensor,
) -> Tensor:
    """The scores of some pairs, without bias.

    arguments, predicates (Tensor): Their vectors. Shapes: (arguments, width) and (predicates, width)
    mask (Tensor | None): Dropout of the hidden layer. Shape: (predicates, hidden)
    product, output (Tensor): Weights, products by the first of which are computed in its type. Shapes: (hidden, width)
        and (labels, hidden)
    RETURNS (Tensor): Shape: (pairs, labels)
    """
    embed, linear = nn.functional.embedding, nn.functional.linear
    products = embed(pairs.left, arguments) * embed(pairs.right, predicates)
    hidden = added.to(linear(products.to(product.dtype), product).to(products.dtype)).relu_()
    return linear(hidden if mask is None else hidden * embed(pairs.right, mask), output)


class FrameTable(NamedTuple):
    """The roles of each roleset, as far as they are known.

    tags (Tensor): NO_TAG, ABSENT or the number of a function tag, for each role. Shape: (rolesets, roles)
    unique (Tensor): Which roles a predicate has at most once. Shape: (roles,)
    strict (bool): Whether a role is not given to a predicate whose frame lacks it.
    """

    tags: Tensor
    unique: Tensor
    strict: bool

    def look_up(self, rolesets: Tensor) -> KnownRoles:
        """Look up the roles of predicates by the roleset of each, -1 where it is not known. Shape: (predicates,)"""
        known = rolesets >= 0
        tags = self.tags.new_full((len(rolesets), self.tags.shape[1]), NO_TAG)
        tags[known] = self.tags[rolesets[known]]
        return KnownRoles(rolesets, tags, self.unique, self.strict)


class KnownRoles(NamedTuple):
    """The roles of the predicates of a batch, as far as they are known.

    rolesets (Tensor): The roleset of each, -1 where it is not known. Shape: (predicates,)
    tags (Tensor): The rows of these rolesets in a `FrameTable`. Shape: (predicates, roles)
    """

    rolesets: Tensor
    tags: Tensor
    unique: Tensor
    strict: bool

    @property
    def allowed(self) -> Tensor:
        """Mark the roles that each predicate may have. Shape: (predicates, roles)"""
        return self.tags != ABSENT if self.strict else torch.ones_like(self.tags, dtype=torch.bool)


class RoleClassifier(PairClassifier):
    """Score the roles of pairs, or their tags, knowing which roleset the predicate has.

    rolesets (int): How many rolesets were seen in training, each of which may have a vector.
    tags (int): How many function tags there are, ABSENT among them; 0 without frames.
    """

    def __init__(
        self, *, argument_width: int, predicate_width: int, labels: int, rolesets: int, tags: int, settings: SrlSettings
    ) -> None:
        super().__init__(
            argument_width=argument_width,
            predicate_width=predicate_width,
            width=settings.pair_width,
            hidden_width=settings.pair_hidden_width,
            labels=labels + tags,
            dropout=settings.dropout,
            bfloat16=settings.bfloat16,
        )
        self.labels = labels
        self.rolesets: nn.Embedding | None = None
        if settings.roleset_vectors:
            self.rolesets = nn.Embedding(rolesets + 1, settings.pair_width)  # the last one for all others
            nn.init.normal_(self.rolesets.weight, std=0.02)

    def grow(self, labels: int, rolesets: Sequence[int]) -> None:
        """Take so many labels, new ones last, and other rolesets, by the old number of each or NEW: a new one starts as
        the vector of all others does."""
        rows = [*range(self.labels), *[NEW] * (labels - self.labels), *range(self.labels, self.output.out_features)]
        self.output = grow_output(self.output, rows)
        self.labels = labels
        if self.rolesets is not None:
            vectors = self.rolesets.weight
            grown = take_rows(vectors, [*rolesets, len(vectors) - 1], vectors[-1].detach())
            self.rolesets = nn.Embedding.from_pretrained(grown, freeze=False)

    def score_roles(
        self, arguments: Tensor, predicates: Tensor, pairs: Pairs, distance: Tensor, known: KnownRoles, tags: Tensor
    ) -> Tensor:
        """Score pairs, as `PairClassifier` does, by what is known of the predicates. Shape: (pairs, labels)

        tags (Tensor): The function tag of each label. Shape: (predicates, labels)
        """
        scores = self(arguments, predicates, pairs, distance, self._vectors(known.rolesets))
        if scores.shape[1] == self.labels:
            return scores
        of_tags = nn.functional.pad(scores[:, self.labels :], (1, 0))  # NO_TAG adds nothing
        return scores[:, : self.labels] + of_tags.gather(1, tags[pairs.right])

    def _vectors(self, rolesets: Tensor) -> Tensor | None:
        """The vectors of rolesets; in training, some are taken for unknown. Shape: (predicates, width)"""
        if self.rolesets is None:
            return None
        last = self.rolesets.num_embeddings - 1
        unknown = (rolesets < 0) | (rolesets >= last)
        if self.training:
            unknown |= torch.rand(rolesets.shape, device=rolesets.device) < UNKNOWN_IN_TRAINING
        return self.rolesets(torch.where(unknown, last, rolesets))
