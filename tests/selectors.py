"""Selectors by name: the entries that a config would have, and what they make."""

from __future__ import annotations

from typing import Any

from spacy_span_selector.layers.selection.selectors import (
    BioSelector,
    GreedySelector,
    LaminarSelector,
    MultitaskSelector,
    SigmoidSelector,
    StructuredSelector,
)

SELECTORS = {
    "structured": StructuredSelector,
    "laminar": LaminarSelector,
    "sigmoid": SigmoidSelector,
    "greedy": GreedySelector,
    "multitask": MultitaskSelector,
    "bio": BioSelector,
}


def selector_block(name: str, ratio: float | None = None) -> dict[str, Any]:
    """The block `[components.NAME.model.selector]` of a selector; those that are not greedy know no ratio."""
    settings = {"ratio": ratio} if name in ("greedy", "multitask") else {}
    return {"@misc": f"spacy_span_selector.{SELECTORS[name].__name__}.v1", **settings}
