"""The BIO baseline: tag the sentence once for each predicate, instead of selecting argument spans (He et al. 2017).

Each token of a sentence is classified with respect to each predicate by the same network that classifies spans;
the best well-formed sequence of tags is found by the Viterbi algorithm. No span is ever scored, so there is
no selection: the selected spans are the arguments themselves.

Spans are spelt as tags of tokens, B-role, I-role and O: tag 0 is O; role r has the tags 1 + 2 r for its first token and
2 + 2 r for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import torch
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from spacy_span_selector.layers.selection.candidates import CandidateStrategy, Decoding
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives
from spacy_span_selector.layers.selection.selectors import Marginals, Selection, Selector
from spacy_span_selector.layers.selection.teaching import cross_entropy
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans
from spacy_span_selector.layers.srl.arguments import ArgumentFinder, FoundArgument, GoldFrames
from spacy_span_selector.layers.srl.network import SrlHead, SrlOutput
from spacy_span_selector.layers.srl.roles import (
    KnownRoles,
    Pairs,
    RoleClassifier,
    SrlSettings,
    pairs_with_ranges,
    signed_distance,
)
from spacy_span_selector.models.architectures import selecting_model
from spacy_span_selector.models.torch_head import HeadInput
from spacy_span_selector.signatures import takes_settings

OUTSIDE = 0


@registry.architectures("lab.BioModel.v1")
@takes_settings(SrlSettings, "the SRL model")
def build_bio_model(tok2vec: Model[list[Doc], list[Floats2d]], settings: SrlSettings) -> Model[HeadInput, SrlOutput]:
    """Build a model of semantic role labelling that tags tokens. It takes the settings of `SrlModel.v1`, of which
    `selector` and `max_span_width` are not used: there are no spans to select."""
    settings = replace(settings, selector=NoSelector(), max_span_width=None)
    return selecting_model("srl", tok2vec, partial(SrlHead, make_finder=ArgumentTagger), settings)


@dataclass(frozen=True)
class NoSelector(Selector):
    """Select nothing."""

    spans_may_cross = True

    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        raise NotImplementedError("The tagger scores no spans.")

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        return choose_none

    def training_strategy(self, ratio: float) -> CandidateStrategy:
        return choose_none


def choose_none(scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
    """Choose no spans, as a `CandidateStrategy`."""
    return layout.row[:0]


@dataclass(frozen=True)
class TaggedArguments:
    """Network output for the arguments of a batch.

    predicates (Spans): The predicates of the batch.
    pairs (Pairs): Each predicate with each token of its sentence.
    log_tags (Tensor): Log probabilities of their tags. Shape: (pairs, tags)
    """

    predicates: Spans
    pairs: Pairs
    log_tags: Tensor

    @property
    def selection(self) -> Selection:
        """No spans."""
        none, no_index = self.log_tags.new_zeros(0), self.pairs.left[:0]
        return Selection(none, Marginals(none, none), none.view(0, 0), no_index, Spans(no_index, no_index))

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from."""
        return [self.log_tags]

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The negative log-likelihood of the gold tags; the settings of span selection have no meaning here."""
        learnt = gold.annotated[layout.document[self.predicates.starts]][self.pairs.left]
        log_right = self.log_tags.gather(1, self._gold_tags(gold)[:, None]).squeeze(1)
        return -log_right[learnt].sum()

    def taught_loss(self, told: TaggedArguments, layout: SpanLayout, labels: Sequence[int]) -> Tensor:
        """The loss by what a teacher says of the same tokens, a sum over the batch."""
        columns = [0, *(tag for label in labels for tag in (1 + 2 * label, 2 + 2 * label))]
        return cross_entropy(told.log_tags[:, columns].exp(), self.log_tags)

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
            for start, end, role in read_tags(sequence):
                score = sum(probabilities[predicate][start : end + 1]) / (end + 1 - start)
                found.append(FoundArgument(predicate, first + start, first + end, role, score))
        return found

    def _gold_tags(self, gold: GoldFrames) -> Tensor:
        """The tag of each pair. Where arguments of a predicate overlap, the first has the token. Shape: (pairs,)"""
        # Pairs of one predicate lie side by side, in the order of the text.
        row = torch.searchsorted(self.pairs.left, gold.frames)
        begin = row + gold.arguments.starts - self.pairs.right[row]
        end = begin + gold.arguments.ends - gold.arguments.starts
        return encode_tags(begin, end, gold.roles, len(self.pairs.left))


class ArgumentTagger(ArgumentFinder):
    """Tag the tokens of a sentence once for each predicate."""

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
        own = layout.sentence[predicates.starts]
        pairs = pairs_with_ranges(
            torch.searchsorted(layout.sentence, own), torch.searchsorted(layout.sentence, own, right=True)
        )
        token = Spans(pairs.right, pairs.right)
        distance = signed_distance(token, predicates.take(pairs.left))
        tags = nn.functional.pad(known.tags.repeat_interleave(2, dim=1), (1, 0))  # outside; begin and inside of each
        scores = self.tags.score_roles(tokens, vectors, Pairs(pairs.right, pairs.left), distance, known, tags)
        return TaggedArguments(predicates, pairs, scores.log_softmax(dim=1))


def begin_tag(role: Tensor) -> Tensor:
    """The tag of the first token of a role; that of the others is one greater."""
    return 1 + 2 * role


def count_tags(roles: int) -> int:
    """The number of tags for a number of roles."""
    return 1 + 2 * roles


def encode_tags(starts: Tensor, ends: Tensor, roles: Tensor, length: int) -> Tensor:
    """The tags of spans. Where spans overlap, the first in the list has the tokens.

    starts, ends, roles (Tensor): First and last place of each span, and its role. Shape: (spans,)
    length (int): How many places there are.
    RETURNS (Tensor): O outside of every span. Shape: (length,)
    """
    tags = [OUTSIDE] * length
    for start, end, tag in zip(starts.tolist(), ends.tolist(), begin_tag(roles).tolist(), strict=True):
        if not any(tags[start : end + 1]):
            tags[start : end + 1] = [tag] + [tag + 1] * (end - start)
    return torch.tensor(tags, dtype=torch.long, device=starts.device)


def decode_tags(log_tags: Tensor, lengths: Tensor) -> Tensor:
    """The most probable well-formed tags: I-role only behind B-role or I-role (He et al. 2017).

    The Viterbi algorithm; as O and B-role may follow anything, it takes `length` x `tags` steps a sequence.

    log_tags (Tensor): Log probabilities. Shape: (sequences, length, tags)
    lengths (Tensor): Number of tokens of each sequence, at least 1. Shape: (sequences,)
    RETURNS (Tensor): Tags, O behind the end. Shape: (sequences, length)
    """
    _, length, tags = log_tags.shape
    every = torch.arange(tags, device=log_tags.device)
    is_inside = (every > OUTSIDE) & (every % 2 == 0)
    score = log_tags[:, 0].masked_fill(is_inside, -torch.inf)
    previous = []
    for place in range(1, length):
        best, best_tag = score.max(dim=1, keepdim=True)
        before, before_tag = best.repeat(1, tags), best_tag.repeat(1, tags)
        first, inside = score[:, 1::2], score[:, 2::2]
        before[:, 2::2] = torch.maximum(first, inside)
        before_tag[:, 2::2] = torch.where(inside > first, every[2::2], every[1::2])
        going = (place < lengths)[:, None]
        previous.append(torch.where(going, before_tag, every))
        score = torch.where(going, before + log_tags[:, place], score)
    tag = score.argmax(dim=1)
    decoded = [tag]
    for step in reversed(previous):
        tag = step.gather(1, tag[:, None]).squeeze(1)
        decoded.append(tag)
    sequence = torch.stack(decoded[::-1], dim=1)
    places = torch.arange(length, device=lengths.device)
    return sequence.masked_fill(places >= lengths[:, None], OUTSIDE)


def read_tags(tags: Sequence[int]) -> list[tuple[int, int, int]]:
    """First and last place, and role, of each span of well-formed tags."""
    spans: list[tuple[int, int, int]] = []
    for place, tag in enumerate(tags):
        if tag % 2 == 1:  # B
            spans.append((place, place, (tag - 1) // 2))
        elif tag != OUTSIDE:
            spans[-1] = (spans[-1][0], place, spans[-1][2])
    return spans
