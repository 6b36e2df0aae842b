"""The coreference network behind the token vectors: span scores, selection, links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from torch import Tensor, nn

from ..selection.candidates import CandidateStrategy, TopNonCrossing
from ..selection.network import Selection, make_span_scorer, select_spans
from ..selection.selectors import SpanSelector, StructuredSelector
from ..selection.settings import NetworkSettings
from ..spans.features import span_hashes
from ..spans.layout import SpanLayout
from .constituents import CLASSES
from .linker import Linker, Links, Mentions


@dataclass(frozen=True, kw_only=True)
class CorefSettings(NetworkSettings):
    """Sizes of the network.

    selector (SpanSelector): How mentions are selected.
    linker_width (int): Width to which span vectors are projected before they are linked.
    linker_hidden_width (int): Hidden layer of the fine scorer of pairs.
    antecedents (int): How many antecedents of each mention the fine scorer sees.
    match_words (bool): Whether the linker sees if two mentions have the same words.
    max_distance (int | None): Greatest distance of an antecedent, in mentions. No limit if None.
    """

    selector: SpanSelector = field(default_factory=StructuredSelector)
    linker_width: int = 256
    linker_hidden_width: int = 512
    antecedents: int = 50
    match_words: bool = True
    max_distance: int | None = None
    network: ClassVar = "coreference"
    greedy_ratio: ClassVar = 0.4  # Lee et al. 2017, the paper
    pruning: ClassVar = TopNonCrossing
    can_learn_constituents: ClassVar = True


@dataclass(frozen=True)
class CorefRequest:
    """Input of the network beside token vectors and layout.

    words (Tensor): An identifier of the word of each token. Shape: (tokens,)
    choose (CandidateStrategy): Which spans to link.
    """

    words: Tensor
    choose: CandidateStrategy


class CorefOutput(NamedTuple):
    """Network output for a batch.

    selection (Selection): The spans that were linked.
    links (Links): Antecedents of each among those of its document.
    constituents (Tensor): Scores of every span in the second task, flat; no rows without one. Shape: (classes,
        layout.size)
    """

    selection: Selection
    links: Links
    constituents: Tensor

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from; none is computed from another."""
        return [*self.selection.marginals, self.constituents, self.links.scores]


class CorefHead(nn.Module):
    """Select mentions and link them.

    width (int): Width of the token vectors.
    settings (CorefSettings): All other sizes.
    """

    def __init__(self, *, width: int, settings: CorefSettings) -> None:
        super().__init__()
        self.sizes = {"width": width}
        self.settings = settings
        self.classes = CLASSES if settings.selector.learns_constituents else 0
        self.dropout = nn.Dropout(settings.dropout)
        self.span_scorer = make_span_scorer(
            settings.selector,
            width=width,
            hidden_width=settings.hidden_width,
            feature_width=settings.feature_width,
            dropout=settings.dropout,
            classes=self.classes,
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

    def forward(self, tokens: Tensor, layout: SpanLayout, request: CorefRequest) -> CorefOutput:
        """Score the spans of a batch, choose candidates, link them.

        tokens (Tensor): Vectors of the tokens of all documents. Shape: (tokens, width)
        layout (SpanLayout): Their sentences.
        request (CorefRequest): Words, and which spans to link.
        """
        tokens = self.dropout(tokens)
        selection, vectors, scores, constituents = select_spans(
            self.span_scorer,
            self.settings.selector,
            tokens,
            layout,
            request.choose,
            max_span_width=self.settings.max_span_width,
            classes=self.classes,
        )
        starts, ends = selection.spans.starts, selection.spans.ends
        mentions = Mentions(
            vectors=vectors,
            scores=scores[selection.candidates],
            document=layout.document[starts],
            words=span_hashes(request.words, starts, ends),
            last_word=request.words[ends],
        )
        return CorefOutput(selection, self.linker(mentions), constituents)
