"""The whole network of semantic role labelling behind the token vectors: predicates, their senses, their arguments."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..selection.candidates import CandidateStrategy
from ..selection.sampling import Annotation
from ..selection.selectors import BioSelector, MultitaskSelector, SpanSelector
from ..spans.layout import SpanLayout, Spans
from .arguments import ArgumentOutput
from .gold import GoldFrames
from .predicates import FindPredicates, PredicateTagger, predicate_tags
from .rolesets import FindSenses, RolesetClassifier, RolesetScores
from .span_arguments import SpanArgumentFinder
from .tagged_arguments import ArgumentTagger


@dataclass(frozen=True)
class SrlSettings:
    """Sizes of the network.

    selector (SpanSelector | BioSelector): How arguments are found.
    hidden_width (int): Hidden layers of the span scorer and of the predicate tagger.
    pair_width (int): Width to which arguments and predicates are projected before they are paired.
    pair_hidden_width (int): Hidden layer of the role classifier.
    feature_width (int): Width of the embedding of span widths.
    dropout (float): Dropout in the network and on the token vectors that it reads.
    max_span_width (int | None): Longest span that can be selected, in tokens. No limit if None.
    """

    selector: SpanSelector | BioSelector
    hidden_width: int
    pair_width: int
    pair_hidden_width: int
    feature_width: int
    dropout: float
    max_span_width: int | None

    def __post_init__(self) -> None:
        if isinstance(self.selector, MultitaskSelector):
            raise ValueError("The SRL model has no second task. Take spacy_span_selector.GreedySelector.v1 instead.")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"'dropout' of the SRL model is {self.dropout}; it must be from 0 to below 1.")
        for name in ("hidden_width", "pair_width", "pair_hidden_width", "feature_width", "max_span_width"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"'{name}' of the SRL model is {value}; it must be at least 1.")


@dataclass(frozen=True)
class SrlRequest:
    """What the component asks of the network.

    find_predicates (FindPredicates): Which predicates to take.
    find_senses (FindSenses): Which rolesets they may have.
    choose (CandidateStrategy): Which spans to classify.
    """

    find_predicates: FindPredicates
    find_senses: FindSenses
    choose: CandidateStrategy


@dataclass(frozen=True)
class SrlOutput:
    """What the network says of a batch.

    log_tags (Tensor): Log probabilities of the predicate tags of each token. Shape: (tokens, 3)
    predicates (Spans): The predicates that were taken.
    rolesets (RolesetScores): Their senses.
    arguments (ArgumentOutput): Their arguments.
    """

    log_tags: Tensor
    predicates: Spans
    rolesets: RolesetScores
    arguments: ArgumentOutput

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from."""
        return [self.log_tags, self.rolesets.log_p, *self.arguments.tensors()]

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: float) -> Tensor:
        """The training objective of predicates, rolesets and arguments, per token of an annotated document.

        gold (GoldFrames): The annotation.
        layout (SpanLayout): The sentences of the batch.
        annotation (Literal["complete", "partial"]): Whether a span that is not annotated may be an argument.
        negatives (float): How many spans that are not gold to sample, per token.
        RETURNS (Tensor): A scalar.
        """
        learnt = gold.annotated[layout.document]
        tags = predicate_tags(gold.predicates, len(learnt))
        predicates = -self.log_tags.gather(1, tags[:, None]).squeeze(1)[learnt].sum()
        arguments = self.arguments.loss(gold, layout, annotation=annotation, negatives=negatives)
        return (predicates + self.rolesets.loss(gold.rolesets) + arguments) / learnt.sum().clamp(min=1)


class SrlHead(nn.Module):
    """Find predicates, their rolesets and their arguments.

    width (int): Width of the token vectors.
    roles (int): How many roles there are, the null role not counted.
    rolesets (int): How many rolesets there are; 0 if they are not predicted.
    settings (SrlSettings): All other sizes.
    """

    def __init__(self, *, width: int, roles: int, rolesets: int, settings: SrlSettings) -> None:
        super().__init__()
        self.sizes = {"width": width, "roles": roles, "rolesets": rolesets}
        self.dropout = nn.Dropout(settings.dropout)
        self.tagger = PredicateTagger(width=width, hidden_width=settings.hidden_width, dropout=settings.dropout)
        self.rolesets = RolesetClassifier(
            width=2 * width, hidden_width=settings.pair_width, rolesets=rolesets, dropout=settings.dropout
        )
        self.arguments: SpanArgumentFinder | ArgumentTagger
        if isinstance(settings.selector, BioSelector):
            self.arguments = ArgumentTagger(
                width=width,
                predicate_width=2 * width,
                pair_width=settings.pair_width,
                pair_hidden_width=settings.pair_hidden_width,
                roles=roles,
                dropout=settings.dropout,
            )
        else:
            self.arguments = SpanArgumentFinder(
                width=width,
                predicate_width=2 * width,
                hidden_width=settings.hidden_width,
                pair_width=settings.pair_width,
                pair_hidden_width=settings.pair_hidden_width,
                feature_width=settings.feature_width,
                roles=roles,
                to_marginals=settings.selector.marginals,
                dropout=settings.dropout,
                max_span_width=settings.max_span_width,
            )

    def forward(self, tokens: Tensor, words: Tensor, layout: SpanLayout, request: SrlRequest) -> SrlOutput:
        """Say everything of a batch.

        tokens (Tensor): Vectors of the tokens of all documents. Shape: (tokens, width)
        words (Tensor): Not used: what a word means is in its vector. Shape: (tokens,)
        layout (SpanLayout): The sentences of the batch.
        request (SrlRequest): Which predicates, rolesets and spans to take.
        """
        tokens = self.dropout(tokens)
        log_tags = self.tagger(tokens)
        predicates = request.find_predicates(log_tags.detach(), layout)
        vectors = torch.cat([tokens[predicates.starts], tokens[predicates.ends]], dim=1)
        rolesets = self.rolesets(vectors, request.find_senses(predicates))
        arguments = self.arguments(tokens, layout, predicates, vectors, request.choose)
        return SrlOutput(log_tags, predicates, rolesets, arguments)
