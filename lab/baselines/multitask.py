"""The multitask baseline: greedy selection, and a second task for the span scorer, the constituents of a treebank.

Swayamdipta et al. (2018), "Syntactic Scaffolds for Semantic Structures", as the paper uses it (section 6, "MTL"): is a
span a noun phrase, another constituent, or neither? The spans that are not constituents are many and easy, so about as
many of them are sampled as there are constituents. Prediction needs no constituents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import torch
from spacy.training import Example
from spacy.util import registry
from torch import Tensor
from torch.nn.functional import cross_entropy

from lab.baselines.greedy import GreedySelector
from spacy_span_selector.annotation import CONSTITUENTS_KEY
from spacy_span_selector.examples.alignment import SpanAligner
from spacy_span_selector.layers.selection.sampling import sample_spans
from spacy_span_selector.layers.spans.layout import Lengths, SpanLayout
from spacy_span_selector.signatures import checks_arguments

NONE, NOUN_PHRASE, OTHER = range(3)
CLASSES = 3
NOUN_PHRASE_LABEL = "NP"


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


@dataclass(frozen=True)
class MultitaskSelector(GreedySelector):
    """Select greedily, and learn which spans are noun phrases, other constituents, or neither.

    weight (float): What the loss of this second task is multiplied by.
    """

    weight: float = 0.1
    auxiliary_scores: ClassVar[int] = CLASSES

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.weight < inf:
            raise ValueError(f"'weight' of the multitask selector is {self.weight}; it must be at least 0, and finite.")

    def check_examples(self, examples: Sequence[Example], component: str) -> None:
        if not any(map(has_constituents, examples)):
            raise ValueError(
                f"'{component}' found no constituent in any training example: no group "
                f"doc.spans['{CONSTITUENTS_KEY}']. The multitask selector learns from them: take a corpus that has "
                "trees, such as OntoGUM, or another selector."
            )

    def read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], max_width: int | None, device: torch.device
    ) -> GoldConstituents:
        return gold_constituents(examples, sentences, max_width, device)

    def loss(self, output: Any, gold: Any, own_gold: GoldConstituents, layout: SpanLayout, **settings: Any) -> Tensor:
        """The loss of greedy selection, and of constituents, per candidate of any document."""
        of_task = super().loss(output, gold, None, layout, **settings)
        of_constituents = constituent_loss(output.selection.auxiliary, own_gold, layout)
        return of_task + self.weight * of_constituents / max(1, len(output.selection.candidates))


@registry.misc("lab.MultitaskSelector.v1")
@checks_arguments("'lab.MultitaskSelector.v1'")
def multitask_selector(ratio: float = 0.4, spans_may_cross: bool = False, weight: float = 0.1) -> MultitaskSelector:
    """Make the greedy selector with the second task.

    ratio, spans_may_cross (float, bool): As for the greedy selector.
    weight (float): What the loss of the second task is multiplied by.
    RAISES (ValueError): If `ratio` is no number above 0, or `weight` is below 0 or no number.
    """
    return MultitaskSelector(ratio, spans_may_cross, weight)


def has_constituents(example: Example) -> bool:
    """Whether the reference of an example has constituents."""
    return bool(example.reference.spans.get(CONSTITUENTS_KEY))


def gold_constituents(
    examples: Sequence[Example], sentences: Sequence[Lengths], max_width: int | None, device: torch.device
) -> GoldConstituents:
    """Align the constituents of a batch with its predicted documents; those that don't align, or that no score is
    learnt for, are left out.

    Of several constituents over the same tokens a noun phrase counts. Functions and indices are not looked at: NP-SBJ
    is an NP, and so is NP=2.

    examples (Sequence[Example]): The examples.
    sentences (Sequence[Lengths]): The sentences of the predicted documents.
    max_width (int | None): The greatest number of tokens of a constituent, None for no limit.
    device (torch.device): Where the tensors go.
    RAISES (ValueError): If the two sides of an example have different texts.
    """
    classes: dict[tuple[int, int], int] = {}
    offset = 0
    for example, runs in zip(examples, sentences, strict=True):
        align = SpanAligner(example, runs, max_width)
        for span in example.reference.spans.get(CONSTITUENTS_KEY, ()):
            aligned = align(span.start, span.end)
            if not isinstance(aligned, str):
                place = offset + aligned[0], offset + aligned[1]
                is_noun_phrase = re.split("[-=]", span.label_)[0] == NOUN_PHRASE_LABEL
                classes[place] = NOUN_PHRASE if is_noun_phrase else classes.get(place, OTHER)
        offset += len(example.predicted)
    spans = torch.tensor(list(classes), dtype=torch.long, device=device).view(-1, 2)
    return GoldConstituents(
        starts=spans[:, 0],
        ends=spans[:, 1],
        classes=torch.tensor(list(classes.values()), dtype=torch.long, device=device),
        annotated=torch.tensor([has_constituents(example) for example in examples], dtype=torch.bool, device=device),
    )


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
