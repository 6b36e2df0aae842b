import json
from typing import Any

import numpy as np
import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_span_selector import annotation, to_dict
from spacy_span_selector.annotation import Argument, Frame

from ....spans import put_spans
from .documents import full_doc, rows

VOCAB = English().vocab
TEXT = "Ann: Ann Lee called her brother.\n\nHe was out. "


@pytest.fixture
def doc() -> Doc:
    return full_doc(VOCAB)


def test_a_document_with_everything(doc: Doc):
    assert json.loads(json.dumps(to_dict(doc), allow_nan=False)) == {
        "format": "spacy_span_selector.Doc.v2",
        "id": "the call",
        "text": TEXT,
        "sentences": {"start": [0, 34], "end": [34, 45]},
        "speakers": {"speaker": ["Ann"], "start": [5], "end": [45]},
        "clusters": {
            "representative": [0, 2],
            "name": ["ann", None],
            "entity_label": ["person", "PERSON"],
            "entity_id": ["Q7", None],
        },
        "mentions": {
            "cluster": [0, 0, 1, 1],
            "start": [5, 20, 20, 34],
            "end": [12, 23, 31, 36],
            "score": [0.75, 1.0, 0.5, 1.0],
            "link_score": [1.0, 0.875, 0.5, 0.25],
            "antecedent": [0, 0, 2, 2],
            "reason": [None, None, None, "has a name of the same entity"],
        },
        "characters": {
            "name": ["Ann Lee", "her brother"],
            "gender": ["female", "male"],
            "cluster": [0, 1],
            "count": [2, 2],
            "names": [{"Ann Lee": 1}, {}],
        },
        "unlinked_mentions": {"start": [41], "end": [44], "score": [0.625]},
        "frames": {"start": [13, 37], "end": [19, 40], "score": [1.0, None], "roleset": ["call.02", None]},
        "arguments": {
            "frame": [0, 0, 1],
            "role": ["ARG0", "ARG1", "ARG1"],
            "start": [5, 20, 34],
            "end": [12, 31, 36],
            "score": [0.5, 0.25, None],
            "cluster": [0, 1, 1],
        },
        "rolesets": {"roleset": ["call.02"], "name": ["to phone"], "roles": [{"ARG0": "caller"}]},
        "quotations": {
            "start": [34],
            "end": [44],
            "score": [0.375],
            "speaker": [0],
            "speaker_start": [5],
            "speaker_end": [12],
            "addressee": [1],
            "addressee_start": [20],
            "addressee_end": [31],
            "cue_start": [5],
            "cue_end": [19],
        },
        "labelled_spans": {"label": ["PERSON", "PERSON"], "start": [20, 20], "end": [23, 31], "score": [0.5, 0.75]},
    }


@pytest.mark.parametrize("score", [-0.5, 1.01, 1e9])
def test_a_score_that_is_no_probability_is_an_error(score: float):
    """Written, it could not be read."""
    doc = Doc(VOCAB, words=["Ann", "left"])
    annotation.set_title(doc, "a night")
    annotation.set_labelled_spans(doc, [(0, 1, "PER"), (1, 2, "EVENT")], [0.98765432, 1.00001])
    assert to_dict(doc)["labelled_spans"]["score"] == [0.9877, 1.0]  # once rounded
    annotation.set_labelled_spans(doc, [(0, 1, "PER"), (1, 2, "EVENT")], [1.0, score])
    message = (
        rf"Can't write document 'a night': labelled_spans.score\[1\] is {score}; expected a probability from 0 to 1"
    )
    with pytest.raises(ValueError, match=message):
        to_dict(doc)
    annotation.set_labelled_spans(doc, [])
    annotation.set_clusters(doc, [[(0, 1)]], link_scores=[[score]])
    with pytest.raises(ValueError, match=r"mentions.link_score\[0\] is "):
        to_dict(doc)


def test_an_argument_may_be_its_predicate():
    doc = Doc(VOCAB, words=["Ann", "left"])
    annotation.set_frames(doc, [Frame(1, 2, [Argument(1, 2, "V"), Argument(0, 1, "ARG0")], None, [1.0, 0.5, 0.25])])
    data = to_dict(doc)
    assert data["frames"] == {"start": [4], "end": [8], "score": [1.0]}
    assert (data["arguments"]["role"], data["arguments"]["score"]) == (["ARG0", "V"], [0.25, 0.5])


def test_an_argument_around_a_mention_has_its_cluster():
    doc = Doc(VOCAB, words=["Bob", "spoke", "to", "Ann", "about", "tea"])
    annotation.set_clusters(doc, [[(0, 1)], [(3, 4)]])
    annotation.set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 4, "ARG2"), Argument(4, 6, "ARG1")])])
    assert to_dict(doc)["arguments"]["cluster"] == [0, 1, None]


def test_tokens_are_written_if_asked_for_and_their_offsets_count_characters_not_their_parts():
    doc = Doc(VOCAB, words=["👩‍👩‍👧", "Ann"])
    assert "tokens" not in to_dict(doc)
    assert to_dict(doc, tokens=True)["tokens"] == {"start": [0, 6], "end": [5, 9]}


def test_what_is_not_known_is_left_out():
    doc = Doc(VOCAB, words=["London", "slept"], spaces=[True, False])
    nothing = {"format": "spacy_span_selector.Doc.v2", "text": "London slept"}
    assert to_dict(doc) == nothing
    annotation.set_clusters(doc, [[(0, 1)]])  # of no person
    mentions = {"cluster": [0], "start": [0], "end": [6]}
    assert to_dict(doc) == {**nothing, "clusters": {"representative": [0]}, "mentions": mentions}


def test_an_annotated_document_without_anything_has_empty_lists():
    doc = Doc(VOCAB, words=["Ann", "left"])
    annotation.set_mentions(doc, [], [])
    annotation.set_predicates(doc, [])
    annotation.set_quotations(doc, [])
    annotation.set_labelled_spans(doc, [])
    assert to_dict(doc) == {
        "format": "spacy_span_selector.Doc.v2",
        "text": "Ann left ",
        "clusters": {"representative": []},
        "mentions": {"cluster": [], "start": [], "end": []},
        "frames": {"start": [], "end": []},
        "arguments": {"frame": [], "role": [], "start": [], "end": []},
        "quotations": {"start": [], "end": []},
        "labelled_spans": {"label": [], "start": [], "end": []},
    }


def test_selected_spans_tell_that_the_component_ran():
    doc = Doc(VOCAB, words=["Ann", "left"])
    put_spans(doc, "srl_spans")
    assert to_dict(doc)["frames"] == {"start": [], "end": []}
    put_spans(doc, "mine")
    assert "frames" in to_dict(doc, spans_key="mine") and "frames" not in to_dict(doc, spans_key="no")


def test_other_prefixes(doc: Doc):
    parts = {"clusters", "unlinked_mentions", "frames"}
    other = Doc(VOCAB, words=["Ann", "left"])
    annotation.set_clusters(other, [[(0, 1)]], prefix="people")
    annotation.set_mentions(other, [(0, 1), (1, 2)], [1.0, 0.5], key="candidates")
    annotation.set_frames(other, [Frame(1, 2, [Argument(0, 1, "ARG0")])], prefix="roles")
    keys = {"cluster_prefix": "people", "mentions_key": "candidates", "frame_prefix": "roles"}
    data = to_dict(other, **keys)
    assert rows(data["mentions"]) == [{"cluster": 0, "start": 0, "end": 3}]
    assert rows(data["unlinked_mentions"]) == [{"start": 4, "end": 8, "score": 0.5}]
    assert rows(data["frames"]) == [{"start": 4, "end": 8}]
    found = to_dict(other)  # the mentions key is not noted: nothing but prefixes was given to the setters
    assert {**found, "unlinked_mentions": data["unlinked_mentions"]} == data
    assert not parts & to_dict(doc, **keys).keys()


def test_spans_without_tokens_are_left_out():
    doc = Doc(VOCAB, words=["Ann", "left"])
    put_spans(doc, "coref_clusters_1", (1, 1), (0, 1), scores=[0.25, 0.5], antecedents=[None, None])
    put_spans(doc, "coref_mentions", (1, 1), (0, 1), scores=[0.25, 0.5])
    put_spans(doc, "speakers", (0, 0, "Ann"))
    put_spans(doc, "sc", (1, 1, "PERSON"), (0, 1, "PERSON"), scores=[0.25, 0.5])
    data = to_dict(doc)
    assert data["clusters"] == {"representative": [0], "entity_label": ["PERSON"]}
    assert rows(data["mentions"]) == [{"cluster": 0, "start": 0, "end": 3, "score": 0.5, "antecedent": 0}]
    assert rows(data["unlinked_mentions"]) == rows(data["speakers"]) == []
    assert rows(data["labelled_spans"]) == [{"start": 0, "end": 3, "score": 0.5, "label": "PERSON"}]


@pytest.mark.parametrize("odd", ["x", 5, [0.5], [0.5, "x"], [0.5, float("nan")], [True, 0.5], [None, 0], {}, b"x"])
def test_attributes_of_another_kind_are_left_out(odd: Any):
    """A `.spacy` file may hold anything."""
    doc = Doc(VOCAB, words=["Ann", "left"])
    known = {"scores": odd, "link_scores": odd, "antecedents": [0, 0], "name": b"ann"}
    put_spans(doc, "coref_clusters_1", (0, 1), (1, 2), **known)
    put_spans(doc, "srl_1", (1, 2, "V"), (0, 1, "ARG0"), scores=odd, roleset=b"leave.01")
    put_spans(doc, "sc", (0, 1, "PERSON"), (0, 1, "NAME"), scores=odd)
    data = to_dict(doc)
    assert data["clusters"] == {"representative": [0], "entity_label": ["PERSON"]}
    assert data["mentions"] == {"cluster": [0, 0], "start": [0, 4], "end": [3, 8]}
    assert data["frames"] == {"start": [4], "end": [8]}
    assert data["arguments"] == {"frame": [0], "role": ["ARG0"], "start": [0], "end": [3], "cluster": [0]}
    assert data["labelled_spans"] == {"label": ["PERSON", "NAME"], "start": [0, 0], "end": [3, 3]}


def test_scores_as_spancat_writes_them_are_those_of_json():
    doc = Doc(VOCAB, words=["Ann", "left"])
    put_spans(doc, "sc", (0, 1, "PERSON"), scores=np.asarray([0.5], dtype="f"))
    assert json.loads(json.dumps(to_dict(doc)))["labelled_spans"]["score"] == [0.5]


def test_clusters_have_the_labels_of_the_labelled_spans_that_are_written():
    doc = Doc(VOCAB, words=["Ann", "left"])
    annotation.set_clusters(doc, [[(0, 1)]])
    annotation.set_labelled_spans(doc, [(0, 1, "PER")], key="other")
    assert "entity_label" not in to_dict(doc, labelled_key="sc")["clusters"]
    for data in (to_dict(doc), to_dict(doc, labelled_key="other")):
        assert data["clusters"]["entity_label"] == ["PER"]
        assert data["labelled_spans"] == {"label": ["PER"], "start": [0], "end": [3]}
