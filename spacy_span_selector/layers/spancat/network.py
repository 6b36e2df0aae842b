"""The network of labelled spans behind the token vectors: selection by a grammar, and labels of each span.

Labels that exclude each other are types of the selector. With the labels T that its annotation allows a gold span, and
those D that are declared in its document, the training objective, as a loss to minimise, is

    L = - sum over gold spans s      log p(s, label in T)
        - sum over other spans s     log [ 1 - p(s, label in D) ]

At prediction each span has the label that is most probable.

With a classifier of labels, a span may have several: it is selected with probability p(s), and then has label l with
probability q(l | s), whatever its other labels are. The training objective is

    L = - sum over gold spans s      [ log p(s) + sum over labels l of log q(l is right or wrong, as annotated | s) ]
        - sum over other spans s     log (1 - p(s))

"Other spans" are the candidates that are not gold, if annotation is complete, and a random sample of all spans that are
not. If it is partial, a candidate that is not gold may be a span of interest, and nothing is learnt from it.

At prediction the set is then kept whose labelled spans are right as often as can be expected, each costing the
threshold t (Goodman 1996): no spans of it cross, and span s adds

    sum over labels l of max(0, p(s) q(l | s) - t)

Or, with "map", the most probable set of spans with their labels, each having one at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from pydantic.dataclasses import dataclass as settings_class
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from ...signatures import CHECKED
from ...wcfg import heaviest_set
from ..selection.candidates import CandidateStrategy, Decoding
from ..selection.network import NEW, NetworkSettings, SelectingHead, Size, grow_output, make_span_scorer
from ..selection.sampling import Annotation, Negatives
from ..selection.selectors import LOG_ZERO, GoldTypes, Selection, Selector
from ..selection.teaching import cross_entropy, selection_loss
from ..spans.layout import SpanLayout, Spans


@settings_class(frozen=True, kw_only=True, config=CHECKED)
class SpancatSettings(NetworkSettings):
    """Sizes of the network.

    label_hidden_width (int | None): Hidden layer of the classifier of labels, which may give a span several; None for
        labels that exclude each other, of which a corpus may annotate some alone.
    """

    label_hidden_width: Size | None = 512


@dataclass(frozen=True)
class SpancatRequest:
    """Input of the network beside token vectors and layout.

    labelled (Spans | None): The spans that a classifier labels; None for those that were selected.
    types (Sequence[int] | None): The numbers of the labels that are predicted; None for all.
    """

    choose: CandidateStrategy
    labelled: Spans | None = None
    types: Sequence[int] | None = None


@dataclass(frozen=True)
class GoldLabels:
    """Gold spans with their labels. No span occurs twice.

    labels (Tensor): Which labels each has, or of those that exclude each other may have, 1 or 0. Shape: (spans, labels)
    annotated (Tensor): Which documents are annotated; the others are ignored in training. Shape: (documents,)
    declared (Tensor | None): The labels that each is annotated for; None for all. Shape: (documents, labels)
    """

    spans: Spans
    labels: Tensor
    annotated: Tensor
    declared: Tensor | None = None


class FoundLabels(NamedTuple):
    """The labelled spans of a batch, by start, end and label.

    starts, ends (Tensor): First and last token of each. Shape: (found,)
    labels (Tensor): Number of its label, from 0. Shape: (found,)
    scores (Tensor): Probability that the span is selected and has the label. Shape: (found,)
    """

    starts: Tensor
    ends: Tensor
    labels: Tensor
    scores: Tensor


class SpancatOutput(NamedTuple):
    """Network output for a batch.

    selection (Selection): The selected spans; at prediction all that are worth it, whether they cross or not.
    labels (Tensor | None): The logit of each label of each selected span, or of each span of the request; None without
        a classifier. Shape: (spans, labels)
    """

    selection: Selection
    labels: Tensor | None

    def tensors(self) -> list[Tensor]:
        """The tensors that the loss is computed from; none is computed from another."""
        return [*self.selection.tensors(), *([] if self.labels is None else [self.labels])]

    def loss(self, gold: GoldLabels, layout: SpanLayout, *, annotation: Annotation, negatives: Negatives) -> Tensor:
        """The training objective, per candidate of an annotated document; see the top of this module."""
        selection, types = self.selection, GoldTypes(gold.labels > 0, gold.declared)
        gold_flat = layout.flat_index(gold.spans.starts, gold.spans.ends)
        is_gold = torch.zeros(layout.size, dtype=torch.bool, device=gold_flat.device)
        is_gold[gold_flat] = True
        candidates = selection.candidates
        learnt = gold.annotated[layout.document[selection.spans.starts]]
        sampled = negatives.draw(is_gold, gold_flat, gold.annotated, layout)
        terms = [selection.log_selected(gold_flat, types.of_spans)]
        if self.labels is not None:
            terms.append(logsigmoid(torch.where(gold.labels > 0, self.labels, -self.labels)).flatten())
        others = [sampled, *([candidates[learnt & ~is_gold[candidates]]] if annotation == "complete" else [])]
        terms += [selection.log_unless(flat, types.declared_of(flat, layout)) for flat in others]
        return -torch.cat(terms).sum() / learnt.sum().clamp(min=1)

    def taught_loss(self, told: SpancatOutput, layout: SpanLayout, labels: Sequence[int]) -> Tensor:
        """The loss by what a teacher says of the same spans, per candidate; see `selection/teaching.py`."""
        loss = selection_loss(self.selection, told.selection, layout, labels)
        if self.labels is not None and told.labels is not None:
            has = told.labels[:, list(labels)].sigmoid()
            loss = loss + cross_entropy(has, logsigmoid(self.labels)) + cross_entropy(1 - has, logsigmoid(-self.labels))
        return loss / max(1, len(self.selection.candidates))

    def decode(self, selector: Selector, decoding: Decoding, threshold: float) -> FoundLabels:
        """The best set of labelled spans, by `decoding` (see the top of this module), without crossing ones unless the
        selector lets spans cross."""
        spans = self.selection.spans
        if self.labels is None:
            scores, labels = self.selection.type_probabilities().max(dim=1)
            return FoundLabels(spans.starts, spans.ends, labels, scores)
        logits = self.labels.double()
        # What a span adds depends on the labels that it would have, so these are chosen first, then the spans.
        joint = self.selection.probabilities().double()[:, None] * logits.sigmoid()
        is_best = torch.zeros_like(joint, dtype=torch.bool)
        if logits.shape[1]:
            is_best[torch.arange(len(joint), device=joint.device), logits.argmax(dim=1)] = True
        if decoding == "map":
            # A selected span has a label: its best one, however improbable that is.
            has = is_best | (logits > 0)
            scores = self.selection.scores[self.selection.candidates].double()
            weights = scores + logsigmoid(torch.where(has, logits, -logits)).sum(dim=1)
        else:
            has = joint > threshold
            weights = ((joint - threshold) * has).sum(dim=1)
        kept = torch.nonzero(weights > 0).squeeze(1)
        if not selector.spans_may_cross:
            columns = spans.starts[kept], spans.ends[kept] + 1, weights[kept]
            heaviest = heaviest_set(*(column.cpu().numpy() for column in columns))
            kept = kept[torch.from_numpy(heaviest).to(kept.device)]
        row, label = torch.nonzero(has[kept], as_tuple=True)
        span = kept[row]
        return FoundLabels(spans.starts[span], spans.ends[span], label, joint[span, label])


class SpancatHead(SelectingHead):
    """Select spans and score their labels."""

    def __init__(self, *, width: int, labels: int, settings: SpancatSettings) -> None:
        super().__init__()
        self.sizes = {"width": width, "labels": labels}
        self.settings = settings
        self.dropout = nn.Dropout(settings.dropout)
        self.types = labels if settings.label_hidden_width is None else 0
        self.span_scorer = make_span_scorer(settings, width, self.types)
        if settings.label_hidden_width is not None:
            self.hidden = nn.Linear(self.span_scorer.vector_width, settings.label_hidden_width)
            self.output = nn.Linear(settings.label_hidden_width, labels)

    def grow(self, labels: int) -> None:
        """Take so many labels, new ones last. The weights of the others stay, but their optimizer must start again."""
        known = self.sizes["labels"]
        if self.types:
            self.grow_types(labels)
        else:
            self.output = grow_output(self.output, [*range(known), *[NEW] * (labels - known)])
        self.sizes["labels"] = labels

    def forward(self, tokens: Tensor, layout: SpanLayout, request: SpancatRequest) -> SpancatOutput:
        """Choose spans of a batch, given by its token vectors, and score labels. Shape: (tokens, width)"""
        tokens = self.dropout(tokens)
        selection, vectors, _ = self.select(tokens, layout, request.choose, request.types)
        if self.types:
            return SpancatOutput(selection, None)
        if request.labelled is not None:
            vectors = self.span_scorer.represent(tokens, request.labelled.starts, request.labelled.ends)
        labels = self.output(self.dropout(torch.relu(self.hidden(vectors))))
        if request.types is not None:
            other = [label for label in range(labels.shape[1]) if label not in request.types]
            labels[:, other] = LOG_ZERO
        return SpancatOutput(selection, labels)
