"""The types of spans by number, as annotation and what it declares have them by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch
from spacy.tokens import Doc
from torch import Tensor

from ..annotation import get_annotates, types_of


def known_types(label: str, types: Mapping[str, int]) -> list[int]:
    """The numbers of the types that a label may stand for; empty if none is known."""
    return [types[name] for name in types_of(label) if name in types]


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
