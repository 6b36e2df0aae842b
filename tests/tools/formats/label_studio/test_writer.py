import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.tools.formats.label_studio import read_label_studio, write_interface, write_label_studio

NLP = spacy.blank("en")
WORDS = ["Ann", "ca", "n't", "come", "😀", "\n", "She", "slept", "."]


def make_doc() -> Doc:
    """A document with words that no tokenizer finds, mentions in each other, and an argument that is no mention."""
    doc = Doc(Vocab(), words=WORDS, sent_starts=[i in (0, 6) for i in range(9)])
    annotation.set_title(doc, "the visit")
    annotation.set_clusters(doc, [[(0, 1), (6, 7)], [(0, 3)]], names=["ann", ""], entity_types=["person", "Predicate"])
    annotation.set_frames(
        doc, [Frame(3, 4, [Argument(0, 1, "ARG1"), Argument(4, 5, "ARGM-ADV")], "come.01"), Frame(7, 8, [])]
    )
    annotation.set_speakers(doc, [(0, 6, "Leo")])
    annotation.set_labelled_spans(doc, [(0, 1, "person"), (0, 3, "Predicate"), (0, 3, "event")])
    return doc


def result(doc: Doc, key: str = "predictions") -> list[dict[str, Any]]:
    (task,) = json.loads(write_label_studio([doc], annotations=key == "annotations"))
    found: list[dict[str, Any]] = task[key][0]["result"]
    return found


def test_what_is_written_is_read_back(tmp_path: Path):
    doc = make_doc()
    annotation.set_annotates(doc, ["person"])
    (tmp_path / "a.json").write_text(write_label_studio([doc, make_doc()], annotations=True), encoding="utf-8")
    back, other = read_label_studio(tmp_path / "a.json", NLP)
    assert [token.text for token in back] == WORDS
    assert [token.is_sent_start for token in back] == [token.is_sent_start for token in doc]
    assert annotation.get_clusters(back) == annotation.get_clusters(doc)
    assert [dict(group.attrs) for group in annotation.cluster_groups(back)] == [
        {"name": "ann", annotation.ENTITY_TYPE: "person"},
        {},
    ]
    assert annotation.get_frames(back) == annotation.get_frames(doc)
    assert annotation.get_labelled_spans(back) == annotation.get_labelled_spans(doc)
    assert annotation.get_speakers(back) == annotation.get_speakers(doc)
    assert annotation.get_title(back) == "the visit"
    assert (annotation.get_annotates(back), annotation.get_annotates(other)) == (["person"], None)


def test_regions_are_characters_with_labels():
    first, *_ = result(make_doc())
    assert first == {
        "id": "r1",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": {"start": 0, "end": 3, "text": "Ann", "labels": ["person"]},
        "meta": {"text": ["ann"]},
    }


def test_mentions_are_linked_to_their_antecedents():
    doc = Doc(Vocab(), words=["a", "b", "c", "d"])
    antecedents = {(0, 1): None, (1, 2): (0, 1), (2, 3): (0, 1), (3, 4): None}
    annotation.set_clusters(doc, [[*antecedents]], antecedents=antecedents, scores=dict.fromkeys(antecedents, 0.51239))
    found = result(doc)
    names = {each["id"]: each["value"]["text"] for each in found if each["type"] == "labels"}
    links = [(names[each["from_id"]], names[each["to_id"]]) for each in found if each["type"] == "relation"]
    assert links == [("b", "a"), ("c", "a"), ("d", "c")]
    assert {each["score"] for each in found if each["type"] == "labels"} == {0.5124}


def test_an_argument_that_is_a_mention_is_its_region():
    found = result(make_doc())
    labels = [each["value"]["labels"] for each in found if each.get("from_name") == "label"]
    assert labels == [["person"], ["person"], ["Mention"], ["Predicate"], ["Argument"], ["Predicate"]]


def test_labelled_spans_come_from_labels_of_their_own():
    doc = Doc(Vocab(), words=["Ann", "left"])
    annotation.set_labelled_spans(doc, [(0, 1, "person"), (0, 2, "event")], [0.51239, 0.25])
    assert [(each["from_name"], each["value"]["labels"], each["score"]) for each in result(doc)] == [
        ("labelled", ["person"], 0.5124),
        ("labelled", ["event"], 0.25),
    ]


def test_a_document_without_any_labelled_span_is_still_annotated_with_them(tmp_path: Path):
    doc = Doc(Vocab(), words=["Ann"])
    annotation.set_labelled_spans(doc, [])
    (tmp_path / "a.json").write_text(write_label_studio([doc], annotations=True), encoding="utf-8")
    (back,) = read_label_studio(tmp_path / "a.json", NLP)
    assert annotation.has_labelled_spans_annotated(back) and not annotation.has_clusters_annotated(back)


def test_documents_that_are_not_annotated_are_tasks_without_predictions():
    (task,) = json.loads(write_label_studio([Doc(Vocab(), words=["Ann"])]))
    assert task.keys() == {"data"}


def test_spans_that_cannot_be_written_are_left_out():
    doc = make_doc()
    annotation.set_frames(doc, [Frame(3, 4, [Argument(0, 1, "")])])
    doc.spans["coref_clusters_1"] = SpanGroup(doc, spans=[Span(doc, 2, 2), Span(doc, 0, 1)])
    doc.spans["sc"] = [Span(doc, 2, 2, "person"), Span(doc, 0, 1)]
    with pytest.warns(UserWarning, match="arguments without a role, .* relation: 1(.|\n)*labelled spans without a la"):
        found = result(doc, "annotations")
    assert [each["type"] for each in found] == ["labels"] * 3


def make_bare(*, clusters: bool = False, role: str = "", labelled: tuple[str, ...] = ()) -> Doc:
    doc = Doc(Vocab(), words=["Ann", "left"])
    if clusters:
        annotation.set_clusters(doc, [[(0, 1)]], entity_types=['<per & "son">'])
    if role:
        annotation.set_frames(doc, [Frame(1, 2, [Argument(0, 1, role)])])
    if labelled:
        annotation.set_labelled_spans(doc, [(0, 1, label) for label in labelled])
    return doc


MENTIONS, FRAMES = ["Mention", '<per & "son">'], ["Predicate", "Argument"]
ROLES = ["ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARGM-LOC", "ARGM-MNR", "ARGM-TMP"]


@pytest.mark.parametrize(
    "doc, labels, relations",
    [
        (make_bare(clusters=True), {"label": MENTIONS}, ["coreferent"]),
        (make_bare(role="ARG0"), {"label": FRAMES}, ["ARG0"]),
        (make_bare(clusters=True, role="ARG0"), {"label": MENTIONS + FRAMES}, ["coreferent", "ARG0"]),
        (
            make_bare(clusters=True, labelled=("person", "Mention")),
            {"label": MENTIONS, "labelled": ["Mention", "person"]},
            ["coreferent"],
        ),
        (make_bare(labelled=("person",)), {"labelled": ["person"]}, []),
        (make_bare(), {"label": ["Mention", *FRAMES]}, ["coreferent", *ROLES]),  # all for raw text
    ],
)
def test_the_interface_has_what_documents_have(doc: Doc, labels: dict[str, list[str]], relations: list[str]):
    view = ElementTree.fromstring(write_interface([doc, make_bare()]))
    assert {tag.get("name"): [label.get("value") for label in tag] for tag in view.iter("Labels")} == labels
    assert [relation.get("value") for relation in view.iter("Relation")] == relations
    (text,) = view.iter("Text")
    assert (text.get("name"), text.get("value")) == ("text", "$text")
    assert {tag.get("toName") for tag in view.iter("Labels")} == {"text"}


def test_a_label_that_xml_cannot_hold_is_refused():
    with pytest.raises(ValueError, match=r"the label 'ARG\\x01' has a character that XML can't hold"):
        write_interface([make_bare(role="ARG\x01")])
