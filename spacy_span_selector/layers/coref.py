"""The whole coreference network behind the token vectors: span scores, selection, links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .candidates import CandidateStrategy
from .features import span_hashes
from .layout import SpanLayout
from .linker import Linker, Links, Mentions
from .selector import Marginals, structured_marginals
from .span_scorer import SpanScorer


@dataclass(frozen=True)
class CorefSettings:
    """Sizes of the network.

    hidden_width (int): Hidden layer of the span scorer.
    linker_width (int): Width to which span vectors are projected before they are linked.
    linker_hidden_width (int): Hidden layer of the fine scorer of pairs.
    feature_width (int): Width of the embedding of span widths.
    antecedents (int): How many antecedents of each mention the fine scorer sees.
    match_words (bool): Whether the linker sees if two mentions have the same words.
    dropout (float): Dropout in the network and on the token vectors that it reads.
    max_span_width (int | None): Longest span that can be selected, in tokens. No limit if None.
    """

    hidden_width: int
    linker_width: int
    linker_hidden_width: int
    feature_width: int
    antecedents: int
    match_words: bool
    dropout: float
    max_span_width: int | None

    def __post_init__(self) -> None:
        if not 0 <= self.dropout < 1:
            raise ValueError(f"'dropout' of the coreference model is {self.dropout}; it must be from 0 to below 1.")
        for name, value in vars(self).items():
            if name != "dropout" and value is not None and value is not False and value < 1:
                raise ValueError(f"'{name}' of the coreference model is {value}; it must be at least 1.")


class CorefOutput(NamedTuple):
    """What the network says of a batch.

    marginals (Marginals): Of every span, flat.
    candidates (Tensor): Flat index of each span that was linked, in the order of the text. Shape: (candidates,)
    starts, ends (Tensor): First and last token of each candidate. Shape: (candidates,)
    links (Links): Antecedents of each candidate among the candidates of its document.
    """

    marginals: Marginals
    candidates: Tensor
    starts: Tensor
    ends: Tensor
    links: Links


class CorefHead(nn.Module):
    """Select mentions by the grammar and link them.

    width (int): Width of the token vectors.
    settings (CorefSettings): All other sizes.
    """

    def __init__(self, *, width: int, settings: CorefSettings) -> None:
        super().__init__()
        self.sizes = {"width": width}
        self.settings = settings
        self.dropout = nn.Dropout(settings.dropout)
        self.span_scorer = SpanScorer(
            width=width,
            hidden_width=settings.hidden_width,
            feature_width=settings.feature_width,
            scores=2,
            dropout=settings.dropout,
        )
        self.linker = Linker(
            vector_width=self.span_scorer.vector_width,
            width=settings.linker_width,
            hidden_width=settings.linker_hidden_width,
            antecedents=settings.antecedents,
            match_words=settings.match_words,
            dropout=settings.dropout,
        )

    def forward(self, tokens: Tensor, words: Tensor, layout: SpanLayout, choose: CandidateStrategy) -> CorefOutput:
        """Score the spans of a batch, choose candidates, link them.

        tokens (Tensor): Vectors of the tokens of all documents. Shape: (tokens, width)
        words (Tensor): An identifier of the word of each token. Shape: (tokens,)
        layout (SpanLayout): Their sentences.
        choose (CandidateStrategy): Which spans to link.
        """
        tokens = self.dropout(tokens)
        selection, mention = self.span_scorer(tokens, layout)
        if self.settings.max_span_width is not None:
            selection = selection.masked_fill(layout.widths() > self.settings.max_span_width, -torch.inf)
        marginals = structured_marginals(selection, layout)
        with torch.no_grad():
            candidates = choose(selection, marginals.selected, layout)
            starts, ends = layout.locate(candidates)
        mentions = Mentions(
            vectors=self.span_scorer.represent(tokens, starts, ends),
            scores=mention[candidates],
            document=layout.document[starts],
            words=span_hashes(words, starts, ends),
            last_word=words[ends],
        )
        links = self.linker(mentions)
        return CorefOutput(marginals, candidates, starts, ends, links)
