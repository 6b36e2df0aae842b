"""From examples to gold spans with their labels: what cannot be learnt is left out and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from spacy.training import Example

from ..annotation import describe_doc, get_labelled_spans, has_labelled_spans_annotated
from ..layers.spancat.network import GoldLabels
from ..layers.spans.layout import Lengths, Spans
from .alignment import SpanAligner
from .lost import LostSpans
from .types import declared_types, known_types

UNKNOWN_LABEL = "has a label that is not among the labels of the component"


def gold_labels(
    examples: Sequence[Example],
    sentences: Sequence[Lengths],
    *,
    spans_key: str,
    labels: Mapping[str, int],
    max_width: int | None,
    device: torch.device | None,
) -> tuple[GoldLabels, LostSpans]:
    """Align the labelled spans of a batch with its predicted documents.

    sentences (Sequence[Lengths]): The sentences of the predicted documents.
    max_width (int | None): The greatest number of tokens of a span, None for no limit.
    RAISES (ValueError): If the two sides of an example have different texts.
    """
    lost = LostSpans()
    found: dict[tuple[int, int], set[int]] = {}
    offset = 0
    for example, runs in zip(examples, sentences, strict=True):
        align = SpanAligner(example, runs, max_width)
        for start, end, label in get_labelled_spans(example.reference, spans_key):
            known = known_types(label, labels)
            aligned = align(start, end) if known else UNKNOWN_LABEL
            if isinstance(aligned, str):
                place = f"{label} {example.reference[start:end].text!r} in {describe_doc(example.reference)}"
                lost.add(aligned, place, (start, end), label if aligned == UNKNOWN_LABEL else None)
            else:
                found.setdefault((offset + aligned[0], offset + aligned[1]), set()).update(known)
        offset += len(example.predicted)
    spans = torch.tensor(list(found), dtype=torch.long, device=device).view(-1, 2).T.contiguous()
    has = torch.zeros(len(found), len(labels))
    for row, numbers in enumerate(found.values()):
        has[row, list(numbers)] = 1
    annotated = [has_labelled_spans_annotated(example.reference, spans_key) for example in examples]
    gold = GoldLabels(
        spans=Spans(spans[0], spans[1]),
        labels=has.to(device),
        annotated=torch.tensor(annotated, dtype=torch.bool, device=device),
        declared=declared_types([example.reference for example in examples], labels, device),
    )
    return gold, lost
