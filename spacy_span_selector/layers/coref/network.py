"""The coreference network behind the token vectors: span scores, selection, links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import torch
from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass as settings_class
from torch import Tensor, nn

from ...signatures import CHECKED
from ..selection.candidates import CandidateStrategy
from ..selection.network import Dropout, NetworkSettings, SelectingHead, Size, make_span_scorer
from ..selection.selectors import Selection
from ..spans.layout import SpanLayout
from .linker import Linker, Mentions
from .loss import CorefOutput
from .pair_features import FEATURE_NAMES, MentionFacts, TokenFacts


def _known_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if not set(names) <= set(FEATURE_NAMES) or len(set(names)) < len(names):
        raise ValueError(f"a list of some of {', '.join(map(repr, FEATURE_NAMES))}, each once")
    return names


PairFeatures = Annotated[tuple[str, ...], Field(strict=False), AfterValidator(_known_once)]


@settings_class(frozen=True, kw_only=True, config=CHECKED)
class CorefSettings(NetworkSettings):
    """Sizes of the network.

    linker_width (int): Width to which span vectors are projected before they are linked.
    linker_hidden_width (int): Hidden layer of the fine scorer of pairs.
    antecedents (int): How many antecedents of each mention the fine scorer sees.
    distance (str): What the distance of two candidates counts: "candidates" counts them; "mentions" how many mentions
        are expected among them, by their probabilities, which means the same in training, with its many candidates,
        and at prediction.
    pair_features (Sequence[str]): Further features of two mentions: "nested", "content_words", "quotation",
        "speaker", "sentences", and of one-word mentions, "short_words"; "kinds" gives each kind of pair, such as two
        pronouns, output weights of its own in the fine scorer.
    speaker_dropout (float): The share of documents whose speakers the linker is not told in training, drawn again each
        time, so that it also works where nobody knows them.
    """

    linker_width: Size = 256
    linker_hidden_width: Size = 512
    antecedents: Size = 50
    distance: Literal["candidates", "mentions"] = "mentions"
    pair_features: PairFeatures = FEATURE_NAMES
    speaker_dropout: Dropout = 0.3


@dataclass(frozen=True)
class CorefRequest:
    """Input of the network beside token vectors and layout.

    given (Tensor | None): Which documents were given their mentions: these count in full in distances. None if no
        document was. Shape: (documents,)
    reach (int | None): How many candidates back an antecedent may be. No limit if None.
    types (Sequence[int] | None): The numbers of the types of which mentions are selected; None for all.
    """

    facts: TokenFacts
    choose: CandidateStrategy
    given: Tensor | None = None
    reach: int | None = None
    types: Sequence[int] | None = None


class CorefHead(SelectingHead):
    """Select mentions and link them.

    labels (int): The number of types of mentions, 0 if they have none.
    """

    settings: CorefSettings

    def __init__(self, *, width: int, labels: int = 0, settings: CorefSettings) -> None:
        super().__init__()
        self.sizes = {"width": width, "labels": labels}
        self.settings, self.types = settings, labels
        self.dropout = nn.Dropout(settings.dropout)
        self.span_scorer = make_span_scorer(settings, width, labels)
        self.linker = Linker(
            vector_width=self.span_scorer.vector_width,
            width=settings.linker_width,
            hidden_width=settings.linker_hidden_width,
            antecedents=settings.antecedents,
            pair_features=settings.pair_features,
            dropout=settings.dropout,
            bfloat16=settings.bfloat16,
        )

    def grow(self, labels: int) -> None:
        """Take so many types, new ones last. The weights of the others stay, but their optimizer must start again."""
        self.grow_types(labels)
        self.sizes["labels"] = labels

    def forward(self, tokens: Tensor, layout: SpanLayout, request: CorefRequest) -> CorefOutput:
        """Choose spans of a batch, given by its token vectors, and link them. Shape: (tokens, width)"""
        selection, vectors, scores = self.select(self.dropout(tokens), layout, request.choose, request.types)
        document = layout.document[selection.spans.starts]
        mentions = Mentions(
            vectors=vectors,
            scores=scores,
            document=document,
            weights=self._weights(selection, document, request),
            facts=MentionFacts.read(self._facts(request.facts, layout), selection.spans),
        )
        return CorefOutput(selection, self.linker(mentions, request.reach))

    def _facts(self, facts: TokenFacts, layout: SpanLayout) -> TokenFacts:
        """The facts of tokens, in training without the speakers of some documents."""
        if not self.training or not self.settings.speaker_dropout:
            return facts
        _, document = layout.document.unique_consecutive(return_inverse=True)  # counts only documents with tokens
        kept = torch.rand(len(document), device=document.device) >= self.settings.speaker_dropout
        return replace(facts, speaker=facts.speaker * kept[document])

    def _weights(self, selection: Selection, document: Tensor, request: CorefRequest) -> Tensor:
        """The weight of each candidate in distances. Shape: (candidates,)"""
        log_p = selection.marginals.selected.detach()[selection.candidates]
        if self.settings.distance == "candidates":
            return torch.ones_like(log_p)
        # A given mention is one for certain, whatever the selector makes of it.
        return log_p.exp() if request.given is None else log_p.exp().masked_fill(request.given[document], 1.0)
