"""Scores of the antecedents of mentions: the coarse-to-fine linker of Lee et al. (2018).

A cheap bilinear score keeps a few antecedents of each mention; a feed-forward net scores the pairs
that are kept. There is no higher-order inference. The score of a pair is

    s(i, j) = s_m(i) + s_m(j) + s_c(i, j) + s_a(i, j)

with s_m the mention scores, s_c the coarse and s_a the fine score; "no antecedent" scores 0.
The first layer of the feed-forward net is linear, so mention, antecedent, product and features are
projected separately and added per pair, as in the span scorer.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..spans.blocks import compute_blocks, rows_at_once
from ..spans.features import DISTANCE_BUCKETS, bucket, look_up

COARSE_ROWS = 256
COARSE_COLUMNS = 4096
"""Mentions whose antecedents are pruned at once, and antecedents they are compared with at once: the best so far are
kept, so that memory grows with the mentions of a document, not with their square."""

MATCHES = 3
"""Two mentions have the same words (2), or only the same last word (1), or neither (0)."""


class Mentions(NamedTuple):
    """The mentions to link, in the order of the text.

    vectors (Tensor): Span vectors. Shape: (mentions, vector_width)
    scores (Tensor): Mention scores s_m. Shape: (mentions,)
    document (Tensor): The document of each mention, ascending. Shape: (mentions,)
    words (Tensor): A number for the word sequence of each mention. Shape: (mentions,)
    last_word (Tensor): A number for its last word. Shape: (mentions,)
    """

    vectors: Tensor
    scores: Tensor
    document: Tensor
    words: Tensor
    last_word: Tensor


class Links(NamedTuple):
    """The antecedents that each mention may have, and their scores.

    antecedents (Tensor): Which mentions, as indices. Shape: (mentions, antecedents)
    possible (Tensor): False where a mention has fewer antecedents than columns. Shape: (mentions, antecedents)
    scores (Tensor): -inf where not possible. Shape: (mentions, antecedents)
    """

    antecedents: Tensor
    possible: Tensor
    scores: Tensor


class Linker(nn.Module):
    """Score the antecedents of mentions.

    vector_width (int): Width of the span vectors.
    width (int): Width to which they are projected first: linking costs mentions x antecedents x width x hidden_width.
    hidden_width (int): Width of the hidden layer of the fine scorer.
    antecedents (int): How many antecedents of each mention the coarse scorer keeps.
    match_words (bool): Whether the scorers see if two mentions have the same words, or the same last word.
    max_distance (int | None): Greatest distance of an antecedent, in mentions: 1 for the mention before. No limit if
        None; then the coarse scores cost the square of the mentions of a document.
    dropout (float): Dropout of projected spans and of the hidden layer; there, one mask is drawn per mention and
        shared by its antecedents.
    """

    def __init__(
        self,
        *,
        vector_width: int,
        width: int,
        hidden_width: int,
        antecedents: int,
        match_words: bool,
        max_distance: int | None,
        dropout: float,
    ) -> None:
        super().__init__()
        self.kept = antecedents
        self.match_words = match_words
        self.max_distance = max_distance
        buckets = len(DISTANCE_BUCKETS) + 1
        self.project = nn.Linear(vector_width, width)
        self.coarse = nn.Linear(width, width)
        self.coarse_distance = nn.Embedding(buckets, 1)
        self.coarse_match = nn.Embedding(MATCHES, 1)
        self.mention = nn.Linear(width, hidden_width)
        self.antecedent = nn.Linear(width, hidden_width, bias=False)
        self.product = nn.Linear(width, hidden_width, bias=False)
        self.distance = nn.Embedding(buckets, hidden_width)
        self.match = nn.Embedding(MATCHES, hidden_width)
        self.output = nn.Linear(hidden_width, 1)
        self.dropout = nn.Dropout(dropout)
        for prior in (self.coarse_distance, self.coarse_match):
            nn.init.zeros_(prior.weight)
        for feature in (self.distance, self.match):
            nn.init.normal_(feature.weight, std=0.02)

    def forward(self, mentions: Mentions) -> Links:
        """Score the mentions of a batch of documents."""
        vectors = self.dropout(self.project(mentions.vectors))
        sources = self.coarse(vectors)
        with torch.no_grad():
            antecedents, possible = self._prune(mentions, vectors, sources)
        order = torch.arange(len(vectors), device=vectors.device)
        distance = bucket(order[:, None] - antecedents, DISTANCE_BUCKETS)
        match = self._match(mentions, order[:, None], antecedents)
        prior = look_up(distance, self.coarse_distance.weight) + look_up(match, self.coarse_match.weight)
        scores = (
            self._score(vectors, sources, antecedents, distance, match)
            + prior.squeeze(2)
            + mentions.scores[:, None]
            + mentions.scores[antecedents]
        )
        return Links(antecedents, possible, scores.masked_fill(~possible, -torch.inf))

    def _prune(self, mentions: Mentions, vectors: Tensor, sources: Tensor) -> tuple[Tensor, Tensor]:
        """The antecedents with the greatest coarse scores, and which are real. Shapes: (mentions, antecedents)"""
        count = len(vectors)
        order = torch.arange(count, device=vectors.device)
        first = torch.searchsorted(mentions.document, mentions.document)  # first mention of the same document
        if self.max_distance is not None:
            first = torch.maximum(first, order - self.max_distance)
        kept = min(self.kept, int((order - first).max()) if count else 0)
        antecedents = order.new_zeros(count, kept)
        best = vectors.new_full((count, kept), -torch.inf)
        for begin, furthest in zip(range(0, count, COARSE_ROWS), first[::COARSE_ROWS].tolist(), strict=True):
            rows = order[begin : begin + COARSE_ROWS].flip(0)
            for left in range(furthest, begin + len(rows), COARSE_COLUMNS):
                columns = order[left : min(left + COARSE_COLUMNS, begin + len(rows))]
                scores = self._coarse_scores(mentions, vectors, sources, rows, columns)
                earlier = (columns >= first[rows, None]) & (columns < rows[:, None])
                scores = torch.cat([best[rows], scores.masked_fill_(~earlier, -torch.inf)], dim=1)
                best[rows], places = scores.topk(kept, dim=1)
                rivals = torch.cat([antecedents[rows], columns.expand(len(rows), -1)], dim=1)
                antecedents[rows] = rivals.gather(1, places)
        possible = best > -torch.inf
        return antecedents.masked_fill(~possible, 0), possible

    def _coarse_scores(
        self, mentions: Mentions, vectors: Tensor, sources: Tensor, rows: Tensor, columns: Tensor
    ) -> Tensor:
        """What orders the antecedents `columns` of mentions `rows`. Shape: (rows, columns)

        rows, columns (Tensor): Mentions one after the other, rows from the last to the first, columns to the last.
        """
        # In the next row, and in the next column, the distance is less by one: each row is a window of one vector.
        steps = torch.arange(len(rows) + len(columns) - 1, device=rows.device)
        by_distance = self.coarse_distance.weight[bucket(rows[0] - columns[0] - steps, DISTANCE_BUCKETS), 0]
        scores = torch.addmm(mentions.scores[columns], sources[rows], vectors[columns].T)
        scores += by_distance.unfold(0, len(columns), 1)
        return scores.add_(self.coarse_match.weight[self._match(mentions, rows[:, None], columns), 0])

    def _score(self, vectors: Tensor, sources: Tensor, antecedents: Tensor, distance: Tensor, match: Tensor) -> Tensor:
        """The bilinear part of the coarse scores of pairs, and their fine scores. Shape: (mentions, antecedents)"""
        mention, antecedent = self.mention(vectors), self.antecedent(vectors)
        features = (self.distance.weight[:, None] + self.match.weight).flatten(0, 1)
        feature = distance * MATCHES + match
        output = self.dropout(torch.ones_like(mention)) * self.output.weight
        row_elements = mention.shape[1] * antecedents.shape[1]
        at_once = rows_at_once(row_elements, vectors.device)
        blocks = (
            (
                *(vectors, vectors[rows], sources[rows], antecedents[rows]),
                *(mention[rows], antecedent, features, feature[rows]),
                *(self.product.weight, output[rows]),
            )
            for rows in torch.arange(len(vectors), device=vectors.device).split(at_once)
        )
        scores = compute_blocks(_score_pairs, blocks, at_once * row_elements)
        return torch.cat(scores) + self.output.bias

    def _match(self, mentions: Mentions, left: Tensor, right: Tensor) -> Tensor:
        """How far the words of two mentions, given by index, are the same; the indices are broadcast."""
        same = (mentions.words[left] == mentions.words[right]).long()
        same_last = (mentions.last_word[left] == mentions.last_word[right]).long()
        return (same + same_last) * int(self.match_words)


def _score_pairs(
    vectors: Tensor,
    rows: Tensor,
    sources: Tensor,
    antecedents: Tensor,
    mention: Tensor,
    antecedent: Tensor,
    features: Tensor,
    feature: Tensor,
    product: Tensor,
    output: Tensor,
) -> Tensor:
    """The bilinear and the fine scores of some mentions with their antecedents, added.

    vectors, antecedent (Tensor): Of all mentions. Shapes: (mentions, width) and (mentions, hidden)
    rows, sources (Tensor): Of the mentions to score. Shape: (rows, width)
    mention, output (Tensor): Of the mentions to score. Shape: (rows, hidden)
    antecedents, feature (Tensor): Indices into `vectors` and `features`. Shape: (rows, antecedents)
    features (Tensor): Every combination of features. Shape: (combinations, hidden)
    product (Tensor): The weights of the product part. Shape: (hidden, width)
    RETURNS (Tensor): Shape: (rows, antecedents)
    """
    embed, linear = nn.functional.embedding, nn.functional.linear
    others = embed(antecedents, vectors)
    hidden = linear(rows[:, None] * others, product)
    hidden.add_(mention[:, None]).add_(embed(antecedents, antecedent)).add_(look_up(feature, features)).relu_()
    # Not products of matrices and vectors, of which torch multiplies a batch several times as slowly.
    return (others * sources[:, None]).sum(2) + (hidden * output[:, None]).sum(2)
