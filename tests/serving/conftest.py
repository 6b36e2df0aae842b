from __future__ import annotations

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames


@Language.component("serving_test_annotation")
def annotate(doc: Doc) -> Doc:
    """The first token and the last but one are one entity, and the second is a predicate."""
    if "fail" in doc.text:
        raise RuntimeError("out of order")
    if len(doc) > 3:
        set_clusters(doc, [[(0, 1), (len(doc) - 2, len(doc) - 1)]])
        set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "see.01")])
    return doc


@pytest.fixture
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("serving_test_annotation")
    return nlp
