"""Arguments as tags: the baseline that labels the tokens of a sentence once for each predicate (He et al. 2017).

Each token of a sentence is classified with respect to each predicate by the same network that classifies spans;
the best well-formed sequence of tags is found by the Viterbi algorithm. No span is ever scored, so there is
no selection: the selected spans are the arguments themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from ..selection.candidates import CandidateStrategy
from ..selection.sampling import Annotation, Negatives
from ..spans.layout import SpanLayout, Spans
from .arguments import FoundArgument
from .bio import OUTSIDE, count_tags, decode_tags, encode_tags
from .gold import GoldFrames
from .pairs import Pairs, pairs_in_sentences, signed_distance
from .roleset_roles import KnownRoles, RoleClassifier
from .settings import SrlSettings


@dataclass(frozen=True)
class TaggedArguments:
    """Network output for the arguments of a batch.

    predicates (Spans): The predicates of the batch.
    pairs (Pairs): Each predicate with each token of its sentence.
    log_tags (Tensor): Log probabilities of their tags. Shape: (pairs, tags)
    """

    selection: ClassVar[None] = None

    predicates: Spans
    pairs: Pairs
    log_tags: Tensor

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from."""
        return [self.log_tags]

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The negative log-likelihood of the gold tags; the settings of span selection have no meaning here."""
        learnt = gold.annotated[layout.document[self.predicates.starts]][self.pairs.left]
        log_right = self.log_tags.gather(1, self._gold_tags(gold)[:, None]).squeeze(1)
        return -log_right[learnt].sum()

    def decode(self) -> list[FoundArgument]:
        """The spans of the best well-formed tags; their score is the mean probability of their tags."""
        return self._found

    def selected(self) -> list[tuple[int, int, float]]:
        """The spans of all arguments, each with its best score."""
        best: dict[tuple[int, int], float] = {}
        for _, start, end, _, score in self.decode():
            best[start, end] = max(score, best.get((start, end), 0.0))
        return [(start, end, score) for (start, end), score in sorted(best.items())]

    @cached_property
    def _found(self) -> list[FoundArgument]:
        lengths = torch.bincount(self.pairs.left, minlength=len(self.predicates))
        if not len(lengths):
            return []
        rows = pad_sequence(self.log_tags.split(lengths.tolist()), batch_first=True)
        tags = decode_tags(rows, lengths)
        probabilities = rows.gather(2, tags[:, :, None]).squeeze(2).exp().tolist()
        first_tokens = self.pairs.right[torch.cumsum(lengths, 0) - lengths].tolist()
        found = []
        for predicate, (sequence, first) in enumerate(zip(tags.tolist(), first_tokens, strict=True)):
            for start, end in _spans(sequence):
                score = sum(probabilities[predicate][start : end + 1]) / (end + 1 - start)
                found.append(FoundArgument(predicate, first + start, first + end, (sequence[start] - 1) // 2, score))
        return found

    def _gold_tags(self, gold: GoldFrames) -> Tensor:
        """The tag of each pair. Where arguments of a predicate overlap, the first has the token. Shape: (pairs,)"""
        # Pairs of one predicate lie side by side, in the order of the text.
        row = torch.searchsorted(self.pairs.left, gold.frames)
        begin = row + gold.arguments.starts - self.pairs.right[row]
        end = begin + gold.arguments.ends - gold.arguments.starts
        return encode_tags(begin, end, gold.roles, len(self.pairs.left))


class ArgumentTagger(nn.Module):
    """Tag the tokens of a sentence once for each predicate.

    width (int): Width of the token vectors.
    predicate_width (int): Width of the predicate vectors.
    roles (int): How many roles there are.
    rolesets, tags (int): How many rolesets and function tags there are; see `SrlHead`.
    settings (SrlSettings): All other sizes.
    """

    def __init__(
        self, *, width: int, predicate_width: int, roles: int, rolesets: int, tags: int, settings: SrlSettings
    ) -> None:
        super().__init__()
        self.tags = RoleClassifier(
            argument_width=width,
            predicate_width=predicate_width,
            labels=count_tags(roles),
            rolesets=rolesets,
            tags=tags,
            settings=settings,
        )

    def grow(self, roles: int, rolesets: Sequence[int]) -> None:
        """Take more roles, and other rolesets: see `SrlHead.grow`."""
        self.tags.grow(count_tags(roles), rolesets)

    def forward(
        self,
        tokens: Tensor,
        layout: SpanLayout,
        predicates: Spans,
        vectors: Tensor,
        known: KnownRoles,
        choose: CandidateStrategy,
    ) -> TaggedArguments:
        """Score the tags of a batch.

        tokens (Tensor): Token vectors. Shape: (tokens, width)
        layout (SpanLayout): The sentences of the batch.
        predicates (Spans): The predicates, by start.
        vectors (Tensor): Their vectors. Shape: (predicates, predicate_width)
        known (KnownRoles): What is known of their roles.
        choose (CandidateStrategy): Not used: there are no candidates.
        """
        pairs = pairs_in_sentences(layout.sentence[predicates.starts], layout.sentence)
        token = Spans(pairs.right, pairs.right)
        distance = signed_distance(token, predicates.take(pairs.left))
        tags = nn.functional.pad(known.tags.repeat_interleave(2, dim=1), (1, 0))  # outside; begin and inside of each
        scores = self.tags.score_roles(tokens, vectors, Pairs(pairs.right, pairs.left), distance, known, tags)
        return TaggedArguments(predicates, pairs, scores.log_softmax(dim=1))


def _spans(tags: list[int]) -> list[tuple[int, int]]:
    """First and last place of each span of well-formed tags."""
    spans = []
    for place, tag in enumerate(tags):
        if tag % 2 == 1:  # B
            spans.append((place, place))
        elif tag != OUTSIDE:
            spans[-1] = (spans[-1][0], place)
    return spans
