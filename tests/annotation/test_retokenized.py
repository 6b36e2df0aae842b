from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    Quotation,
    get_clusters,
    get_frames,
    get_paragraphs,
    get_predicates,
    get_quotations,
    get_scores,
    get_speakers,
    read_group,
    set_clusters,
    set_frames,
    set_paragraphs,
    set_predicates,
    set_quotations,
    set_speakers,
)
from spacy_span_selector.corpora.plain import to_dict
from spacy_span_selector.documents.joined import join_docs
from spacy_span_selector.documents.words import read_words
from spacy_span_selector.extensions import doc_clusters, doc_frames

NLP = spacy.blank("en")


def make_doc() -> Doc:
    doc = NLP("Ann Lee left New York .\nShe was glad .")
    set_clusters(
        doc, [[(0, 2), (7, 8)]], scores={(0, 2): 0.5, (7, 8): 0.75}, antecedents={(0, 2): None, (7, 8): (0, 2)}
    )
    set_frames(doc, [Frame(2, 3, [Argument(0, 2, "ARG0"), Argument(3, 5, "ARG1")], "leave.01")])
    set_quotations(doc, [Quotation(7, 10, speaker=(0, 2))])
    set_speakers(doc, [(7, 11, "Ann")])
    set_predicates(doc, [(8, 9)])
    set_paragraphs(doc, [(0, 7), (7, 11)])
    return doc


def retokenize(doc: Doc) -> Doc:
    """Merge names, and what is behind the last mention, so that spans lie behind the last token."""
    with doc.retokenize() as retokenizer:
        for start, end in ((0, 2), (3, 5), (8, 11)):
            retokenizer.merge(doc[start:end])
    return doc


def test_annotation_stays_with_its_words_where_tokens_are_merged() -> None:
    doc = retokenize(make_doc())
    assert [token.text for token in doc] == ["Ann Lee", "left", "New York", ".", "\n", "She", "was glad ."]
    assert get_clusters(doc) == [[(0, 1), (5, 6)]]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")], "leave.01")]
    assert get_quotations(doc) == [Quotation(5, 7, speaker=(0, 1))]
    assert get_speakers(doc) == [(5, 7, "Ann")]
    assert get_predicates(doc) == [(6, 7)]
    assert get_paragraphs(doc) == [(0, 5), (5, 7)]


def test_annotation_stays_with_its_words_where_tokens_are_split() -> None:
    doc = make_doc()
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[1], ["L", "ee"], heads=[(doc[1], 0), (doc[1], 1)])
    assert get_clusters(doc) == [[(0, 3), (8, 9)]]


def test_what_is_known_of_spans_stays_with_them() -> None:
    doc = retokenize(make_doc())
    group = read_group(doc, "coref_clusters_1")
    assert get_scores(group) == [0.5, 0.75]
    (cluster,) = doc_clusters(doc)
    assert [span.text for span in cluster] == ["Ann Lee", "She"]
    assert cluster.antecedents == [None, cluster[0]]


def test_attributes_and_plain_data_are_those_of_the_words() -> None:
    doc, before = retokenize(make_doc()), to_dict(make_doc())
    assert str(doc_frames(doc)) == "[leave.01(ARG0=Ann Lee, V=left, ARG1=New York)]"
    assert to_dict(doc)["clusters"] == before["clusters"]
    assert to_dict(doc)["frames"] == before["frames"]


def test_documents_made_of_others_have_the_words() -> None:
    doc = retokenize(make_doc())
    assert get_clusters(read_words(doc).doc) == [[(0, 1), (4, 5)]]
    joined = join_docs([make_doc(), doc])
    assert joined is not None
    assert [[joined[start:end].text for start, end in cluster] for cluster in get_clusters(joined)] == [
        ["Ann Lee", "She"],
        ["Ann Lee", "She"],
    ]


@pytest.mark.parametrize("make", [Doc.copy, lambda doc: Doc(NLP.vocab).from_bytes(doc.to_bytes())])
def test_groups_that_fit_are_taken_as_they_are(make) -> None:  # type: ignore[no-untyped-def]
    doc = make(make_doc())
    assert read_group(doc, "coref_clusters_1") is doc.spans["coref_clusters_1"]
    both = Doc.from_docs([doc, make_doc()])
    assert read_group(both, "srl_1") is both.spans["srl_1"]
