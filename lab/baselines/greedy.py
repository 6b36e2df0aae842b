"""The greedy baseline: keep the highest-scoring spans, a fixed number per token (Lee et al. 2017, He et al. 2018).

One score ranks spans and counts in links or roles, and it learns from links or roles only. In coreference, where all
candidates s are linked,

    L = - sum over candidates s      log [ sum over gold antecedents m of p(m | s) ]

"no antecedent" being correct if no gold antecedent was kept. If annotation is complete, mentions that corefer with
nothing are known, but links do not tell them from other spans. So the score that ranks spans is also trained as the
logit of being a mention, for the candidates and the gold mentions (Xu and Choi 2020, their mention loss). In semantic
roles it learns from the roles of candidates, the null role among them; labelled spans learn as with other selectors.

The best spans of a ranking that do not cross each other are found in blocks: `greedy_spans`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.util import registry
from torch import Tensor

from spacy_span_selector.layers.coref.loss import CorefOutput, GoldMentions
from spacy_span_selector.layers.selection.candidates import CandidateStrategy, Decoding, TopPerSentence, in_text_order
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives
from spacy_span_selector.layers.selection.selectors import Marginals, Selector, independent_marginals
from spacy_span_selector.layers.spans.layout import SpanLayout
from spacy_span_selector.layers.srl.arguments import GoldFrames
from spacy_span_selector.layers.srl.network import SrlOutput
from spacy_span_selector.layers.srl.span_arguments import SpanArguments
from spacy_span_selector.signatures import checks_arguments

BLOCK = 256
"""Spans decided at once: all pairs in a block are compared, so not too many, but enough that there are few blocks."""

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class GreedySelector(Selector):
    """Select the highest-scoring spans.

    ratio (float): Spans per token.
    spans_may_cross (bool): Whether these are any spans of each sentence (He et al. 2018, for roles) or the spans of a
        document that do not cross (Lee et al. 2017, for coreference).
    """

    ratio: float = 0.4
    spans_may_cross: bool = False
    scores: ClassVar[int] = 1
    takes_bands: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.ratio < inf:
            raise ValueError(f"'ratio' of the greedy selector is {self.ratio}; it must be above 0 and finite.")

    def marginals(self, scores: Tensor, layout: SpanLayout) -> Marginals:
        """The sigmoid of each score: no probability of selection, but what the mention loss of coreference learns."""
        return independent_marginals(scores)

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        return TopPerSentence(self.ratio) if self.spans_may_cross else TopNonCrossing(self.ratio)

    def training_strategy(self, ratio: float) -> CandidateStrategy:
        return self.prediction_strategy("marginal", 0.0)

    def loss(self, output: Any, gold: Any, own_gold: Any, layout: SpanLayout, **settings: Any) -> Tensor:
        if isinstance(output, CorefOutput):
            return link_loss(output, gold, layout, settings["annotation"])
        if isinstance(output, SrlOutput) and isinstance(output.arguments, SpanArguments):
            output = replace(output, arguments=_OfRoles(**vars(output.arguments)))
        return super().loss(output, gold, own_gold, layout, **settings)


@registry.misc("lab.GreedySelector.v1")
@checks_arguments("'lab.GreedySelector.v1'")
def greedy_selector(ratio: float = 0.4, spans_may_cross: bool = False) -> GreedySelector:
    """Keep a fixed number of spans per token, as the paper's baselines: 0.4 that do not cross for coreference, 0.8 that
    may for semantic roles.

    RAISES (ValueError): If `ratio` is no number above 0.
    """
    return GreedySelector(ratio, spans_may_cross)


def link_loss(output: CorefOutput, gold: GoldMentions, layout: SpanLayout, annotation: Annotation) -> Tensor:
    """The loss of coreference, per candidate of an annotated document; see the top of this module."""
    clusters = gold.cluster_of_span(layout)[output.selection.candidates]
    learnt = gold.annotated[layout.document[output.selection.spans.starts]]
    antecedent, none, _ = output.link_log_likelihood(clusters)
    terms = [torch.where(output.gold_antecedents(clusters).any(dim=1), antecedent, none)[learnt]]
    if annotation == "complete":
        log_p, log_not_p = output.selection.marginals
        terms += [log_p[gold.flat_index(layout)], log_not_p[output.selection.candidates[learnt & (clusters < 0)]]]
    return -torch.cat(terms).sum() / learnt.sum().clamp(min=1)


class _OfRoles(SpanArguments):
    """Arguments whose loss is that of their roles."""

    def loss(self, gold: GoldFrames, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        learnt = gold.annotated[layout.document[self.selection.spans.starts]]
        return -self.log_likelihood(gold, gold.flat_index(layout))[learnt[self.pairs.left]].sum()


@dataclass(frozen=True)
class TopNonCrossing:
    """The highest-scoring spans of each document that do not cross (Lee et al. 2017).

    ratio (float): How many, per token of its sentences, rounded up.
    """

    ratio: float

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        flat = torch.nonzero(layout.valid() & (scores > -torch.inf)).squeeze(1)
        flat = flat[torch.argsort(scores[flat], descending=True, stable=True)]
        starts, ends = layout.locate(flat)
        document = layout.document[starts]
        by_document = torch.argsort(document, stable=True)
        columns = (document, layout.document[layout.row < layout.size], starts[by_document], ends[by_document])
        of_span, of_token, first, last = (column.cpu().numpy() for column in columns)
        counts, wanted = np.bincount(of_span), np.ceil(self.ratio * np.bincount(of_token)).astype(int)
        chosen, begin = [np.zeros(0, dtype=np.int64)], 0
        for count, number in zip(counts.tolist(), wanted.tolist(), strict=False):
            some = slice(begin, begin + count)
            offset = first[some].min(initial=len(layout.document))  # so that arrays are as long as the document
            chosen.append(begin + greedy_spans(first[some] - offset, last[some] - offset, number))
            begin += count
        return in_text_order(flat[by_document[torch.from_numpy(np.concatenate(chosen)).to(flat.device)]], layout)


def greedy_spans(starts: Indices, ends: Indices, wanted: int) -> Indices:
    """Find the best spans of a ranking that do not cross each other.

    Two spans cross if they overlap and neither contains the other.

    starts, ends (NDArray[np.int64]): First and last token of each span, the best span first. Shape: (spans,)
    wanted (int): The number of spans to keep. Fewer are kept if the ranking has fewer that do not cross.
    RETURNS (NDArray[np.int64]): Their ranks, ascending. Shape: (kept,)
    """
    tokens = int(ends.max()) + 1 if len(ends) else 0
    last_end = np.full(tokens, -1)  # of the kept spans that start at each token
    first_start = np.full(tokens, tokens)  # of the kept spans that end at each token
    kept: list[Indices] = []
    missing = wanted
    for begin in range(0, len(starts), BLOCK):
        if missing <= 0:
            break
        start, end = starts[begin : begin + BLOCK], ends[begin : begin + BLOCK]
        open_spans = np.flatnonzero(~_crosses_kept(start, end, last_end, first_start))
        chosen = open_spans[_decide(start[open_spans], end[open_spans])][:missing]
        np.maximum.at(last_end, start[chosen], end[chosen])
        np.minimum.at(first_start, end[chosen], start[chosen])
        kept.append(begin + chosen)
        missing -= len(chosen)
    return np.concatenate([np.zeros(0, dtype=np.int64), *kept])


def _crosses_kept(start: Indices, end: Indices, last_end: Indices, first_start: Indices) -> Mask:
    """Mark the spans that cross a kept one: one that starts inside and ends after them, or the mirror image.

    start, end (NDArray[np.int64]): First and last token of each span. Shape: (spans,)
    last_end, first_start (NDArray[np.int64]): Of the kept spans that start, or end, at each token. Shape: (tokens,)
    RETURNS (NDArray[np.bool_]): A mask. Shape: (spans,)
    """
    widths = end - start + 1
    first = np.cumsum(widths) - widths
    inside = np.repeat(start - first, widths) + np.arange(widths.sum())  # the tokens of each span, concatenated
    # A span that starts at the first token, or ends at the last, is nested and does not cross.
    behind, before = last_end[inside], first_start[inside]
    behind[first] = -1
    before[first + widths - 1] = len(first_start)
    result: Mask = (np.maximum.reduceat(behind, first) > end) | (np.minimum.reduceat(before, first) < start)
    return result


def _decide(start: Indices, end: Indices) -> Mask:
    """Mark the spans of a ranking that are kept, if none crosses a span kept earlier. Shape: (spans,)"""
    starts_inside = (start[:, None] < start) & (start <= end[:, None])  # [left, right]: right starts inside left
    crosses = starts_inside & (end > end[:, None])
    better = np.triu(crosses | crosses.T)  # [better, worse]
    kept = np.zeros(len(start), dtype=bool)
    undecided = np.ones(len(start), dtype=bool)
    while undecided.any():
        now = undecided & ~better[undecided].any(axis=0)
        kept |= now
        undecided &= ~now & ~better[now].any(axis=0)
    return kept
