"""From examples to gold constituents, for the second task of the multitask selector."""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch
from spacy.tokens import SpanGroup
from spacy.training import Example

from ..annotation import CONSTITUENTS_KEY
from ..layers.coref.constituents import NOUN_PHRASE, OTHER, GoldConstituents
from ..layers.spans.layout import Runs
from .alignment import SpanAligner

NOUN_PHRASE_LABEL = "NP"


def gold_constituents(
    examples: Sequence[Example], sentences: Sequence[Runs], max_width: int | None, device: torch.device | None
) -> GoldConstituents:
    """Align the constituents of a batch with its predicted documents; those that don't align, or that no score is
    learnt for, are left out.

    Of several constituents over the same tokens a noun phrase counts. Functions and indices are not looked at: NP-SBJ
    is an NP, and so is NP=2.

    examples (Sequence[Example]): The examples.
    sentences (Sequence[Runs]): The sentences of the predicted documents.
    max_width (int | None): The greatest number of tokens of a constituent, None for no limit.
    device (torch.device | None): Where the tensors go.
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
    annotated = [has_constituents(example) for example in examples]
    return GoldConstituents(
        starts=spans[:, 0],
        ends=spans[:, 1],
        classes=torch.tensor(list(classes.values()), dtype=torch.long, device=device),
        annotated=torch.tensor(annotated, dtype=torch.bool, device=device),
    )


def has_constituents(example: Example) -> bool:
    """Whether the reference of an example has constituents."""
    group: SpanGroup | None = example.reference.spans.get(CONSTITUENTS_KEY)
    return group is not None and len(group) > 0
