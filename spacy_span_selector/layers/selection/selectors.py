"""Selectors: from the scores of all spans of a batch to the spans that are selected, in training and at prediction.

A selector answers every question about itself, so that nothing else asks which one it is. A new one is a class here,
its entry in `models/selectors.py` and its line in `setup.cfg`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, ClassVar, NamedTuple, TypeVar

import torch
from torch import Tensor, cat
from torch.nn.functional import logsigmoid

from ...wcfg import LAMINAR, LAMINAR_BAND, TREES, Grammar
from ..spans.layout import Runs, SpanLayout, Spans
from .candidates import AboveThreshold, CandidateStrategy, Decode, Decoding, MostProbable, Pruning, TopNonCrossing

MOST_SPANS = 5.0
"""The most independent spans that are kept, per token of a sentence: all those of nine tokens. Sets of spans that do
not cross have fewer than two, and trained pipelines keep less than one."""

Kind = TypeVar("Kind", bound="Selector")


class Marginals(NamedTuple):
    """Log probabilities of every span of a batch, flat; values in padding are meaningless.

    selected (Tensor): log p(span is selected). Shape: (layout.size,)
    unselected (Tensor): log(1 - p). Shape: (layout.size,)
    """

    selected: Tensor
    unselected: Tensor


class Selection(NamedTuple):
    """The selected spans of a batch, and the scores that they were selected by.

    scores (Tensor): Score of every span, flat; only of the selected ones if they were selected block by block.
        Shape: (layout.size,) or (candidates,)
    marginals (Marginals): Probability of every span, or of every selected one, likewise.
    auxiliary (Tensor): Scores for the selector's own loss, likewise. Shape: (auxiliary_scores, layout.size or
        candidates)
    candidates (Tensor): Where each selected span is in these, in the order of the text. Shape: (candidates,)
    spans (Spans): Their tokens.
    """

    scores: Tensor
    marginals: Marginals
    auxiliary: Tensor
    candidates: Tensor
    spans: Spans

    def confidence(self, selector: Selector) -> Tensor:
        """The score that the selector reports for each selected span, from 0 to 1. Shape: (candidates,)"""
        return selector.confidence(self.scores[self.candidates], self.marginals.selected[self.candidates])

    def tensors(self) -> list[Tensor]:
        """The tensors that losses are computed from."""
        return [*self.marginals, *([self.auxiliary] if len(self.auxiliary) else [])]


class Selector(ABC):
    """Select mentions or arguments among the spans of each sentence.

    A selector may learn a task of its own beside: it asks for `auxiliary_scores` of each span, reads gold annotation
    for them (`read_gold`), and adds a loss (`own_loss`).

    has_probabilities (bool): Whether the probabilities of spans are learnt. If not, spans are learnt only from the
        links or roles of those that are kept.
    takes_bands (bool): Whether wide spans may be left out of the charts of long sentences, so that time and memory grow
        with their length. Otherwise these are cut.
    auxiliary_scores (int): The number of scores that the span scorer gives each span for the selector's own loss.
    """

    has_probabilities: ClassVar[bool]
    takes_bands: ClassVar[bool] = False
    auxiliary_scores: ClassVar[int] = 0

    @property
    @abstractmethod
    def spans_may_cross(self) -> bool:
        """True if selected spans may cross each other; if not, they are nodes of one tree per sentence."""

    @abstractmethod
    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """Compute the probability of every span; values in padding are meaningless.

        scores (Tensor): Score of every span, flat. Shape: (layout.size,)
        layout (SpanLayout): The sentences of the batch.
        """

    @abstractmethod
    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        """Make the strategy that chooses spans at prediction.

        decoding (Literal["marginal", "map"]): Which set of spans is the best one, for selectors that score sets.
        threshold (float): The least probability of a span, for selectors with probabilities.
        """

    @abstractmethod
    def training_strategy(self, ratio: float) -> CandidateStrategy:
        """Make the strategy that chooses the spans to link or classify in training.

        ratio (float): Spans per token, for selectors that have no ratio of their own.
        """

    def own_setting(self, threshold: float) -> tuple[str, float] | None:
        """Name and value of the setting that decides how many spans are kept at prediction; None if none are.

        threshold (float): As for `prediction_strategy`.
        """
        return "threshold", threshold

    def strategy_at(self, value: float) -> CandidateStrategy:
        """Make the strategy of prediction with another value of this setting."""
        return self.prediction_strategy("marginal", value)

    def for_task(self: Kind, *, ratio: float, pruning: Pruning) -> Kind:
        """Fill in what a config leaves to the task.

        ratio (float): Spans per token that greedy selection keeps in this task by default.
        pruning (Pruning): How greedy selection prunes in this task.
        """
        return self

    def confidence(self, scores: Tensor, log_p: Tensor) -> Tensor:
        """The reported score of selected spans, from 0 to 1. Shape: (spans,)

        scores, log_p (Tensor): Their scores and log probabilities. Shape: (spans,)
        """
        return log_p.exp()

    def check_examples(self, examples: Sequence[Any], component: str) -> None:
        """Check before training that there is gold annotation for the selector's own loss.

        examples (Sequence[Example]): The training examples.
        component (str): Name of the component, for messages.
        RAISES (ValueError): If there is none.
        """
        return None

    def read_gold(
        self, examples: Sequence[Any], sentences: Sequence[Runs], max_width: int | None, device: torch.device
    ) -> Any:
        """Read the gold annotation of a batch for the selector's own loss.

        examples (Sequence[Example]): The examples. Their predicted documents have no white space.
        sentences (Sequence[Runs]): The sentences of the predicted documents.
        max_width (int | None): The greatest number of tokens of a span, None for no limit.
        device (torch.device): Where tensors go.
        RETURNS (Any): The argument `gold` of `own_loss`.
        """
        return None

    def own_loss(self, selection: Selection, gold: Any, layout: SpanLayout) -> Tensor | float:
        """Compute a loss of the selector's own, which is added to that of the component.

        selection (Selection): The output of the network.
        gold (Any): From `read_gold`.
        layout (SpanLayout): The sentences of the batch.
        RETURNS (Tensor | float): A scalar.
        """
        return 0.0


class ProbabilisticSelector(Selector):
    """A selector that learns probabilities: in training, the most probable spans are linked or classified."""

    has_probabilities = True

    def training_strategy(self, ratio: float) -> CandidateStrategy:
        return MostProbable(ratio)


class GrammarSelector(ProbabilisticSelector):
    """A grammar over sets of non-crossing spans.

    grammar (Grammar): The grammar.
    band_grammar (Grammar): The same for charts that are bands.
    """

    grammar: ClassVar[Grammar]
    band_grammar: ClassVar[Grammar]
    spans_may_cross = False

    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """The marginals of the grammar, sentence by sentence (the paper, eq. 9)."""
        if not layout.buckets:
            return Marginals(scores, scores)
        charts = [
            (self.band_grammar if bucket.is_band else self.grammar).log_marginals(bucket.chart(scores), bucket.lengths)
            for bucket in layout.buckets
        ]
        selected, unselected = (cat([chart.flatten() for chart in column]) for column in zip(*charts, strict=True))
        return Marginals(selected, unselected)

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        return Decode(decoding, threshold)


@dataclass(frozen=True)
class StructuredSelector(GrammarSelector):
    """The grammar of the paper: a set of spans counts once for each binary tree that contains it."""

    grammar = TREES


@dataclass(frozen=True)
class LaminarSelector(GrammarSelector):
    """Each set of spans counts once: a span that no other crosses has the sigmoid of its score."""

    grammar = LAMINAR
    band_grammar = LAMINAR_BAND
    takes_bands = True


@dataclass(frozen=True)
class SigmoidSelector(ProbabilisticSelector):
    """Each span independently, with the losses of the structured selector: the baseline that ignores crossing.

    non_crossing (bool): Whether the best non-crossing set of spans is kept at prediction, as by a selector with a
        grammar, instead of every span whose probability is above the threshold, up to `MOST_SPANS` per token.
    """

    takes_bands: ClassVar[bool] = True
    non_crossing: bool = False

    @property
    def spans_may_cross(self) -> bool:
        return not self.non_crossing

    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """The sigmoid of each score."""
        return independent_marginals(scores)

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        return Decode(decoding, threshold) if self.non_crossing else AboveThreshold(threshold, most=MOST_SPANS)


@dataclass(frozen=True)
class GreedySelector(Selector):
    """The highest-scoring spans, a fixed number per token: non-crossing spans of a document for coreference (Lee et al.
    2017), any spans of a sentence for semantic roles (He et al. 2018). It learns only from links or roles.

    ratio (float | None): Spans per token; None for the default of the task.
    pruning (Pruning): Which of the highest-scoring spans are kept; set by the task.
    """

    ratio: float | None = None
    pruning: Pruning = field(default=TopNonCrossing, repr=False, compare=False, kw_only=True)
    has_probabilities: ClassVar[bool] = False
    takes_bands: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.ratio is not None and not 0 < self.ratio < inf:
            raise ValueError(f"'ratio' of the greedy selector is {self.ratio}; it must be above 0 and finite, or null.")

    @property
    def spans_may_cross(self) -> bool:
        return self.pruning.spans_may_cross

    def for_task(self, *, ratio: float, pruning: Pruning) -> GreedySelector:
        return replace(self, ratio=ratio if self.ratio is None else self.ratio, pruning=pruning)

    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """The sigmoid of each score: no probability of selection, but what the mention loss of coreference learns."""
        return independent_marginals(scores)

    def confidence(self, scores: Tensor, log_p: Tensor) -> Tensor:
        return scores.sigmoid()

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        if self.ratio is None:
            raise ValueError("The greedy selector has no ratio. Set 'ratio', or let a model set it with `for_task`.")
        return self.pruning(self.ratio)

    def training_strategy(self, ratio: float) -> CandidateStrategy:
        return self.prediction_strategy("marginal", 0.0)

    def own_setting(self, threshold: float) -> tuple[str, float] | None:
        return None if self.ratio is None else ("ratio", self.ratio)

    def strategy_at(self, value: float) -> CandidateStrategy:
        return self.pruning(value)


def independent_marginals(scores: Tensor) -> Marginals:
    """The log probabilities of independent spans.

    scores (Tensor): The logit of each probability. Shape: (layout.size,)
    """
    return Marginals(logsigmoid(scores), logsigmoid(-scores))
