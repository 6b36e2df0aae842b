from collections.abc import Callable
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span, SpanGroup

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    cluster_groups,
    declare,
    get_annotates,
    get_labelled_spans,
    set_annotates,
    set_clusters,
    set_frames,
    set_labelled_spans,
)
from spacy_span_selector.documents.pieces import cut_doc
from spacy_span_selector.documents.rebuilt import rebuild_doc
from spacy_span_selector.people.joined import join_docs

NLP = spacy.blank("en")
WORDS = ["Ann", "sold", "Acme", "in", "Rome", ".", "She", "left", "."]


def make_doc(annotates: list[str] | None = None, **keys: str) -> Doc:
    doc = Doc(NLP.vocab, words=WORDS, sent_starts=[i in (0, 6) for i in range(len(WORDS))])
    prefix, key = keys.get("prefix", "coref_clusters"), keys.get("key", "sc")
    set_clusters(doc, [[(0, 1), (6, 7)], [(2, 3)], [(4, 5)]], entity_types=["person", "firm", ""], prefix=prefix)
    set_labelled_spans(doc, [(0, 1, "person"), (2, 3, "firm"), (2, 3, "maker"), (4, 5, "town")], key=key)
    if annotates is not None:
        set_annotates(doc, annotates)
    return doc


def kinds(doc: Doc, prefix: str = "coref_clusters") -> list[str | None]:
    return [group.attrs.get("entity_type") for group in cluster_groups(doc, prefix)]


@pytest.mark.parametrize("types", [["PER", ""], ["LOC|"], ["|LOC"], ["LOC||GPE"], ["PER", 3], "PER", None])
def test_what_is_no_type_is_named_and_changes_nothing(types: Any):
    doc = make_doc(["PER"])
    with pytest.raises(ValueError, match=r"annotates(\[\d\])? is .*; expected "):
        set_annotates(doc, types)
    assert get_annotates(doc) == ["PER"]


@pytest.mark.parametrize("keys", [{}, {"prefix": "people", "key": "entities"}])
def test_labels_become_types_in_clusters_and_labelled_spans_and_others_stay(keys: dict[str, str]):
    doc = declare(make_doc(**keys), {"person": "PER", "firm": "ORG", "maker": "ORG", "river": "LOC"})
    assert get_annotates(doc) == ["PER", "ORG", "LOC"]
    assert kinds(doc, keys.get("prefix", "coref_clusters")) == ["PER", "ORG", None]
    assert get_labelled_spans(doc, keys.get("key", "sc")) == [(0, 1, "PER"), (2, 3, "ORG"), (4, 5, "town")]


def test_groups_of_others_are_renamed_without_a_note_and_speakers_and_roles_are_not():
    doc = make_doc()
    doc.spans.update({"own": [Span(doc, 0, 1, "person")], "speakers": [Span(doc, 0, 6, "person")]})
    doc.spans["people_1"] = SpanGroup(doc, attrs={"entity_type": "person"}, spans=[doc[0:1]])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "person")])])
    declare(doc, {"person": "PER"})
    assert [span.label_ for key in ("own", "speakers", "srl_1") for span in doc.spans[key]] == [
        "PER",
        "person",
        "V",
        "person",
    ]
    assert kinds(doc, "people") == ["PER"]


def test_a_label_that_stands_for_no_type_changes_nothing():
    doc = make_doc()
    with pytest.raises(ValueError, match=r"annotates\[1\] is "):
        declare(doc, {"person": "PER", "firm": "LOC|"})
    assert (kinds(doc), get_labelled_spans(doc)) == (kinds(make_doc()), get_labelled_spans(make_doc()))


def test_what_is_said_of_renamed_spans_stays():
    doc = make_doc()
    named = [Span(doc, 0, 1, "person", kb_id="Q1"), Span(doc, 2, 3, "firm"), Span(doc, 2, 3, "maker"), doc[4:4]]
    doc.spans["sc"] = SpanGroup(doc, name="sc", spans=named, attrs={"scores": [0.1, 0.2, 0.3, 0.4], "own": 1})
    group = declare(doc, {"person": "PER", "firm": "ORG", "maker": "ORG"}).spans["sc"]
    assert [(span.label_, span.kb_id_, len(span)) for span in group] == [("PER", "Q1", 1), ("ORG", "", 1), ("", "", 0)]
    assert group.attrs == {"scores": [0.1, 0.2, 0.4], "own": 1}


@pytest.mark.parametrize("annotates", [["ORG"], None])
def test_a_list_of_types_renames_nothing(annotates: list[str] | None):
    doc = declare(make_doc(), annotates)
    assert get_annotates(doc) == annotates
    assert (kinds(doc), get_labelled_spans(doc)) == (kinds(make_doc()), get_labelled_spans(make_doc()))


SURVIVES: dict[str, Callable[[Doc], Doc]] = {
    "DocBin": lambda doc: next(DocBin(docs=[doc], store_user_data=True).get_docs(NLP.vocab)),
    "bytes": lambda doc: Doc(NLP.vocab).from_bytes(doc.to_bytes()),
    "cut": lambda doc: cut_doc(doc, max_words=6)[1],
    "rebuilt": lambda doc: rebuild_doc(doc, range(6)),
    "joined": lambda doc: join_docs([make_doc(["PER", "LOC|GPE", "ORG"]), doc, make_doc()]) or make_doc(),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("made", SURVIVES.values(), ids=SURVIVES)
def test_documents_made_of_others_say_the_same(made: Callable[[Doc], Doc]):
    assert get_annotates(made(make_doc(["PER", "LOC|GPE"]))) == ["PER", "LOC|GPE"]


def test_joined_documents_are_annotated_for_what_all_of_them_are():
    assert get_annotates(join_docs([make_doc(["ORG", "PER"]), make_doc(["PER", "LOC"])]) or make_doc()) == ["PER"]
    assert get_annotates(join_docs([make_doc(), make_doc()]) or make_doc([])) is None
