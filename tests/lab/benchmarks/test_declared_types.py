import pytest
import spacy

from lab.benchmarks.declared_types import thin_out
from spacy_span_selector.annotation import get_annotates, get_labelled_spans, set_labelled_spans

TYPES = ["A", "B", "C", "D"]


@pytest.mark.parametrize(("arm", "kept"), [("complete", 4), ("declared", 2), ("silent", 2), ("partial", 2)])
def test_each_half_of_the_documents_keeps_its_half_of_the_types(arm: str, kept: int) -> None:
    docs = [spacy.blank("en")("a b c d") for _ in range(6)]
    for doc in docs:
        set_labelled_spans(doc, [(place, place + 1, label) for place, label in enumerate(TYPES)])
    found = [sorted(span.label for span in get_labelled_spans(doc)) for doc in thin_out(docs, [*TYPES], arm, seed=1)]
    assert {len(labels) for labels in found} == {kept} and {label for labels in found for label in labels} == {*TYPES}
    assert found.count(found[0]) == (6 if kept == 4 else 3)
    said = [sorted(get_annotates(doc) or []) for doc in docs]
    assert said == (found if arm == "declared" else [TYPES] * 6)
