import pytest
import spacy
from spacy.tokens import Doc, DocBin, SpanGroup

from spacy_span_selector.annotation import (
    ENTITY_TYPE,
    Mention,
    cluster_groups,
    cluster_keys,
    describe_doc,
    get_clusters,
    get_speakers,
    has_clusters_annotated,
    set_clusters,
    set_mentions,
    set_speakers,
    set_title,
)


@pytest.fixture
def doc() -> Doc:
    return Doc(spacy.blank("en").vocab, words=["Ann", "said", "that", "she", "likes", "her", "dog", "."])


def test_clusters_are_numbered_in_the_order_of_their_first_mention(doc: Doc):
    set_clusters(doc, [[(5, 7)], [(5, 6), (3, 4), (0, 1)]], names=["dog", "ann"])
    assert get_clusters(doc) == [[(0, 1), (3, 4), (5, 6)], [(5, 7)]]
    assert [doc.spans[key].attrs["name"] for key in cluster_keys(doc)] == ["ann", "dog"]


def test_setting_clusters_replaces_earlier_ones_and_keeps_other_groups(doc: Doc):
    doc.spans["other"] = [doc[0:2]]
    doc.spans["coref_clusters_2"] = SpanGroup(doc, name="something", spans=[doc[0:1]])
    set_clusters(doc, [[(5, 6)]])
    assert sorted(doc.spans) == ["coref_clusters_1", "other"] and get_clusters(doc) == [[(5, 6)]]


@pytest.mark.parametrize("clusters", [[], [[]]])
def test_a_document_is_annotated_once_its_clusters_are_set_even_if_there_are_none(
    doc: Doc, clusters: list[list[Mention]]
):
    assert not has_clusters_annotated(doc)
    set_clusters(doc, clusters, prefix="people", mentions_key="candidates")
    assert has_clusters_annotated(doc, "people", "candidates") and not has_clusters_annotated(doc)
    assert set(doc.spans) == {"candidates"} and not len(doc.spans["candidates"])


def test_a_span_may_be_in_two_clusters(doc: Doc):
    set_clusters(doc, [[(0, 1), (3, 4)], [(0, 1)]])
    assert get_clusters(doc) == [[(0, 1)], [(0, 1), (3, 4)]]


def test_clusters_leave_the_selected_spans_alone(doc: Doc):
    set_clusters(doc, [[(5, 6)]])
    assert set(doc.spans) == {"coref_clusters_1"}
    set_mentions(doc, [(0, 1)], None)
    set_clusters(doc, [])
    assert [span.text for span in doc.spans["coref_mentions"]] == ["Ann"]
    assert doc.spans["coref_mentions"].attrs == {}


def test_what_is_known_of_mentions_follows_them(doc: Doc):
    antecedents = {(5, 6): (3, 4), (3, 4): (0, 1), (0, 1): None}
    scores, link_scores = {(0, 1): 0.25, (3, 4): 0.75, (5, 6): 0.5}, {(0, 1): 1.0, (3, 4): 0.75, (5, 6): 0.125}
    set_clusters(doc, [[(5, 6), (0, 1), (3, 4)]], scores=scores, link_scores=link_scores, antecedents=antecedents)
    attrs = {"scores": [0.25, 0.75, 0.5], "link_scores": [1.0, 0.75, 0.125], "antecedents": [None, 0, 1]}
    assert doc.spans["coref_clusters_1"].attrs == attrs


def test_what_is_known_of_mentions_may_be_one_list_for_each_cluster(doc: Doc):
    set_clusters(
        doc,
        [[(5, 7)], [(3, 4), (0, 1)], [(3, 4)], []],
        scores=[[0.5], [0.75, 1.0], None, []],
        link_scores=[None, None, [0.25], None],
        antecedents=[None, [(0, 1), None], [None], None],
        names=["dog", "ann", "she", ""],
    )
    assert [doc.spans[key].attrs for key in cluster_keys(doc)] == [
        {"scores": [1.0, 0.75], "antecedents": [None, 0], "name": "ann"},
        {"link_scores": [0.25], "antecedents": [None], "name": "she"},
        {"scores": [0.5], "name": "dog"},
    ]


def test_annotation_survives_doc_bin(doc: Doc):
    set_title(doc, "dogs")
    set_clusters(doc, [[(0, 1), (3, 4)]], scores=[[0.25, 0.75]], antecedents=[[None, (0, 1)]], names=["ann"])
    set_mentions(doc, [(0, 1)], [0.5])
    set_speakers(doc, [(0, 8, "Ann Lee")])
    stored = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (loaded,) = DocBin().from_bytes(stored).get_docs(spacy.blank("en").vocab)
    assert get_clusters(loaded) == [[(0, 1), (3, 4)]]
    assert loaded.spans["coref_clusters_1"].attrs == {"scores": [0.25, 0.75], "antecedents": [None, 0], "name": "ann"}
    assert loaded.spans["coref_mentions"].attrs == {"scores": [0.5]}
    assert get_speakers(loaded) == [(0, 8, "Ann Lee")]
    assert describe_doc(loaded) == "document 'dogs'"


def test_entity_types_stay_with_their_clusters(doc: Doc):
    set_clusters(doc, [[(2, 3)], [(0, 1)], [(1, 2)]], entity_types=["thing", "person", ""])
    assert [group.attrs for group in cluster_groups(doc)] == [{ENTITY_TYPE: "person"}, {}, {ENTITY_TYPE: "thing"}]
    with pytest.raises(ValueError, match="the length of entity_types is 1; expected 2, one for each of clusters"):
        set_clusters(doc, [[(0, 1)], [(1, 2)]], entity_types=["person"])
    with pytest.raises(ValueError, match=r"entity_types\[1\] is 5; expected a string"):
        set_clusters(doc, [[(0, 1)], [(1, 2)]], entity_types=["person", 5])  # type: ignore[list-item]
