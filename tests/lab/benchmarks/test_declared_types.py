from __future__ import annotations

import pytest
import spacy

from lab.benchmarks.declared_types import thin_out
from spacy_span_selector.annotation import get_annotates, get_labelled_spans, set_labelled_spans

TYPES = ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    ("arm", "kept", "declared"),
    [("complete", 4, 4), ("declared", 2, 2), ("silent", 2, 4), ("partial", 2, 4)],
)
def test_each_half_of_the_documents_keeps_its_half_of_the_types(arm: str, kept: int, declared: int) -> None:
    nlp = spacy.blank("en")
    docs = [nlp("a b c d") for _ in range(6)]
    for doc in docs:
        set_labelled_spans(doc, [(place, place + 1, label) for place, label in enumerate(TYPES)])
    found = [sorted(span.label for span in get_labelled_spans(doc)) for doc in thin_out(docs, [*TYPES], arm, seed=1)]
    halves = {tuple(labels) for labels in found}
    assert {len(half) for half in halves} == {kept} and sorted({label for half in halves for label in half}) == TYPES
    assert len(halves) == 1 or [found.count(list(half)) for half in halves] == [3, 3]
    said = [sorted(get_annotates(doc) or []) for doc in docs]
    assert said == (found if declared == kept else [TYPES] * 6)
