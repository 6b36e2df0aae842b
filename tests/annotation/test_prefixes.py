"""Annotation under other prefixes than the default is found without naming them."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_span_selector import render, to_dict
from spacy_span_selector.annotation import (
    Argument,
    Frame,
    cluster_prefixes,
    find_mentions_key,
    find_spans_key,
    frame_prefixes,
    set_clusters,
    set_frames,
    set_mentions,
)
from spacy_span_selector.extensions import clusters_by_mention, doc_clusters, register_extensions
from spacy_span_selector.people.events import doc_events

NLP = spacy.blank("en")
TOM = [(0, 1), (3, 4)]
HAT = [(2, 3), (5, 6)]
GAVE = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")], "give.01")


@pytest.fixture
def doc() -> Doc:
    """Annotated as components with other keys do it."""
    register_extensions()
    doc = NLP("Tom wore hats he liked them")
    doc[3].is_sent_start = True
    set_mentions(doc, TOM, [0.5, 0.75], "people_mentions")
    set_clusters(doc, [TOM], prefix="people", mentions_key="people_mentions")
    set_mentions(doc, [(0, 1)], [0.5], "role_spans")
    set_frames(doc, [GAVE], prefix="roles", spans_key="role_spans")
    return doc


def test_attributes_show_annotation_under_any_prefix(doc: Doc) -> None:
    assert doc._.coref_clusters == [[doc[0:1], doc[3:4]]]
    assert doc._.resolved_text == "Tom wore hats Tom liked them"
    assert doc[3:4]._.coref_cluster == doc[3]._.coref_clusters[0] == doc._.coref_clusters[0]
    assert [frame.roleset for frame in doc._.srl] == ["give.01"]
    assert [participant.number for participant in doc._.events[0].participants] == [0, None]
    assert clusters_by_mention(doc).keys() == {*TOM}


def test_selected_spans_that_belong_to_the_clusters_have_scores(doc: Doc) -> None:
    assert find_mentions_key(doc, "people") == "people_mentions"
    assert find_spans_key(doc, "roles") == "role_spans"
    assert doc[3:4]._.coref_score == 0.75


def test_pages_and_plain_data_show_annotation_under_any_prefix(doc: Doc) -> None:
    data = to_dict(doc)
    assert data["clusters"] == {"representative": [0]} and len(data["frames"]["start"]) == 1
    assert data["unlinked_mentions"]["start"] == []
    page = render(doc, page=True, jupyter=False)
    assert page == render(doc, page=True, jupyter=False, cluster_prefix="people", frame_prefix="roles")
    assert page != render(doc, page=True, jupyter=False, cluster_prefix="nobody")


def test_prefixes_are_saved_with_the_document_and_others_ignored(doc: Doc) -> None:
    (loaded,) = DocBin(docs=[doc]).get_docs(doc.vocab)
    assert (cluster_prefixes(loaded), frame_prefixes(loaded)) == (["people"], ["roles"])
    assert [len(cluster) for cluster in loaded._.coref_clusters] == [2]
    doc.spans["people_1"].attrs["cluster_prefix"] = ["people"]
    doc.spans["people_mentions"].attrs["cluster_prefix"] = None
    assert cluster_prefixes(doc) == []


def test_each_of_several_prefixes_can_be_asked_for(doc: Doc) -> None:
    set_clusters(doc, [HAT], prefix="things", mentions_key="thing_mentions")
    assert cluster_prefixes(doc) == ["people", "things"]
    assert doc._.coref_clusters == doc_clusters(doc, "people")
    assert doc_clusters(doc, "things") == [[doc[2:3], doc[5:6]]]
    (event,) = doc_events(doc, cluster_prefix="things")
    assert [participant.number for participant in event.participants] == [None, 0]


def test_the_default_prefix_comes_first(doc: Doc) -> None:
    set_clusters(doc, [HAT])
    set_frames(doc, [])
    assert (cluster_prefixes(doc), frame_prefixes(doc)) == (["coref_clusters", "people"], ["srl", "roles"])
    assert doc._.coref_clusters == [[doc[2:3], doc[5:6]]]
    assert doc._.srl == []


def test_a_document_without_clusters_under_a_prefix_is_annotated() -> None:
    doc = NLP("Nobody came")
    assert cluster_prefixes(doc) == frame_prefixes(doc) == []
    set_clusters(doc, [], prefix="people")
    set_frames(doc, [], prefix="roles", predicates_key="given", spans_key="given")
    assert (cluster_prefixes(doc), frame_prefixes(doc)) == (["people"], ["roles"])
    assert doc._.coref_clusters == doc._.srl == []
    assert to_dict(doc)["mentions"]["start"] == to_dict(doc)["frames"]["start"] == []


def test_default_prefixes_are_not_noted() -> None:
    doc = NLP("Tom wore hats he liked them")
    doc[3].is_sent_start = True
    set_mentions(doc, TOM, [0.5, 0.75])
    set_clusters(doc, [TOM])
    set_frames(doc, [GAVE])
    assert not {"cluster_prefix", "frame_prefix"} & {name for group in doc.spans.values() for name in group.attrs}
