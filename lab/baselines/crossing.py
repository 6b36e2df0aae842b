"""The sigmoid selector, taught what a grammar knows without being taught: a span that crosses a gold one is none.

If a grammar learns more from partial annotation because each gold span rules out all that cross it, a selector of
independent spans should catch up once these are negatives of its own. This one has a loss for them, beside the usual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import torch
from spacy.training import Example
from spacy.util import registry
from torch import Tensor

from spacy_span_selector.annotation import get_clusters, get_frames
from spacy_span_selector.examples.alignment import SpanAligner
from spacy_span_selector.layers.selection.selectors import SigmoidSelector
from spacy_span_selector.layers.spans.layout import Lengths, SpanLayout, Spans
from spacy_span_selector.signatures import checks_arguments


@dataclass(frozen=True)
class CrossingSelector(SigmoidSelector):
    """Each span independently; those that cross a gold one are learnt as negatives.

    weight (float): What their loss is multiplied by: the sum of -log(1 - p) over all of them, per token of the batch.
    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.weight < inf:
            raise ValueError(f"'weight' of the crossing selector is {self.weight}; it must be at least 0, and finite.")

    def read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], max_width: int | None, device: torch.device
    ) -> Spans:
        return gold_spans(examples, sentences, max_width, device)

    def loss(self, output: Any, gold: Any, own_gold: Spans, layout: SpanLayout, **settings: Any) -> Tensor:
        """The usual loss, and that of the spans that cross a gold one."""
        of_task = super().loss(output, gold, None, layout, **settings)
        of_crossing = output.selection.marginals.unselected[crossing_spans(own_gold, layout)].sum()
        return of_task - self.weight * of_crossing / max(1, len(layout.document))


@registry.misc("lab.CrossingSelector.v1")
@checks_arguments("'lab.CrossingSelector.v1'")
def crossing_selector(non_crossing: bool = False, weight: float = 1.0) -> CrossingSelector:
    """Make the sigmoid selector that learns from crossing spans.

    non_crossing (bool): As for the sigmoid selector.
    weight (float): What the loss of crossing spans is multiplied by.
    RAISES (ValueError): If `weight` is below 0 or no number.
    """
    return CrossingSelector(non_crossing, weight)


def gold_spans(
    examples: Sequence[Example], sentences: Sequence[Lengths], max_width: int | None, device: torch.device
) -> Spans:
    """The annotated arguments and mentions of a batch, in the groups that have the default names.

    examples (Sequence[Example]): The examples.
    sentences (Sequence[Lengths]): The sentences of the predicted documents.
    max_width (int | None): The greatest number of tokens of a span, None for no limit.
    device (torch.device): Where the tensors go.
    RETURNS (Spans): Those that align with the predicted documents.
    """
    found: set[tuple[int, int]] = set()
    offset = 0
    for example, runs in zip(examples, sentences, strict=True):
        align = SpanAligner(example, runs, max_width)
        arguments = {argument[:2] for frame in get_frames(example.reference) for argument in frame.arguments}
        mentions = {(start, end) for cluster in get_clusters(example.reference) for start, end in cluster}
        for start, end in arguments | mentions:
            aligned = align(start, end)
            if not isinstance(aligned, str):
                found.add((offset + aligned[0], offset + aligned[1]))
        offset += len(example.predicted)
    rows = torch.tensor(sorted(found), dtype=torch.long, device=device).view(-1, 2)
    return Spans(rows[:, 0], rows[:, 1])


def crossing_spans(gold: Spans, layout: SpanLayout) -> Tensor:
    """The spans that overlap a gold one, neither holding the other. Shape: (crossing,), flat indices

    gold (Spans): The gold spans.
    layout (SpanLayout): The sentences of the batch.
    """
    tokens = len(layout.document)
    rows = torch.arange(tokens, device=gold.starts.device)
    # The furthest token that a gold span reaches, from its first and from its last one.
    reach = rows.new_full((tokens,), -1).scatter_reduce(0, gold.starts, gold.ends, "amax")
    back = rows.new_full((tokens,), tokens).scatter_reduce(0, gold.ends, gold.starts, "amin")
    crossing = torch.zeros(layout.size, dtype=torch.bool, device=rows.device)
    for bucket in layout.buckets:
        first, last = bucket.tokens[:, :, None], bucket.tokens[:, None, :]
        real = torch.arange(bucket.tokens.shape[1], device=rows.device) < bucket.lengths[:, None]
        inside = (first < last) & real[:, :, None] & real[:, None, :]
        # Of the gold spans that start within a span, behind its first token, the furthest end; and the other way round.
        furthest = torch.where(inside, reach[last], -1).cummax(dim=2).values
        nearest = torch.where(inside, back[first], tokens).flip(1).cummin(dim=1).values.flip(1)
        square = inside & ((furthest > last) | (nearest < first))
        ends = bucket.first_and_last()[1].clamp(max=square.shape[2] - 1)  # a band goes on behind the last token
        bucket.chart(crossing)[:] = square.gather(2, ends.expand(bucket.shape))
    return torch.nonzero(crossing & layout.valid()).squeeze(1)
