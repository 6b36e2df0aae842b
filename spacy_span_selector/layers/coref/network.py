"""The whole coreference network behind the token vectors: span scores, selection, links.

A selector with probabilities has a score of its own, s_p, beside the mention score s_m that counts in links; a greedy
one ranks spans by s_m itself (Lee et al. 2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..selection.candidates import CandidateStrategy
from ..selection.selectors import Marginals, MultitaskSelector, SpanSelector
from ..spans.features import span_hashes
from ..spans.layout import SpanLayout
from ..spans.scorer import SpanScorer
from .constituents import CLASSES
from .linker import Linker, Links, Mentions


@dataclass(frozen=True)
class CorefSettings:
    """Sizes of the network.

    selector (SpanSelector): How mentions are selected.
    hidden_width (int): Hidden layer of the span scorer.
    linker_width (int): Width to which span vectors are projected before they are linked.
    linker_hidden_width (int): Hidden layer of the fine scorer of pairs.
    feature_width (int): Width of the embedding of span widths.
    antecedents (int): How many antecedents of each mention the fine scorer sees.
    match_words (bool): Whether the linker sees if two mentions have the same words.
    dropout (float): Dropout in the network and on the token vectors that it reads.
    max_span_width (int | None): Longest span that can be selected, in tokens. No limit if None.
    max_distance (int | None): Greatest distance of an antecedent, in mentions. No limit if None.
    """

    selector: SpanSelector
    hidden_width: int
    linker_width: int
    linker_hidden_width: int
    feature_width: int
    antecedents: int
    match_words: bool
    dropout: float
    max_span_width: int | None
    max_distance: int | None

    def __post_init__(self) -> None:
        if not isinstance(self.selector, SpanSelector):
            raise ValueError(
                f"'selector' of the coreference model is {self.selector!r}, which selects no spans. "
                "Take spacy_span_selector.StructuredSelector.v1 instead."
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(f"'dropout' of the coreference model is {self.dropout}; it must be from 0 to below 1.")
        for name, value in vars(self).items():
            if name not in ("selector", "dropout") and value is not None and value is not False and value < 1:
                raise ValueError(f"'{name}' of the coreference model is {value}; it must be at least 1.")


class CorefOutput(NamedTuple):
    """What the network says of a batch.

    scores (Tensor): What spans are ranked by: s_p, or s_m where there are no probabilities, flat. Shape: (layout.size,)
    marginals (Marginals | None): Of every span, flat; None from a selector that has no probabilities.
    constituents (Tensor | None): Scores of the second task of the multitask selector, flat. Shape: (3, layout.size)
    candidates (Tensor): Flat index of each span that was linked, in the order of the text. Shape: (candidates,)
    starts, ends (Tensor): First and last token of each candidate. Shape: (candidates,)
    links (Links): Antecedents of each candidate among the candidates of its document.
    """

    scores: Tensor
    marginals: Marginals | None
    constituents: Tensor | None
    candidates: Tensor
    starts: Tensor
    ends: Tensor
    links: Links

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from; none is computed from another."""
        selection = [self.scores] if self.marginals is None else list(self.marginals)
        constituents = [] if self.constituents is None else [self.constituents]
        return [*selection, *constituents, self.links.scores]


class CorefHead(nn.Module):
    """Select mentions and link them.

    width (int): Width of the token vectors.
    settings (CorefSettings): All other sizes.
    """

    def __init__(self, *, width: int, settings: CorefSettings) -> None:
        super().__init__()
        self.sizes = {"width": width}
        self.settings = settings
        self.classes = CLASSES if isinstance(settings.selector, MultitaskSelector) else 0
        self.dropout = nn.Dropout(settings.dropout)
        self.span_scorer = SpanScorer(
            width=width,
            hidden_width=settings.hidden_width,
            feature_width=settings.feature_width,
            scores=(1 if settings.selector.marginals is None else 2) + self.classes,
            dropout=settings.dropout,
        )
        self.linker = Linker(
            vector_width=self.span_scorer.vector_width,
            width=settings.linker_width,
            hidden_width=settings.linker_hidden_width,
            antecedents=settings.antecedents,
            match_words=settings.match_words,
            max_distance=settings.max_distance,
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
        scores = self.span_scorer(tokens, layout)
        # If they are the same scores, they must still be two tensors, for a gradient each: see `CorefOutput.tensors`.
        selection, mention = scores[0], scores[-1 - self.classes]
        if self.settings.max_span_width is not None:
            selection = selection.masked_fill(layout.widths() > self.settings.max_span_width, -torch.inf)
        to_marginals = self.settings.selector.marginals
        marginals = None if to_marginals is None else to_marginals(selection, layout)
        with torch.no_grad():
            candidates = choose(selection, selection if marginals is None else marginals.selected, layout)
            starts, ends = layout.locate(candidates)
        mentions = Mentions(
            vectors=self.span_scorer.represent(tokens, starts, ends),
            scores=mention[candidates],
            document=layout.document[starts],
            words=span_hashes(words, starts, ends),
            last_word=words[ends],
        )
        links = self.linker(mentions)
        constituents = scores[-self.classes :] if self.classes else None
        return CorefOutput(selection, marginals, constituents, candidates, starts, ends, links)
