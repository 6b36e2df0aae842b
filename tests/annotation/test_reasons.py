"""Why mentions were kept apart or joined, beside their clusters."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin

import spacy_span_selector  # noqa: F401  (registers doc._.coref_clusters)
from spacy_span_selector.annotation import get_reasons, set_clusters


@pytest.fixture
def doc() -> Doc:
    return Doc(spacy.blank("en").vocab, words=["Ann", "saw", "her"])


def test_reasons_follow_the_order_of_mentions_and_are_saved(doc: Doc) -> None:
    set_clusters(doc, [[(2, 3), (0, 1)]], reasons=[["has another name", ""]])
    assert get_reasons(doc.spans["coref_clusters_1"]) == ["", "has another name"]
    set_clusters(doc, [[(0, 1), (2, 3)]], reasons={(0, 1): "", (2, 3): "because"})
    (again,) = DocBin(docs=[doc]).get_docs(doc.vocab)
    assert again._.coref_clusters[0].reasons == doc._.coref_clusters[0].reasons == ["", "because"]
    doc.spans["coref_clusters_1"].attrs["reasons"] = ["because"]
    assert doc._.coref_clusters[0].reasons is None, "of which mention?"


def test_what_is_no_reason_is_an_error(doc: Doc) -> None:
    with pytest.raises(ValueError, match=r"reasons\[0\]\[1\]"):
        set_clusters(doc, [[(0, 1), (2, 3)]], reasons=[["", 3]])  # type: ignore[list-item]
