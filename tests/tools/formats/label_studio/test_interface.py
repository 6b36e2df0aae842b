from xml.etree import ElementTree

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_labelled_spans
from spacy_span_selector.tools.formats.label_studio import write_interface


def make_doc(*, clusters: bool = False, frames: bool = False) -> Doc:
    doc = Doc(Vocab(), words=["Ann", "left"])
    if clusters:
        set_clusters(doc, [[(0, 1)]], entity_types=['<per & "son">'])
    if frames:
        set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])])
    return doc


@pytest.mark.parametrize(
    "doc, labels, relations",
    [
        (make_doc(clusters=True), ["Mention", '<per & "son">'], ["coreferent"]),
        (make_doc(frames=True), ["Predicate", "Argument"], ["ARG0"]),
        (
            make_doc(clusters=True, frames=True),
            ["Mention", '<per & "son">', "Predicate", "Argument"],
            ["coreferent", "ARG0"],
        ),
    ],
)
def test_there_is_what_documents_have(doc: Doc, labels: list[str], relations: list[str]):
    view = ElementTree.fromstring(write_interface([doc, make_doc()]))
    assert [label.get("value") for label in view.iter("Label")] == labels
    assert [relation.get("value") for relation in view.iter("Relation")] == relations


def test_labels_of_labelled_spans_are_apart():
    doc = make_doc(clusters=True)
    set_labelled_spans(doc, [(0, 1, "person"), (0, 2, "Mention")])
    view = ElementTree.fromstring(write_interface([doc]))
    labels = {tag.get("name"): [label.get("value") for label in tag] for tag in view.iter("Labels")}
    assert labels == {"label": ["Mention", '<per & "son">'], "labelled": ["Mention", "person"]}


def test_labelled_spans_alone_need_no_other_labels():
    doc = make_doc()
    set_labelled_spans(doc, [(0, 1, "person")])
    view = ElementTree.fromstring(write_interface([doc]))
    assert [tag.get("name") for tag in view.iter("Labels")] == ["labelled"]


def test_there_is_all_for_raw_text():
    view = ElementTree.fromstring(write_interface([make_doc()]))
    assert [label.get("value") for label in view.iter("Label")] == ["Mention", "Predicate", "Argument"]
    assert {"coreferent", "ARG0"} < {relation.get("value") for relation in view.iter("Relation")}


def test_tags_name_each_other_and_the_text():
    view = ElementTree.fromstring(write_interface([make_doc()]))
    labels, text = view.find("Labels"), view.find("Text")
    assert labels is not None and text is not None
    assert (labels.get("name"), labels.get("toName"), text.get("name"), text.get("value")) == (
        "label",
        "text",
        "text",
        "$text",
    )


def test_a_label_that_xml_cannot_hold_is_refused():
    doc = make_doc()
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG\x01")])])
    with pytest.raises(ValueError, match=r"the label 'ARG\\x01' has a character that XML can't hold"):
        write_interface([doc])
