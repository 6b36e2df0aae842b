"""Selectors: from the scores of all spans of a batch to the spans that are selected, in training and at prediction.

A selector answers every question about itself, so that nothing else asks which one it is. A new one is a class here,
its entry in `models/selectors.py` and its line in `setup.cfg`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from math import inf
from typing import ClassVar, NamedTuple, TypeGuard, TypeVar

from torch import Tensor, cat
from torch.nn.functional import logsigmoid

from ...wcfg import LAMINAR, LAMINAR_BAND, TREES, Grammar
from ..spans.layout import SpanLayout
from .candidates import (
    AboveThreshold,
    CandidateStrategy,
    Decode,
    Decoding,
    LikelyAndGold,
    NoSpans,
    Pruning,
    TopNonCrossing,
)
from .gold import GoldSpans

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


class Selector(ABC):
    """How mentions or arguments are found.

    has_probabilities (bool): Whether the probabilities of spans are learnt. If not, spans are learnt only from the
        links or roles of those that are kept.
    learns_constituents (bool): Whether the network also learns which spans are constituents.
    takes_bands (bool): Whether wide spans may be left out of the charts of long sentences, so that time and memory grow
        with their length. Otherwise these are cut.
    """

    has_probabilities: ClassVar[bool]
    learns_constituents: ClassVar[bool] = False
    takes_bands: ClassVar[bool] = False

    @property
    def constituent_weight(self) -> float:
        """What the loss of constituents is multiplied by."""
        return 0.0

    @property
    @abstractmethod
    def spans_may_cross(self) -> bool:
        """Whether selected spans may cross each other; if not, they are nodes of one tree per sentence."""

    @abstractmethod
    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        """Which spans are kept at prediction.

        decoding (Literal["marginal", "map"]): Which set of spans is the best one, for selectors that score sets.
        threshold (float): The least probability of a span, for selectors with probabilities.
        """

    @abstractmethod
    def training_strategy(self, gold: GoldSpans, ratio: float, add_gold: bool) -> CandidateStrategy:
        """Which spans are linked or classified in training.

        gold (GoldSpans): The annotation of the batch.
        ratio (float): Spans per token, for selectors that have no ratio of their own.
        add_gold (bool): Whether gold spans are always among them; not used by the greedy selectors.
        """

    def own_setting(self, threshold: float) -> tuple[str, float] | None:
        """Name and value of the setting that decides how many spans are kept at prediction; None if none are.

        threshold (float): As for `prediction_strategy`.
        """
        return "threshold", threshold

    def strategy_at(self, value: float) -> CandidateStrategy:
        """Which spans are kept at prediction with another value of this setting."""
        return self.prediction_strategy("marginal", value)

    def for_task(self: Kind, *, ratio: float, pruning: Pruning) -> Kind:
        """The selector with what its config leaves to the task.

        ratio (float): Spans per token that greedy selection keeps in this task by default.
        pruning (Pruning): How greedy selection prunes in this task.
        """
        return self


class SpanSelector(Selector):
    """A selector of scored spans."""

    @abstractmethod
    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """The probability of every span; values in padding are meaningless.

        scores (Tensor): Score of every span, flat. Shape: (layout.size,)
        layout (SpanLayout): The sentences of the batch.
        """

    def confidence(self, scores: Tensor, log_p: Tensor) -> Tensor:
        """What is reported as the score of selected spans, from 0 to 1. Shape: (spans,)

        scores, log_p (Tensor): Their scores and log probabilities. Shape: (spans,)
        """
        return log_p.exp()


class ProbabilisticSelector(SpanSelector):
    """A selector that learns probabilities: in training, the most probable spans are linked or classified."""

    has_probabilities = True

    def training_strategy(self, gold: GoldSpans, ratio: float, add_gold: bool) -> CandidateStrategy:
        return LikelyAndGold(gold, ratio, add_gold)


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
class GreedySelector(SpanSelector):
    """The highest-scoring spans, a fixed number per token: non-crossing spans of a document for coreference (Lee et al.
    2017), any spans of a sentence for semantic roles (He et al. 2018). It learns from links or roles alone.

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

    def training_strategy(self, gold: GoldSpans, ratio: float, add_gold: bool) -> CandidateStrategy:
        return self.prediction_strategy("marginal", 0.0)

    def own_setting(self, threshold: float) -> tuple[str, float] | None:
        return None if self.ratio is None else ("ratio", self.ratio)

    def strategy_at(self, value: float) -> CandidateStrategy:
        return self.pruning(value)


@dataclass(frozen=True)
class MultitaskSelector(GreedySelector):
    """Greedy, and the network also learns which spans are noun phrases, other constituents, or neither (Swayamdipta et
    al. 2018). Constituents come from `doc.spans["constituents"]` of the training corpus; prediction needs none.

    weight (float): What the loss of this second task is multiplied by.
    """

    weight: float = 0.1
    learns_constituents: ClassVar[bool] = True

    @property
    def constituent_weight(self) -> float:
        return self.weight

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.weight < inf:
            raise ValueError(f"'weight' of the multitask selector is {self.weight}; it must be at least 0, and finite.")


@dataclass(frozen=True)
class BioSelector(Selector):
    """Selects no spans: tokens are tagged, once for each predicate. For semantic roles alone."""

    has_probabilities = False
    spans_may_cross = True

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        return NoSpans()

    def training_strategy(self, gold: GoldSpans, ratio: float, add_gold: bool) -> CandidateStrategy:
        return NoSpans()

    def own_setting(self, threshold: float) -> tuple[str, float] | None:
        return None


def independent_marginals(scores: Tensor) -> Marginals:
    """The log probabilities of independent spans.

    scores (Tensor): The logit of each probability. Shape: (layout.size,)
    """
    return Marginals(logsigmoid(scores), logsigmoid(-scores))


def selects_spans(selector: Selector) -> TypeGuard[SpanSelector]:
    """Whether a selector scores spans at all."""
    return isinstance(selector, SpanSelector)


def check_selector(selector: Selector, model: str, *, tags: bool, constituents: bool) -> None:
    """Check that a model can use a selector.

    selector (Selector): The selector.
    model (str): Name of the model, for the message.
    tags (bool): Whether the model can tag tokens instead of selecting spans.
    constituents (bool): Whether the model has the second task of constituents.
    RAISES (ValueError): If it cannot.
    """
    problem = ""
    if not isinstance(selector, Selector):
        problem = "which is no selector of this package"
    elif not selects_spans(selector) and not tags:
        problem = "which selects no spans"
    elif selector.learns_constituents and not constituents:
        problem = "but the model has no second task"
    if problem:
        raise ValueError(
            f"'selector' of the {model} model is {selector!r}, {problem}. "
            "Use spacy_span_selector.LaminarSelector.v1 instead."
        )
