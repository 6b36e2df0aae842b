"""The second task of the multitask baseline: is a span a noun phrase, another constituent, or neither?

Swayamdipta et al. (2018), "Syntactic Scaffolds for Semantic Structures", as the paper uses it (section 6, "MTL"). The
spans that are not constituents are many and easy, so only about as many of them are sampled as there are constituents.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from ..selection.sampling import sample_spans
from ..spans.layout import SpanLayout

NONE, NOUN_PHRASE, OTHER = range(3)
CLASSES = 3


@dataclass(frozen=True)
class GoldConstituents:
    """The constituents of a batch of documents. No span occurs twice.

    starts, ends (Tensor): First and last token of each, as rows of the token matrix. Shape: (constituents,)
    classes (Tensor): NOUN_PHRASE or OTHER. Shape: (constituents,)
    annotated (Tensor): Which documents have constituents. Shape: (documents,)
    """

    starts: Tensor
    ends: Tensor
    classes: Tensor
    annotated: Tensor


def constituent_loss(scores: Tensor, gold: GoldConstituents, layout: SpanLayout) -> Tensor:
    """The cross-entropy of the constituents, and of about as many random spans that are not constituents, summed.

    scores (Tensor): A score for each class of each span, flat. Shape: (CLASSES, layout.size)
    gold (GoldConstituents): The annotation.
    layout (SpanLayout): The sentences of the batch.
    RETURNS (Tensor): A scalar.
    """
    flat = layout.flat_index(gold.starts, gold.ends)
    is_none = torch.ones(layout.size, dtype=torch.bool, device=scores.device).index_fill(0, flat, False)
    words = int(gold.annotated[layout.document].sum())
    drawn = sample_spans(is_none, gold.annotated, layout, len(flat) / max(1, words))
    classes = torch.cat([gold.classes, gold.classes.new_full((len(drawn),), NONE)])
    return cross_entropy(scores[:, torch.cat([flat, drawn])].T, classes, reduction="sum")
