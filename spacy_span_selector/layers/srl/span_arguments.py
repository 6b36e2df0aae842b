"""Arguments as selected spans: select spans, then classify each with respect to each predicate.

The training objective is that of the paper, section 4.2. With p(s) the probability that span s is selected
and p(l | s, v) that it has role l to predicate v of its sentence, the null role among the roles,

    L1 = - sum over gold spans s     [ log p(s) + sum over predicates v of log p(l(s, v) | s, v) ]
    L2 = - sum over other spans s    sum over predicates v of log [ p(s) * p(null | s, v) + 1 - p(s) ]

l(s, v) being the annotated role, null for predicates of which a gold span is not an argument. The paper counts
log p(s) once per predicate; here it counts once. L2 leaves open whether a span outside the annotation is an argument
of something that is not annotated. If every argument is marked, annotation is *complete*: both the selection
of a span and its roles are known. The loss of its roles is weighted by p(s), which gets no gradient from it:

    L2' = - sum over other spans s   [ log (1 - p(s)) + p(s) * sum over predicates v of log p(null | s, v) ]

"Other spans" are the candidates that are not gold; log(1 - p) is added for a random sample of all that are not gold.
In a corpus with complete annotation, a document may still have the frames of some of its predicates only: its spans
outside the annotation count by L2, and none is sampled.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from operator import lt
from typing import NamedTuple

import torch
from torch import Tensor

from ..selection.candidates import CandidateStrategy
from ..selection.network import SelectingHead, make_span_scorer
from ..selection.sampling import Annotation, Negatives
from ..selection.selectors import Selection
from ..selection.teaching import cross_entropy, selection_loss, weights_of_choices
from ..spans.layout import SpanLayout, Spans
from .arguments import ArgumentFinder, FoundArgument, GoldFrames
from .roles import KnownRoles, Pairs, RoleClassifier, SrlSettings, arguments_with_predicates, signed_distance

PAIRS_AT_ONCE = 1 << 14
"""Pairs whose roles are scored at once at prediction: what is computed on the way takes several times the memory."""


Chosen = tuple["Chosen", int, int] | None
"""Chosen intervals, the last one first: those before it, its index, its label."""


@dataclass(frozen=True)
class SpanArguments:
    """Network output for the arguments of a batch.

    pairs (Pairs): Each candidate with each predicate of its sentence.
    log_roles (Tensor): Log probabilities of their roles, the null role first. Shape: (pairs, 1 + roles)
    """

    selection: Selection
    predicates: Spans
    pairs: Pairs
    log_roles: Tensor
    known: KnownRoles

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from."""
        return [*self.selection.tensors(), self.log_roles]

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The training objective; see the top of this module."""
        gold_flat = gold.flat_index(layout)
        is_gold = torch.zeros(layout.size, dtype=torch.bool, device=gold_flat.device)
        is_gold[gold_flat] = True
        candidates = self.selection.candidates
        learnt = gold.annotated[layout.document[self.selection.spans.starts]]
        log_right = self.log_likelihood(gold, gold_flat)
        log_p, log_not_p = self.selection.marginals
        complete = gold.annotated & gold.complete if annotation == "complete" else torch.zeros_like(gold.annotated)
        sampled = complete if annotation == "complete" else gold.annotated
        selection = [log_p[gold_flat.unique()], log_not_p[negatives.draw(is_gold, gold_flat, sampled, layout)]]
        is_other = learnt & ~is_gold[candidates]
        is_none = is_other & complete[layout.document[self.selection.spans.starts]]
        # How far the roles of a candidate count: those of a gold one in full, those of one that is none by p(s).
        reached = torch.where(is_none, log_p[candidates].detach().exp(), learnt & ~is_other)
        undecided = (is_other & ~is_none)[self.pairs.left]
        flat = candidates[self.pairs.left[undecided]]
        roles = [
            log_not_p[candidates[is_none]],
            reached[self.pairs.left] * log_right,
            torch.logaddexp(log_p[flat] + log_right[undecided], log_not_p[flat]),
        ]
        return -torch.cat([*selection, *roles]).sum()

    def taught_loss(self, told: SpanArguments, layout: SpanLayout, labels: Sequence[int]) -> Tensor:
        """The loss by what a teacher says of the same pairs, a sum; see `selection/teaching.py`."""
        roles = told.log_roles[:, [0, *(1 + label for label in labels)]].exp()
        weights = weights_of_choices(self.selection, told.selection)[self.pairs.left, None]
        loss = selection_loss(self.selection, told.selection, layout, ())
        return loss + cross_entropy(roles * weights, self.log_roles)

    def decode(self) -> list[FoundArgument]:
        """The heaviest set of disjoint arguments of each predicate; one weighs log p(its role) - log p(null).

        No role that is unique is given twice; where frames are strict, none that the frame of the predicate lacks.
        """
        weights = self.log_roles[:, 1:] - self.log_roles[:, :1]
        if self.known.strict:
            weights = weights.masked_fill(~self.known.allowed[self.pairs.right], -torch.inf)
        best = weights.max(dim=1)
        worth = torch.nonzero(best.values > 0).squeeze(1)
        worth = worth[torch.argsort(self.pairs.right[worth], stable=True)]
        spans = self.selection.spans.take(self.pairs.left[worth])
        columns = (self.pairs.right[worth], worth, spans.starts, spans.ends, best.indices[worth], best.values[worth])
        predicates, pairs, starts, ends, roles, best_weights = (column.tolist() for column in columns)
        unique = {*torch.nonzero(self.known.unique).squeeze(1).tolist()}
        found: list[tuple[int, int]] = []  # numbers of pairs among those that are worth it, and their roles
        for _, group in groupby(range(len(pairs)), predicates.__getitem__):
            own = list(group)
            intervals = [(starts[i], ends[i]) for i in own]
            chosen = [(i, roles[own[i]]) for i in heaviest_disjoint(intervals, best_weights[own[0] : own[-1] + 1])]
            once = [role for _, role in chosen if role in unique]
            # Labels matter to each other only if a unique one comes twice, which is rare: the exact search is slow.
            if len({*once}) < len(once):
                rows = weights[pairs[own[0] : own[-1] + 1]].tolist()
                choices = [[(role, weight) for role, weight in enumerate(row) if weight > 0] for row in rows]
                chosen = heaviest_labelled(intervals, choices, unique)
            found += [(own[i], role) for i, role in chosen]
        scores = self.log_roles[[pairs[i] for i, _ in found], [1 + role for _, role in found]].exp().tolist()
        return [
            FoundArgument(predicates[i], starts[i], ends[i], role, score)
            for (i, role), score in zip(found, scores, strict=True)
        ]

    def selected(self) -> list[tuple[int, int, float]]:
        """Every candidate with its probability."""
        spans = self.selection.spans
        columns = (spans.starts, spans.ends, self.selection.probabilities())
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def log_likelihood(self, gold: GoldFrames, gold_flat: Tensor) -> Tensor:
        """The log probability of the gold role of each pair, or of null. Shape: (pairs,)

        gold_flat (Tensor): Flat index of each gold argument. Shape: (arguments,)
        """
        # A pair of span and predicate as one number, so that gold pairs can be looked up among sorted ones.
        count = len(self.predicates)
        keys = gold_flat * count + gold.frames
        keys, order = torch.sort(keys, stable=True)
        wanted = self.selection.candidates[self.pairs.left] * count + self.pairs.right
        if not len(keys):
            return self.log_roles[:, 0]
        place = torch.searchsorted(keys, wanted).clamp(max=len(keys) - 1)
        roles = torch.where(keys[place] == wanted, gold.roles[order][place] + 1, 0)
        return self.log_roles.gather(1, roles[:, None]).squeeze(1)


class _Sides(NamedTuple):
    """The two sides of pairs: candidates, with their vectors and their scores in roles, and predicates."""

    spans: Spans
    represented: Tensor
    scores: Tensor
    predicates: Spans
    vectors: Tensor
    known: KnownRoles

    def only(self, pairs: Pairs) -> tuple[_Sides, Pairs]:
        """The part of both sides that some pairs, by candidate, are of, and these pairs as indices into it."""
        first, last = pairs.left[0], pairs.left[-1]
        left = slice(int(first), int(last) + 1)
        first_predicate, last_predicate = pairs.right.aminmax()
        right = slice(int(first_predicate), int(last_predicate) + 1)
        known = self.known._replace(rolesets=self.known.rolesets[right], tags=self.known.tags[right])
        spans, predicates = self.spans.take(left), self.predicates.take(right)
        part = _Sides(spans, self.represented[left], self.scores[left], predicates, self.vectors[right], known)
        return part, Pairs(pairs.left - first, pairs.right - first_predicate)


class SpanArgumentFinder(SelectingHead, ArgumentFinder):
    """Select argument spans and classify them."""

    def __init__(
        self, *, width: int, predicate_width: int, roles: int, rolesets: int, tags: int, settings: SrlSettings
    ) -> None:
        super().__init__()
        self.settings = settings
        self.span_scorer = make_span_scorer(settings, width)
        self.roles = RoleClassifier(
            argument_width=self.span_scorer.vector_width,
            predicate_width=predicate_width,
            labels=roles,
            rolesets=rolesets,
            tags=tags,
            settings=settings,
        )

    def grow(self, roles: int, rolesets: Sequence[int]) -> None:
        self.roles.grow(roles, rolesets)

    def forward(
        self,
        tokens: Tensor,
        layout: SpanLayout,
        predicates: Spans,
        vectors: Tensor,
        known: KnownRoles,
        choose: CandidateStrategy,
    ) -> SpanArguments:
        selection, represented, scores = self.select(tokens, layout, choose)
        spans = selection.spans
        pairs = arguments_with_predicates(spans, predicates, layout)
        sides = _Sides(spans, represented, scores, predicates, vectors, known)
        if torch.is_grad_enabled() or len(pairs.left) <= PAIRS_AT_ONCE:
            log_roles = self._log_roles(sides, pairs)
        else:
            blocks = zip(*(column.split(PAIRS_AT_ONCE) for column in pairs), strict=True)
            log_roles = torch.cat([self._log_roles(*sides.only(Pairs(*block))) for block in blocks])
        return SpanArguments(selection, predicates, pairs, log_roles, known)

    def _log_roles(self, sides: _Sides, pairs: Pairs) -> Tensor:
        """The log probabilities of the roles of pairs, the null role first. Shape: (pairs, 1 + roles)"""
        spans, represented, scores, predicates, vectors, known = sides
        distance = signed_distance(spans.take(pairs.left), predicates.take(pairs.right))
        of_roles = self.roles.score_roles(represented, vectors, pairs, distance, known, known.tags)
        of_roles = of_roles + scores[pairs.left, None]
        return torch.cat([of_roles.new_zeros(len(of_roles), 1), of_roles], dim=1).log_softmax(dim=1)


def heaviest_disjoint(intervals: Sequence[tuple[int, int]], weights: Sequence[float]) -> list[int]:
    """Weighted interval scheduling, exact, by dynamic programming over the ends of the intervals.

    intervals (Sequence[tuple[int, int]]): Start, and end, inclusive.
    weights (Sequence[float]): One weight an interval; those that are not above 0 are never chosen.
    RETURNS (list[int]): Indices of the chosen intervals, in ascending order. Of equally heavy sets, an interval that
        ends later is left out.
    """
    kept = [i for i in range(len(weights)) if weights[i] > 0]
    if all(map(lt, [intervals[i][1] for i in kept], [intervals[i][0] for i in kept[1:]])):
        return kept  # most often, no two of them overlap
    choices = [[(0, weight)] if weight > 0 else [] for weight in weights]
    return [i for i, _ in heaviest_labelled(intervals, choices, frozenset())]


def heaviest_labelled(
    intervals: Sequence[tuple[int, int]], choices: Sequence[Sequence[tuple[int, float]]], unique: Set[int]
) -> list[tuple[int, int]]:
    """The same with a label for each interval, where no label that is unique is given twice.

    Exact, by dynamic programming over the ends of the intervals and the sets of unique labels that are used.

    RETURNS (list[tuple[int, int]]): Indices of the chosen intervals, in ascending order, and their labels.
    """
    order = sorted(range(len(intervals)), key=lambda i: (intervals[i][1], i))
    ends = [intervals[i][1] for i in order]
    nothing: tuple[float, Chosen] = (0.0, None)
    best = [{frozenset[int](): nothing}]  # by used labels: the heaviest choice among the first k intervals
    for k, i in enumerate(order):
        states = dict(best[k])
        for used, (weight, chosen) in best[bisect_right(ends, intervals[i][0] - 1, hi=k)].items():
            for label, more in choices[i]:
                if label not in used:
                    now = used | ({label} & unique)
                    if weight + more > states.get(now, nothing)[0]:
                        states[now] = (weight + more, (chosen, i, label))
        best.append(states)
    chosen = max(best[-1].values(), key=lambda state: state[0])[1]
    kept = []
    while chosen is not None:
        chosen, i, label = chosen
        kept.append((i, label))
    return sorted(kept)
