"""From examples to gold spans with their labels: what cannot be learnt is left out and counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch
from spacy.tokens import Doc
from spacy.training import Example
from torch import Tensor

from ..annotation import describe_doc, get_annotates, get_labelled_spans, has_labelled_spans_annotated, types_of
from ..layers.spancat.network import GoldLabels
from ..layers.spans.layout import Lengths, Spans
from .alignment import SpanAligner
from .lost import LostSpans

UNKNOWN_LABEL = "has a label that is not among the labels of the component"
NO_LABEL = "has no label"
OTHER_LABEL = "has the words of one with another label, of which a span has one alone"


def known_types(label: str, types: Mapping[str, int]) -> list[int]:
    """The numbers of the types that a label may stand for, itself if it is one; empty if none is known."""
    return [types[name] for name in ([label] if label in types else types_of(label)) if name in types]


def type_mask(labels: Iterable[str], types: Mapping[str, int]) -> list[bool]:
    """Mark the types that some labels may stand for, by number."""
    known = {number for label in labels for number in known_types(label, types)}
    return [number in known for number in range(len(types))]


def declared_types(docs: Sequence[Doc], types: Mapping[str, int], device: torch.device | None) -> Tensor | None:
    """The types that each document is annotated for; None if each is for all. Shape: (documents, types)"""
    declared = [get_annotates(doc) for doc in docs]
    rows = [[True] * len(types) if labels is None else type_mask(labels, types) for labels in declared]
    if all(map(all, rows)):
        return None
    return torch.tensor(rows, dtype=torch.bool, device=device)


def gold_labels(
    examples: Sequence[Example],
    sentences: Sequence[Lengths],
    *,
    spans_key: str,
    labels: Mapping[str, int],
    max_width: int | None,
    device: torch.device | None,
    exclusive: bool = False,
) -> tuple[GoldLabels, LostSpans]:
    """Align the labelled spans of a batch, or the first of each place if `exclusive`; see `SpanAligner`."""
    lost = LostSpans()
    found: dict[tuple[int, int], set[int]] = {}
    offset = 0
    for example, runs in zip(examples, sentences, strict=True):
        align = SpanAligner(example, runs, max_width)
        for start, end, label in get_labelled_spans(example.reference, spans_key):
            known = known_types(label, labels)
            aligned = align(start, end) if known else UNKNOWN_LABEL if label else NO_LABEL
            if not isinstance(aligned, str):
                numbers = found.setdefault((offset + aligned[0], offset + aligned[1]), {*known})
                if exclusive and numbers != {*known}:
                    aligned = OTHER_LABEL
                numbers.update(() if exclusive else known)
            if isinstance(aligned, str):
                place = f"{label} {example.reference[start:end].text!r} in {describe_doc(example.reference)}"
                lost.add(aligned, place.lstrip(), (start, end), label if aligned == UNKNOWN_LABEL else None)
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
