from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_span_selector import to_dict
from spacy_span_selector.annotation import (
    Argument,
    Frame,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_mentions,
    set_predicates,
    set_quotations,
)

from ...spans import put_spans
from .documents import full_doc

VOCAB = English().vocab
TEXT = "Ann: Ann Lee called her brother.\n\nHe was out. "


@pytest.fixture
def doc() -> Doc:
    return full_doc(VOCAB)


def span(text: str, start: int, **known: Any) -> dict[str, Any]:
    return {"start": start, "end": start + len(text), "text": text, **known}


def test_a_document_with_everything(doc: Doc):
    ann = [
        span("Ann Lee", 5, score=0.75, link_score=1.0, antecedent=None),
        span("her", 20, score=1.0, link_score=0.875, antecedent=0),
    ]
    brother = [
        span("her brother", 20, score=0.5, link_score=0.5, antecedent=None),
        span("He", 34, score=1.0, link_score=0.25, antecedent=0, reason="has a name of the same entity"),
    ]
    called = {
        "predicate": span("called", 13, score=1.0),
        "roleset": "call.02",
        "roleset_name": "to phone",
        "arguments": [
            {"role": "ARG0", "description": "caller", **span("Ann Lee", 5, score=0.5)},
            {"role": "ARG1", **span("her brother", 20, score=0.25)},
        ],
    }
    was = {"predicate": span("was", 37), "arguments": [{"role": "ARG1", **span("He", 34)}]}
    assert to_dict(doc) == {
        "format": "spacy_span_selector.Doc.v1",
        "id": "the call",
        "text": TEXT,
        "sentences": [{"start": 0, "end": 34}, {"start": 34, "end": 45}],
        "speakers": [{"speaker": "Ann", "start": 5, "end": 45}],
        "speaker_markers": [span("Ann:", 0)],
        "clusters": [
            {"name": "ann", "entity_label": "person", "entity_id": "Q7", "representative": 0, "mentions": ann},
            {"entity_label": "PERSON", "representative": 0, "mentions": brother},
        ],
        "characters": [
            {
                "name": "Ann Lee",
                "gender": "female",
                "cluster": 0,
                "count": 2,
                "names": [{"name": "Ann Lee", "count": 1}],
            },
            {"name": "her brother", "gender": "male", "cluster": 1, "count": 2, "names": []},
        ],
        "unlinked_mentions": [span("out", 41, score=0.625)],
        "frames": [called, was],
        "quotations": [
            span(
                "He was out",
                34,
                speaker=0,
                speaker_mention=span("Ann Lee", 5),
                addressee=1,
                addressee_mention=span("her brother", 20),
                cue=span("Ann Lee called", 5),
                score=0.375,
            )
        ],
        "labelled_spans": [
            span("her", 20, score=0.5, label="PERSON"),
            span("her brother", 20, score=0.75, label="PERSON"),
        ],
    }


def test_json_keeps_it_as_it_is(doc: Doc):
    data = to_dict(doc, tokens=True)
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_texts_are_those_at_their_offsets(doc: Doc):
    data = to_dict(doc)
    frames = [each for frame in data["frames"] for each in (frame["predicate"], *frame["arguments"])]
    spans = [*(mention for cluster in data["clusters"] for mention in cluster["mentions"]), *frames]
    assert [each["text"] for each in spans] == [data["text"][each["start"] : each["end"]] for each in spans]


def test_offsets_count_characters_not_their_parts():
    doc = Doc(VOCAB, words=["👩‍👩‍👧", "Ann"])
    set_clusters(doc, [[(1, 2)]])
    assert to_dict(doc)["clusters"][0]["mentions"] == [span("Ann", 6)]


def test_tokens_are_written_if_asked_for(doc: Doc):
    assert "tokens" not in to_dict(doc)
    tokens = to_dict(doc, tokens=True)["tokens"]
    assert [TEXT[token["start"] : token["end"]] for token in tokens] == [token.text for token in doc]


def test_what_is_not_known_is_left_out():
    doc = Doc(VOCAB, words=["Ann", "left"], spaces=[True, False])
    assert to_dict(doc) == {"format": "spacy_span_selector.Doc.v1", "text": "Ann left"}


def test_a_document_without_people_has_no_characters():
    doc = Doc(VOCAB, words=["London", "slept"])
    set_clusters(doc, [[(0, 1)]])
    assert len(to_dict(doc)["clusters"]) == 1 and "characters" not in to_dict(doc)


def test_an_annotated_document_without_anything_has_empty_lists():
    doc = Doc(VOCAB, words=["Ann", "left"])
    set_mentions(doc, [], [])
    set_predicates(doc, [])
    set_quotations(doc, [])
    set_labelled_spans(doc, [])
    data = to_dict(doc)
    assert (
        data["clusters"] == data["frames"] == data["quotations"] == data["labelled_spans"] == []
        and "unlinked_mentions" not in data
    )


def test_selected_spans_tell_that_the_component_ran():
    doc = Doc(VOCAB, words=["Ann", "left"])
    put_spans(doc, "srl_spans")
    assert to_dict(doc)["frames"] == []
    put_spans(doc, "mine")
    assert to_dict(doc, spans_key="mine")["frames"] == [] and "frames" not in to_dict(doc, spans_key="no")


def test_other_prefixes(doc: Doc):
    parts = {"clusters", "unlinked_mentions", "frames"}
    other = Doc(VOCAB, words=["Ann", "left"])
    set_clusters(other, [[(0, 1)]], prefix="people")
    set_mentions(other, [(0, 1), (1, 2)], [1.0, 0.5], key="candidates")
    set_frames(other, [Frame(1, 2, [Argument(0, 1, "ARG0")])], prefix="roles")
    keys = {"cluster_prefix": "people", "mentions_key": "candidates", "frame_prefix": "roles"}
    data = to_dict(other, **keys)
    assert [mention["text"] for cluster in data["clusters"] for mention in cluster["mentions"]] == ["Ann"]
    assert data["unlinked_mentions"] == [span("left", 4, score=0.5)]
    assert [frame["predicate"]["text"] for frame in data["frames"]] == ["left"]
    found = to_dict(other)  # the mentions key is not noted: nothing but prefixes was given to the setters
    assert {**found, "unlinked_mentions": data["unlinked_mentions"]} == data
    assert not parts & to_dict(doc, **keys).keys()


def test_spans_without_tokens_are_left_out():
    doc = Doc(VOCAB, words=["Ann", "left"])
    put_spans(doc, "coref_clusters_1", (1, 1), (0, 1), scores=[0.25, 0.5], antecedents=[None, None])
    put_spans(doc, "coref_mentions", (1, 1), (0, 1), scores=[0.25, 0.5])
    put_spans(doc, "speakers", (0, 0, "Ann"))
    put_spans(doc, "speaker_markers", (1, 1))
    put_spans(doc, "sc", (1, 1, "PERSON"), (0, 1, "PERSON"), scores=[0.25, 0.5])
    data = to_dict(doc)
    ann = {"representative": 0, "mentions": [span("Ann", 0, score=0.5, antecedent=None)]}
    assert data["clusters"] == [{"entity_label": "PERSON", **ann}]
    assert data["unlinked_mentions"] == data["speakers"] == data["speaker_markers"] == []
    assert data["labelled_spans"] == [span("Ann", 0, score=0.5, label="PERSON")]


@pytest.mark.parametrize("odd", ["x", 5, [0.5], [0.5, "x"], [0.5, float("nan")], [True, 0.5], [None, 0], {}, b"x"])
def test_attributes_of_another_kind_are_left_out(odd: Any):
    """A `.spacy` file may hold anything."""
    doc = Doc(VOCAB, words=["Ann", "left"])
    known = {"scores": odd, "link_scores": odd, "antecedents": [0, 0], "name": b"ann"}
    put_spans(doc, "coref_clusters_1", (0, 1), (1, 2), **known)
    put_spans(doc, "srl_1", (1, 2, "V"), (0, 1, "ARG0"), scores=odd, roleset=b"leave.01")
    put_spans(doc, "sc", (0, 1, "PERSON"), (0, 1, "NAME"), scores=odd)
    data = to_dict(doc)
    ann = {"representative": 0, "mentions": [span("Ann", 0), span("left", 4)]}
    assert data["clusters"] == [{"entity_label": "PERSON", **ann}]
    assert data["frames"] == [{"predicate": span("left", 4), "arguments": [{"role": "ARG0", **span("Ann", 0)}]}]
    assert data["labelled_spans"] == [span("Ann", 0, label="PERSON"), span("Ann", 0, label="NAME")]


def test_labelled_spans_under_another_key():
    doc = Doc(VOCAB, words=["Ann", "left"])
    put_spans(doc, "mine", (0, 1, "PERSON"))
    assert to_dict(doc, labelled_key="mine")["labelled_spans"] == [span("Ann", 0, label="PERSON")]
    assert "labelled_spans" not in to_dict(doc)


def test_scores_as_spancat_writes_them_are_those_of_json():
    doc = Doc(VOCAB, words=["Ann", "left"])
    put_spans(doc, "sc", (0, 1, "PERSON"), scores=np.asarray([0.5], dtype="f"))
    assert json.loads(json.dumps(to_dict(doc)))["labelled_spans"] == [span("Ann", 0, score=0.5, label="PERSON")]


def test_clusters_have_the_labels_of_the_labelled_spans_that_are_written():
    doc = Doc(VOCAB, words=["Ann", "left"])
    set_clusters(doc, [[(0, 1)]])
    set_labelled_spans(doc, [(0, 1, "PER")], key="other")
    assert to_dict(doc, labelled_key="other")["clusters"][0]["entity_label"] == "PER"
    assert "entity_label" not in to_dict(doc)["clusters"][0]
