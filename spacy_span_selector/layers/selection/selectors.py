"""Selectors: from the scores of all spans of a batch to the spans that are selected, in training and at prediction.

A selector answers every question about itself, so that nothing else asks which one it is. A new one is a class here,
its entry in `models/selectors.py` and its line in `setup.cfg`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, cat
from torch.nn.functional import logsigmoid

from ...wcfg import LAMINAR, LAMINAR_BAND, TREES, Grammar
from ..spans.layout import Lengths, SpanLayout, Spans
from .candidates import AboveThreshold, CandidateStrategy, Decode, Decoding, MostProbable

LOG_ZERO = -1e9
"""A log probability of what is impossible."""

MOST_SPANS = 5.0
"""The most independent spans that are kept, per token of a sentence: all those of nine tokens. Sets of spans that do
not cross have fewer than two, and trained pipelines keep less than one."""


class Marginals(NamedTuple):
    """Log probabilities of every span of a batch, flat; values in padding are meaningless.

    selected (Tensor): log p(span is selected). Shape: (layout.size,)
    unselected (Tensor): log(1 - p), which losses read; a grammar leaves it empty in inference mode.
        Shape: (layout.size,) or (0,)
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
    types (Tensor | None): log p(type | span is selected) for every span, likewise; None if spans have no types.
        Shape: (types, layout.size or candidates)
    """

    scores: Tensor
    marginals: Marginals
    auxiliary: Tensor
    candidates: Tensor
    spans: Spans
    types: Tensor | None = None

    def probabilities(self) -> Tensor:
        """The probability of each selected span. Shape: (candidates,)"""
        return self.marginals.selected[self.candidates].exp()

    def type_probabilities(self) -> Tensor:
        """The probability that each selected span is selected with each type. Shape: (candidates, types)"""
        probabilities = self.probabilities()[:, None]
        if self.types is None:
            return probabilities[:, :0]
        return probabilities * self.types[:, self.candidates].T.exp()

    def tensors(self) -> list[Tensor]:
        """The tensors that losses are computed from."""
        types = [] if self.types is None else [self.types]
        return [*self.marginals, *types, *([self.auxiliary] if len(self.auxiliary) else [])]

    def log_selected(self, flat: Tensor, types: Tensor | None) -> Tensor:
        """log p(span is selected, with one of its types). Shape: (spans,)

        types (Tensor | None): Which types each span may have; None for any. Shape: (spans, types)
        """
        selected = self.marginals.selected[flat]
        return selected if self.types is None or types is None else selected + self._log_among(flat, types)

    def log_unless(self, flat: Tensor, types: Tensor | None) -> Tensor:
        """log p(span is not selected, or with none of some types). Shape: (spans,)

        types (Tensor | None): These types; None for all. Shape: (spans, types)
        """
        unselected = self.marginals.unselected[flat]
        if self.types is None or types is None or bool(types.all()):
            return unselected
        return torch.logaddexp(unselected, self.marginals.selected[flat] + self._log_among(flat, ~types))

    def _log_among(self, flat: Tensor, types: Tensor) -> Tensor:
        """log p(type is among these | span is selected). Shape: (spans,)"""
        assert self.types is not None
        # No -inf, whose gradient would be NaN where no type is left.
        return self.types[:, flat].masked_fill(~types.T, LOG_ZERO).logsumexp(0)


@dataclass(frozen=True)
class GoldTypes:
    """The types of gold spans, and of which types all spans are annotated; None of what is not restricted.

    of_spans (Tensor | None): The types that each gold span may have, one if annotation tells. Shape: (spans, types)
    declared (Tensor | None): The types that each document is annotated for. Shape: (documents, types)
    """

    of_spans: Tensor | None = None
    declared: Tensor | None = None

    def declared_of(self, flat: Tensor, layout: SpanLayout) -> Tensor | None:
        """The types that the document of each span is annotated for. Shape: (spans, types)"""
        if self.declared is None:
            return None
        starts, _ = layout.locate(flat)
        return self.declared[layout.document[starts]]


ANY_TYPES = GoldTypes()


class Selector(ABC):
    """Select mentions or arguments among the spans of each sentence.

    A selector may learn in a way of its own: it asks for `auxiliary_scores` of each span, reads gold annotation for
    them (`read_gold`), and has another `loss`.

    scores (int): The number of scores that the span scorer gives each span, without auxiliary ones: one that it is
        selected by, and one that counts in links or roles; 1 if the same does both.
    takes_bands (bool): Whether wide spans may be left out of the charts of long sentences, so that time and memory grow
        with their length. Otherwise these are cut.
    auxiliary_scores (int): How many more it gives each span, for the selector's own loss.
    """

    scores: ClassVar[int] = 2
    takes_bands: ClassVar[bool] = False
    auxiliary_scores: ClassVar[int] = 0

    @property
    @abstractmethod
    def spans_may_cross(self) -> bool:
        """True if selected spans may cross each other; if not, they are nodes of one tree per sentence."""

    @abstractmethod
    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """Compute the probability of every span from its score, both flat. Shape: (layout.size,)"""

    @abstractmethod
    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        """Make the strategy that chooses spans at prediction; `decoding` is for selectors that score sets of spans."""

    def training_strategy(self, ratio: float) -> CandidateStrategy:
        """Make the strategy that chooses the spans to link or classify in training, so many per token."""
        return MostProbable(ratio)

    def check_examples(self, examples: Sequence[Any], component: str) -> None:
        """Raise a ValueError, which names the component, if training examples lack what the selector learns."""
        return None

    def read_gold(
        self, examples: Sequence[Any], sentences: Sequence[Lengths], max_width: int | None, device: torch.device
    ) -> Any:
        """Read what the selector itself wants to know of the gold annotation of a batch: the `own_gold` of `loss`.

        max_width (int | None): The greatest number of tokens of a span, None for no limit.
        """
        return None

    def loss(self, output: Any, gold: Any, own_gold: Any, layout: SpanLayout, **settings: Any) -> Tensor:
        """Compute the loss of a batch, a scalar: that of its task, of the output of the network.

        gold, own_gold (Any): The gold annotation of the task, and what `read_gold` returned.
        """
        return output.loss(gold, layout, **settings)


class GrammarSelector(Selector):
    """A grammar over sets of non-crossing spans, and the same for charts that are bands."""

    grammar: ClassVar[Grammar]
    band_grammar: ClassVar[Grammar]
    spans_may_cross = False

    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """The marginals of the grammar, sentence by sentence (the paper, eq. 9)."""
        if not layout.buckets:
            return Marginals(scores, scores)
        both = not torch.is_inference_mode_enabled()
        grammars = [self.band_grammar if bucket.is_band else self.grammar for bucket in layout.buckets]
        rows = zip(grammars, layout.buckets, strict=True)
        charts = [grammar.log_marginals(bucket.chart(scores), bucket.lengths, both) for grammar, bucket in rows]
        return Marginals(*(cat([chart.flatten() for chart in column]) for column in zip(*charts, strict=True)))

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
class SigmoidSelector(Selector):
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
        return independent_marginals(scores)

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        return Decode(decoding, threshold) if self.non_crossing else AboveThreshold(threshold, most=MOST_SPANS)


def independent_marginals(scores: Tensor) -> Marginals:
    """The log probabilities of independent spans, of which scores are the logits. Shape: (layout.size,)"""
    return Marginals(logsigmoid(scores), logsigmoid(-scores))
