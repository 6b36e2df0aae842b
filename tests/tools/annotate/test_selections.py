from __future__ import annotations

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example

from spacy_span_selector.tools.annotate.pipelines import annotate_with_selections
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

CORPUS = """
=== the boat
[Ann|ann] saw [the boat of [her|ann] brother|boat].
[She|ann] liked [it|boat].
> [ARG0 She] [V liked] [ARG1 it].
"""
TEXTS = ["Ann left. Bob saw her.", "They stayed."]


@pytest.fixture(scope="module")
def nlp() -> Language:
    """An untrained pipeline with both components, and one behind them."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref")
    nlp.add_pipe("structured_srl")
    docs = parse_bracketed(CORPUS, nlp)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Ann"}])
    return nlp


def test_the_whole_pipeline_annotates(nlp: Language):
    found = annotate_with_selections(nlp, map(nlp.make_doc, TEXTS), ["structured_coref"])
    for (doc, _), expected in zip(found, nlp.pipe(TEXTS), strict=True):
        assert doc.spans["coref_mentions"].attrs["scores"] == pytest.approx(
            expected.spans["coref_mentions"].attrs["scores"]
        )
        assert doc.spans.keys() == expected.spans.keys()
        assert [entity.text for entity in doc.ents] == [entity.text for entity in expected.ents]


def test_a_selection_is_that_of_the_annotation(nlp: Language):
    for doc, selections in annotate_with_selections(nlp, map(nlp.make_doc, TEXTS), ["structured_coref"]):
        spans = selections["structured_coref"].selection.spans
        found = zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
        assert list(found) == [(span.start, span.end - 1) for span in doc.spans["coref_mentions"]]
