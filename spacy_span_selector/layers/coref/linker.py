"""Scores of the antecedents of mentions: the coarse-to-fine linker of Lee et al. (2018).

A cheap bilinear score keeps a few antecedents of each mention; a feed-forward net scores the pairs
that are kept. There is no higher-order inference. The score of a pair is

    s(i, j) = s_m(i) + s_m(j) + s_c(i, j) + s_a(i, j)

with s_m the mention scores, s_c the coarse and s_a the fine score; "no antecedent" scores 0.
The first layer of the feed-forward net is linear, so mention, antecedent, product and features are
projected separately and added per pair, as in the span scorer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..spans.computing import compute_blocks, multiply, prediction_dtype, rows_at_once
from ..spans.features import DISTANCE_BUCKETS, Added, add_up, bucket_counts, merge_tables
from .pair_features import KINDS, PAIR_FEATURES, PAIR_KINDS, SAME_WORDS, SHORT_WORDS, WORD_ROWS, MentionFacts

COARSE_ROWS = 256
COARSE_COLUMNS = 4096
"""Mentions whose antecedents are pruned at once, and antecedents they are compared with at once: the best so far are
kept, so that memory grows with the mentions of a document, not with their square."""

COMBINATIONS = 512
"""The most combinations of features that the fine scorer has one vector for: adding up two for each pair takes time."""

COARSE_COMBINATIONS = 1 << 14
"""The same for the coarse scorer, which has one number for each."""

UNIT_BITS = 8
"""Weights are added up in units of 1 / 256: sums of whole numbers are the same in any batch."""


class Mentions(NamedTuple):
    """The mentions to link, in the order of the text.

    vectors (Tensor): Span vectors. Shape: (mentions, vector_width)
    scores (Tensor): Mention scores s_m. Shape: (mentions,)
    document (Tensor): The document of each mention, ascending. Shape: (mentions,)
    weights (Tensor): How much each counts in distances, from 0 to 1. Shape: (mentions,)
    """

    vectors: Tensor
    scores: Tensor
    document: Tensor
    weights: Tensor
    facts: MentionFacts


class Links(NamedTuple):
    """The antecedents that each mention may have, and their scores.

    antecedents (Tensor): Which mentions, as indices. Shape: (mentions, antecedents)
    possible (Tensor): False where a mention has fewer antecedents than columns. Shape: (mentions, antecedents)
    scores (Tensor): -inf where not possible. Shape: (mentions, antecedents)
    """

    antecedents: Tensor
    possible: Tensor
    scores: Tensor

    def log_probabilities(self) -> Tensor:
        """The log probability of each mention's having no antecedent, and then each of these. Shape: (mentions,
        1 + antecedents)"""
        return torch.cat([self.scores.new_zeros(len(self.scores), 1), self.scores], dim=1).log_softmax(dim=1)

    def best(self, threshold: float) -> list[int | None]:
        """The best antecedent of each mention that scores above the threshold, or None."""
        scores = torch.cat([self.scores.new_full((len(self.scores), 1), threshold), self.scores], dim=1)
        best = scores.argmax(dim=1, keepdim=True)  # "none" comes first, so it wins a tie
        chosen = torch.cat([torch.full_like(best, -1), self.antecedents], dim=1).gather(1, best).squeeze(1)
        return [None if antecedent < 0 else antecedent for antecedent in chosen.tolist()]

    def probabilities(self, chosen: Sequence[int | None]) -> list[float]:
        """The probability of one antecedent of each mention, or of its having none; 0 for one that was not scored."""
        scores = torch.cat([self.scores.new_zeros(len(self.scores), 1), self.scores], dim=1)
        numbers = [-1 if antecedent is None else antecedent for antecedent in chosen]
        wanted = torch.tensor(numbers, dtype=torch.long, device=scores.device)[:, None]
        is_chosen = torch.cat([wanted < 0, (self.antecedents == wanted) & self.possible], dim=1)
        return scores.softmax(dim=1).masked_fill(~is_chosen, 0.0).sum(dim=1).tolist()  # of one column: exact


def follow_links(antecedents: Sequence[int | None]) -> list[int]:
    """The cluster of each mention: that of its antecedent, or the number of the mention where there is none."""
    clusters: list[int] = []
    for number, antecedent in enumerate(antecedents):
        clusters.append(number if antecedent is None else clusters[antecedent])
    return clusters


class Linker(nn.Module):
    """Score the antecedents of mentions.

    width (int): Width to which they are projected first: linking costs mentions x antecedents x width x hidden_width.
    antecedents (int): How many antecedents of each mention the coarse scorer keeps.
    pair_features (Sequence[str]): Names of the features that the scorers see, besides distance and same words.
    dropout (float): Dropout of projected spans and of the hidden layer; there, one mask is drawn per mention and
        shared by its antecedents.
    bfloat16 (bool): Whether spans are projected, and the product part of the hidden layer, most of the work, is
        computed in bfloat16 at prediction, where the device can.
    """

    def __init__(
        self,
        *,
        vector_width: int,
        width: int,
        hidden_width: int,
        antecedents: int,
        pair_features: Sequence[str],
        dropout: float,
        bfloat16: bool = False,
    ) -> None:
        super().__init__()
        self.kept = antecedents
        self.features = {name: feature for name, feature in PAIR_FEATURES.items() if name in pair_features}
        self.in_bfloat16 = bfloat16
        buckets = len(DISTANCE_BUCKETS) + 1
        self.project = nn.Linear(vector_width, width)
        self.coarse = nn.Linear(width, width)
        self.coarse_distance = nn.Embedding(buckets, 1)
        self.coarse_match = nn.Embedding(SAME_WORDS.values, 1)
        self.mention = nn.Linear(width, hidden_width)
        self.antecedent = nn.Linear(width, hidden_width, bias=False)
        self.product = nn.Linear(width, hidden_width, bias=False)
        self.distance = nn.Embedding(buckets, hidden_width)
        self.match = nn.Embedding(SAME_WORDS.values, hidden_width)
        self.has_kinds = PAIR_KINDS in pair_features
        self.output = nn.Linear(hidden_width, KINDS.values if self.has_kinds else 1)
        self.dropout = nn.Dropout(dropout)
        shapes = {name: feature.values for name, feature in self.features.items()}
        self.coarse_pairs = nn.ParameterDict({name: nn.Parameter(torch.empty(n, 1)) for name, n in shapes.items()})
        self.pairs = nn.ParameterDict({name: nn.Parameter(torch.empty(n, hidden_width)) for name, n in shapes.items()})
        self.word = nn.Embedding(WORD_ROWS, width) if SHORT_WORDS in pair_features else None
        for prior in (self.coarse_distance.weight, *self._coarse_tables()):
            nn.init.zeros_(prior)
        for table in (*self._tables(), *(() if self.word is None else (self.word.weight,))):
            nn.init.normal_(table, std=0.02)

    def forward(self, mentions: Mentions, reach: int | None = None) -> Links:
        """Score the mentions of a batch of documents.

        reach (int | None): How many mentions back an antecedent may be: 1 for the mention before. No limit if None;
            then the coarse scores cost the square of the mentions of a document.
        """
        dtype = prediction_dtype(self, self.in_bfloat16, mentions.vectors)
        projected = multiply(self.project, mentions.vectors, dtype)
        if self.word is not None:
            projected = projected + add_up([mentions.facts.short_word], [self.word.weight])
        vectors = self.dropout(projected)
        sources = multiply(self.coarse, vectors, dtype)
        positions = Positions.of(mentions.weights)
        with torch.no_grad():
            antecedents, possible = self._prune(mentions, positions, vectors, sources, reach)
        order = torch.arange(len(vectors), device=vectors.device)[:, None]
        features = [positions.distance(order, antecedents), *self._features(mentions.facts, order, antecedents)]
        kinds = KINDS.compare(mentions.facts, order, antecedents) if self.has_kinds else torch.zeros_like(antecedents)
        scores = (
            self._score(vectors, sources, antecedents, features, kinds, dtype)
            + add_up(features, [self.coarse_distance.weight, *self._coarse_tables()]).squeeze(2)
            + mentions.scores[:, None]
            + mentions.scores[antecedents]
        )
        return Links(antecedents, possible, scores.masked_fill(~possible, -torch.inf))

    def _prune(
        self, mentions: Mentions, positions: Positions, vectors: Tensor, sources: Tensor, reach: int | None
    ) -> tuple[Tensor, Tensor]:
        """The antecedents with the greatest coarse scores, and which are real. Shapes: (mentions, antecedents)"""
        count = len(vectors)
        order = torch.arange(count, device=vectors.device)
        first = torch.searchsorted(mentions.document, mentions.document)  # first mention of the same document
        if reach is not None:
            first = torch.maximum(first, order - reach)
        kept = min(self.kept, int((order - first).max()) if count else 0)
        antecedents = order.new_zeros(count, kept)
        best = vectors.new_full((count, kept), -torch.inf)
        # Tiles of some mentions with some antecedents, from the first that any of these mentions may have up to
        # themselves. The best of a tile compete with the best so far: `best` and `antecedents` are updated row by row.
        for begin, furthest in zip(range(0, count, COARSE_ROWS), first[::COARSE_ROWS].tolist(), strict=True):
            rows = order[begin : begin + COARSE_ROWS]
            for left in range(furthest, begin + len(rows), COARSE_COLUMNS):
                columns = order[left : min(left + COARSE_COLUMNS, begin + len(rows))]
                scores = torch.addmm(mentions.scores[columns], sources[rows], vectors[columns].T)
                self._add_features(scores, mentions.facts, positions, rows[:, None], columns)
                earlier = (columns >= first[rows, None]) & (columns < rows[:, None])
                scores = torch.cat([best[rows], scores.masked_fill_(~earlier, -torch.inf)], dim=1)
                best[rows], places = scores.topk(kept, dim=1)
                rivals = torch.cat([antecedents[rows], columns.expand(len(rows), -1)], dim=1)
                antecedents[rows] = rivals.gather(1, places)
        possible = best > -torch.inf
        return antecedents.masked_fill(~possible, 0), possible

    def _add_features(
        self, scores: Tensor, facts: MentionFacts, positions: Positions, mention: Tensor, antecedent: Tensor
    ) -> None:
        """Add the coarse scores of features to those of some pairs, by index. Shape: (mentions, antecedents)"""
        features = self._features(facts, mention, antecedent)
        features, tables = merge_tables(features, self._coarse_tables(), COARSE_COMBINATIONS)
        features, tables = [positions.distance(mention, antecedent), *features], [self.coarse_distance.weight, *tables]
        for rows, table in zip(features, tables, strict=True):
            scores += table[:, 0].index_select(0, rows.flatten()).view(scores.shape)

    def _score(
        self,
        vectors: Tensor,
        sources: Tensor,
        antecedents: Tensor,
        features: Sequence[Tensor],
        kinds: Tensor,
        dtype: torch.dtype,
    ) -> Tensor:
        """The bilinear part of the coarse scores of pairs, and their fine scores. Shape: (mentions, antecedents)"""
        mention, antecedent = multiply(self.mention, vectors, dtype), multiply(self.antecedent, vectors, dtype)
        tables: Sequence[Tensor] = self._tables()
        if vectors.device.type != "cuda":
            features, tables = merge_tables(features, tables, COMBINATIONS)
        order = torch.arange(len(vectors), device=vectors.device)
        added = Added.of([order[:, None], antecedents, *features], [mention, antecedent, *tables])
        mask = self.dropout(torch.ones_like(mention)) if self.training else None
        weights = (self.product.weight.to(dtype), self.output)
        row_elements = mention.shape[1] * antecedents.shape[1]
        at_once = rows_at_once(row_elements, vectors.device)
        columns = (antecedents, sources, kinds, mask)
        blocks = (
            (
                vectors,
                rows,
                added.take(rows),
                *(None if column is None else column[rows] for column in columns),
                *weights,
            )
            for rows in order.split(at_once)
        )
        return torch.cat(compute_blocks(_score_pairs, blocks, at_once * row_elements))

    def _coarse_tables(self) -> list[Tensor]:
        """The coarse scores of features, distance apart. Shapes: (values, 1)"""
        return [self.coarse_match.weight, *(self.coarse_pairs[name] for name in self.features)]

    def _tables(self) -> list[Tensor]:
        """Project features, distance first, to the hidden layer of the fine scorer. Shapes: (values, hidden)"""
        return [self.distance.weight, self.match.weight, *(self.pairs[name] for name in self.features)]

    def _features(self, facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> list[Tensor]:
        """The features of pairs, distance apart. Mentions and antecedents are given by index, and are broadcast."""
        return [feature.compare(facts, mention, antecedent) for feature in (SAME_WORDS, *self.features.values())]


def _score_pairs(
    vectors: Tensor,
    mentions: Tensor,
    added: Added,
    antecedents: Tensor,
    sources: Tensor,
    kinds: Tensor,
    mask: Tensor | None,
    product: Tensor,
    output: nn.Linear,
) -> Tensor:
    """The bilinear and the fine scores of some mentions with their antecedents, added. Shape: (rows, antecedents)

    vectors (Tensor): Of all mentions. Shape: (mentions, width)
    mentions, antecedents (Tensor): Which of them are paired. Shapes: (rows,) and (rows, antecedents)
    sources (Tensor): Projections of the mentions for the bilinear score. Shape: (rows, width)
    kinds (Tensor): Which of the outputs scores each pair. Shape: (rows, antecedents)
    mask (Tensor | None): Dropout of the hidden layer. Shape: (rows, hidden)
    product (Tensor): Weights of the product part, which is computed in their type. Shape: (hidden, width)
    """
    others = nn.functional.embedding(antecedents, vectors)
    products = vectors[mentions, None] * others
    hidden = added.to(nn.functional.linear(products.to(product.dtype), product).to(others.dtype)).relu_()
    # Dropout of the weights instead of the hidden units, of which there are more.
    fine = output(hidden) if mask is None else torch.bmm(hidden, mask[:, :, None] * output.weight.T) + output.bias
    # Not products of matrices and vectors, of which torch multiplies a batch several times as slowly.
    coarse = (others * sources[:, None]).sum(2)
    return coarse + fine.gather(2, kinds[:, :, None].long()).squeeze(2)


class Positions(NamedTuple):
    """The positions of mentions, if each takes as much room as it weighs, in the unit of `UNIT_BITS`.

    before (Tensor): The weight of all earlier mentions, and of half a mention, for rounding. Shape: (mentions,)
    after (Tensor): The weight of all earlier mentions and of itself, less that of a whole one. Shape: (mentions,)
    """

    before: Tensor
    after: Tensor

    @classmethod
    def of(cls, weights: Tensor) -> Positions:
        """The positions of mentions of these weights, from 0 to 1. Shape: (mentions,)"""
        whole = 1 << UNIT_BITS
        units = (weights * whole).round().int()
        total = units.cumsum(0, dtype=torch.int32)
        return cls(total - units + whole // 2, total - whole)

    def distance(self, mention: Tensor, antecedent: Tensor) -> Tensor:
        """The bucket of one more than the weight between two mentions, rounded: of 1 for the mention before."""
        between = (self.before[mention] - self.after[antecedent]) >> UNIT_BITS
        return bucket_counts(between, DISTANCE_BUCKETS)
