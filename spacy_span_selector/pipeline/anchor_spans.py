"""The component `anchor_spans`, which belongs behind one that merges or splits tokens."""

from __future__ import annotations

from collections.abc import Callable

from spacy.language import Language
from spacy.tokens import Doc

from ..annotation import anchor_spans


@Language.factory("anchor_spans", assigns=["doc.spans"], requires=["doc.spans"])
def make_anchor_spans(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Create the component: it is a function, so it has no settings, and nothing of it is saved."""
    return anchor_spans
