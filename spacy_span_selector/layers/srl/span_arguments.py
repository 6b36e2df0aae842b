"""Arguments as selected spans: select spans, then classify each with respect to each predicate.

The training objective is that of the paper, section 4.2. With p(s) the probability that span s is selected
and p(l | s, v) that it has role l to predicate v of its sentence, the null role among the roles,

    L1 = - sum over gold spans s     [ log p(s) + sum over predicates v of log p(l(s, v) | s, v) ]
    L2 = - sum over other spans s    sum over predicates v of log [ p(s) * p(null | s, v) + 1 - p(s) ]

l(s, v) being the annotated role, null for predicates of which a gold span is no argument. The paper counts
log p(s) once a predicate; here it counts once. L2 leaves open whether a span outside the annotation is an argument
of something that is not annotated. Where every argument is marked, annotation is *complete*: both the selection
of a span and its roles are known. Roles matter as far as the span is likely to get that far, which is taken as given:

    L2' = - sum over other spans s   [ log (1 - p(s)) + p(s) * sum over predicates v of log p(null | s, v) ]

"Other spans" are the candidates that are not gold; log(1 - p) is added for a random sample of all that are not gold.
A selector without probabilities, the greedy baseline, learns from the roles of its candidates alone (He et al. 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor, nn

from ..selection.candidates import CandidateStrategy
from ..selection.sampling import Annotation, sample_spans
from ..selection.selectors import MarginalFunction, Marginals
from ..spans.layout import SpanLayout, Spans
from ..spans.scorer import SpanScorer
from .arguments import FoundArgument
from .gold import GoldFrames
from .interval_scheduling import heaviest_disjoint
from .pairs import PairClassifier, Pairs, pairs_in_sentences, signed_distance


@dataclass(frozen=True)
class SpanArguments:
    """What the network says of the arguments of a batch.

    marginals (Marginals | None): Of every span, flat; None from a selector that has no probabilities.
    candidates (Tensor): Flat index of each candidate, in the order of the text. Shape: (candidates,)
    spans (Spans): Their tokens.
    predicates (Spans): The predicates of the batch.
    pairs (Pairs): Each candidate with each predicate of its sentence.
    log_roles (Tensor): Log probabilities of their roles, the null role first. Shape: (pairs, 1 + roles)
    """

    marginals: Marginals | None
    candidates: Tensor
    spans: Spans
    predicates: Spans
    pairs: Pairs
    log_roles: Tensor

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from."""
        return [*(self.marginals or ()), self.log_roles]

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: float) -> Tensor:
        """The training objective; see the top of this module."""
        gold_flat = gold.flat_index(layout)
        is_gold = torch.zeros(layout.size, dtype=torch.bool, device=gold_flat.device)
        is_gold[gold_flat] = True
        learnt = gold.annotated[layout.document[self.spans.starts]]
        log_right = self.log_roles.gather(1, self._gold_roles(gold, gold_flat)[:, None]).squeeze(1)
        if self.marginals is None:
            return -log_right[learnt[self.pairs.left]].sum()
        log_p, log_not_p = self.marginals
        is_other = learnt & ~is_gold[self.candidates]
        selection = [log_p[gold_flat.unique()], log_not_p[sample_spans(~is_gold, gold.annotated, layout, negatives)]]
        if annotation == "complete":
            reached = torch.where(is_other, log_p[self.candidates].detach().exp(), learnt)
            roles = [log_not_p[self.candidates[is_other]], reached[self.pairs.left] * log_right]
        else:
            other = is_other[self.pairs.left]
            flat = self.candidates[self.pairs.left[other]]
            open_question = torch.logaddexp(log_p[flat] + log_right[other], log_not_p[flat])
            roles = [open_question, log_right[(learnt & ~is_other)[self.pairs.left]]]
        return -torch.cat([*selection, *roles]).sum()

    def decode(self) -> list[FoundArgument]:
        """The heaviest set of disjoint arguments of each predicate; one weighs log p(its best role) - log p(null)."""
        best = self.log_roles[:, 1:].max(dim=1)
        weights = best.values - self.log_roles[:, 0]
        worth = torch.nonzero(weights > 0).squeeze(1)
        worth = worth[torch.argsort(self.pairs.right[worth], stable=True)]
        spans = self.spans.take(self.pairs.left[worth])
        columns = (self.pairs.right[worth], spans.starts, spans.ends, best.indices[worth], best.values[worth].exp())
        rivals = [FoundArgument(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
        found: list[FoundArgument] = []
        for _, numbered in groupby(zip(rivals, weights[worth].tolist(), strict=True), lambda rival: rival[0].predicate):
            arguments, their_weights = zip(*numbered, strict=True)
            chosen = heaviest_disjoint([(argument.start, argument.end) for argument in arguments], their_weights)
            found += [arguments[i] for i in chosen]
        return found

    def selected(self) -> list[tuple[int, int, float]]:
        """Every candidate with its probability; without probabilities, the one with which it has a role to anything."""
        if self.marginals is not None:
            scores = self.marginals.selected[self.candidates].exp()
        else:
            scores = self.log_roles.new_zeros(len(self.candidates))
            scores = scores.scatter_reduce(0, self.pairs.left, 1 - self.log_roles[:, 0].exp(), "amax")
        columns = (self.spans.starts, self.spans.ends, scores)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _gold_roles(self, gold: GoldFrames, gold_flat: Tensor) -> Tensor:
        """The role of each pair, 0 for null. Shape: (pairs,)"""
        count = len(self.predicates)
        keys = gold_flat * count + gold.frames
        keys, order = torch.sort(keys, stable=True)
        wanted = self.candidates[self.pairs.left] * count + self.pairs.right
        if not len(keys):
            return torch.zeros_like(wanted)
        place = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
        return torch.where(keys[place] == wanted, gold.roles[order][place] + 1, 0)


class SpanArgumentFinder(nn.Module):
    """Select argument spans and classify them.

    width (int): Width of the token vectors.
    predicate_width (int): Width of the predicate vectors.
    hidden_width (int): Hidden layer of the span scorer.
    pair_width, pair_hidden_width (int): Width to which both sides of a pair are projected, and hidden layer.
    feature_width (int): Width of the embedding of span widths.
    roles (int): How many roles there are, the null role not counted.
    to_marginals (MarginalFunction | None): From scores to probabilities. None is the greedy baseline: its candidates
        are chosen by the very score that counts in their roles.
    dropout (float): Dropout of hidden layers.
    max_span_width (int | None): Longest span that can be selected, in tokens. No limit if None.
    """

    def __init__(
        self,
        *,
        width: int,
        predicate_width: int,
        hidden_width: int,
        pair_width: int,
        pair_hidden_width: int,
        feature_width: int,
        roles: int,
        to_marginals: MarginalFunction | None,
        dropout: float,
        max_span_width: int | None,
    ) -> None:
        super().__init__()
        self.to_marginals = to_marginals
        self.max_span_width = max_span_width
        self.span_scorer = SpanScorer(
            width=width,
            hidden_width=hidden_width,
            feature_width=feature_width,
            scores=1 if to_marginals is None else 2,
            dropout=dropout,
        )
        self.roles = PairClassifier(
            argument_width=self.span_scorer.vector_width,
            predicate_width=predicate_width,
            width=pair_width,
            hidden_width=pair_hidden_width,
            labels=roles,
            dropout=dropout,
        )

    def forward(
        self, tokens: Tensor, layout: SpanLayout, predicates: Spans, vectors: Tensor, choose: CandidateStrategy
    ) -> SpanArguments:
        """Score the spans of a batch, choose candidates, classify them.

        tokens (Tensor): Token vectors. Shape: (tokens, width)
        layout (SpanLayout): The sentences of the batch.
        predicates (Spans): The predicates, by start.
        vectors (Tensor): Their vectors. Shape: (predicates, predicate_width)
        choose (CandidateStrategy): Which spans to classify.
        """
        scores = self.span_scorer(tokens, layout)
        selection, mention = scores[0], scores[-1]
        if self.max_span_width is not None:
            selection = selection.masked_fill(layout.widths() > self.max_span_width, -torch.inf)
        marginals = None if self.to_marginals is None else self.to_marginals(selection, layout)
        with torch.no_grad():
            candidates = choose(selection, selection if marginals is None else marginals.selected, layout)
            spans = Spans(*layout.locate(candidates))
            pairs = pairs_in_sentences(layout.sentence[spans.starts], layout.sentence[predicates.starts])
            distance = signed_distance(spans.take(pairs.left), predicates.take(pairs.right))
        represented = self.span_scorer.represent(tokens, spans.starts, spans.ends)
        scores = self.roles(represented, vectors, pairs, distance) + mention[candidates[pairs.left], None]
        log_roles = torch.cat([scores.new_zeros(len(scores), 1), scores], dim=1).log_softmax(dim=1)
        return SpanArguments(marginals, candidates, spans, predicates, pairs, log_roles)
