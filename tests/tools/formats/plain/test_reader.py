from __future__ import annotations

import copy
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.annotation import (
    Argument,
    Frame,
    Quotation,
    cluster_groups,
    get_clusters,
    get_frames,
    get_labelled_spans,
    get_quotations,
    get_speaker_markers,
    get_speakers,
    has_labelled_spans_annotated,
    has_quotations_annotated,
    set_frames,
    set_labelled_spans,
)
from spacy_span_selector.extensions import doc_clusters

from ....robustness.strategies import odd_values, raw_texts
from .documents import always_the_same, annotated, content, full_doc, rounded, rows

NLP = spacy.blank("en")


def read(data: Any, nlp: Language = NLP) -> Doc:
    """A document of which nothing is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return from_dict(data, nlp)


def make_data(text: str = "Ann called her brother.", **parts: Any) -> dict[str, Any]:
    """Data of version 1, which others are turned into."""
    return {"format": "spacy_span_selector.Doc.v1", "text": text, **parts}


def span(start: int, end: int, **parts: Any) -> dict[str, Any]:
    return {"start": start, "end": end, **parts}


@always_the_same
@given(doc=annotated(NLP.vocab))
def test_nothing_is_lost_with_tokens(doc: Doc):
    data = json.loads(json.dumps(to_dict(doc, tokens=True)))
    assert content(read(data)) == rounded(content(doc))


@always_the_same
@given(data=st.data(), text=raw_texts)
def test_nothing_is_lost_with_the_same_tokenizer(data: st.DataObject, text: str):
    doc = data.draw(annotated(NLP.vocab, NLP.make_doc(text)))
    assert content(read(to_dict(doc))) == rounded(content(doc))


VERSION_1 = [json.loads(line) for line in Path(__file__).with_name("version_1.jsonl").read_bytes().splitlines()]
"""A document with everything, and one of a pipeline, as version 1 wrote them."""


def test_version_1_is_read():
    doc = full_doc(NLP.vocab)
    assert content(read(VERSION_1[0])) == content(doc)
    del VERSION_1[0]["tokens"]
    assert content(read(VERSION_1[0])) == content(doc)


def test_version_1_becomes_version_2():
    before = VERSION_1[1]
    data = to_dict(read(before))
    assert data["format"] == "spacy_span_selector.Doc.v2"
    frames = rows(data["frames"])
    assert [frame["roleset"] for frame in frames] == [frame["roleset"] for frame in before["frames"]]
    for argument, old in zip(
        rows(data["arguments"]), [a for frame in before["frames"] for a in frame["arguments"]], strict=True
    ):
        assert data["text"][argument["start"] : argument["end"]] == old["text"]
        assert (argument["role"], argument["score"]) == (old["role"], round(old["score"], 4))
    assert data["arguments"]["cluster"] == [0, 1, None, 1, 1, 0]
    assert rows(data["rolesets"])[0] == {
        "roleset": "give.01",
        "name": "transfer",
        "roles": {"ARG0": "giver", "ARG1": "thing given", "ARG2": "entity given to"},
    }
    assert data["mentions"]["antecedent"] == [0, 0, 0, 3, 3, 4]
    assert content(read(data)) == rounded(content(read(before)))


def test_frames_that_say_different_things_of_a_roleset_keep_what_they_say():
    doc = NLP("Ann left. Bob left.")
    frames = [
        Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01", None, "go", {"ARG0": "goer"}),
        Frame(4, 5, [Argument(3, 4, "ARG0")], "leave.01", None, "leave behind"),
    ]
    set_frames(doc, frames)
    data = to_dict(doc)
    assert "rolesets" not in data
    assert data["frames"]["roleset_name"] == ["go", "leave behind"]
    assert get_frames(read(data)) == frames


def test_the_meaning_of_a_role_is_that_of_its_references_and_continuations():
    doc = Doc(NLP.vocab, words=["a", "b", "c", "d", "e"])
    spans = [Argument(i, i + 1, role) for i, role in enumerate(["ARG0", "R-ARG0", "C-ARG0", "R-ARG1"], start=1)]
    texts = {"ARG0": "giver", "R-ARG0": "giver", "R-ARG1": "gift"}
    set_frames(doc, [Frame(0, 1, spans, "give.01", descriptions=texts)])
    data = to_dict(doc, tokens=True)
    assert data["rolesets"]["roles"] == [{"ARG0": "giver", "C-ARG0": None, "R-ARG1": "gift"}]
    assert get_frames(from_dict(data, NLP))[0].descriptions == texts


def test_a_label_that_labelled_spans_tell_follows_them():
    data = to_dict(full_doc(NLP.vocab), tokens=True)
    doc = read(data)
    assert [cluster.label_ for cluster in doc_clusters(doc)] == ["person", "PERSON"]
    assert [group.attrs.get("entity_type") for group in cluster_groups(doc)] == ["person", None]
    set_labelled_spans(doc, [(5, 7, "VEH")])
    assert [cluster.label_ for cluster in doc_clusters(doc)] == ["person", "VEH"]


def test_a_vocabulary_will_do_for_data_with_tokens():
    doc = full_doc(NLP.vocab)
    assert content(from_dict(to_dict(doc, tokens=True), NLP.vocab)) == content(doc)
    with pytest.raises(ValueError, match="Can't read document 'the call': it has no 'tokens', and a Vocab has no tok"):
        from_dict(to_dict(doc), NLP.vocab)


def test_what_was_read_can_be_saved():
    doc = read(to_dict(full_doc(NLP.vocab)))
    saved = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (loaded,) = DocBin().from_bytes(saved).get_docs(NLP.vocab)
    assert content(loaded) == content(doc)


def test_other_keys_of_spans():
    data = to_dict(full_doc(NLP.vocab))
    del data["clusters"]["entity_id"]  # it comes from `doc.ents`, which plain data does not hold
    keys = {"cluster_prefix": "people", "mentions_key": "candidates", "frame_prefix": "roles", "labelled_key": "nested"}
    doc = from_dict(data, NLP, **keys)
    assert {*doc.spans} == {
        *("people_1", "people_2", "candidates", "roles_1", "roles_2", "speakers", "speaker_markers", "quotations_1"),
        "nested",
    }
    assert to_dict(doc, **keys) == data
    assert {*from_dict(make_data(frames=[]), NLP, predicates_key="verbs").spans} == {"verbs"}


def test_unknown_keys_are_ignored_and_null_counts_as_missing():
    data = make_data(
        id=None,
        source="my archive",
        clusters=[{"mentions": [span(0, 3, score=None, colour="red")], "name": None}],
        frames=None,
    )
    doc = read(data)
    assert get_clusters(doc) == [[(0, 1)]] and {*doc.spans} == {"coref_clusters_1"}
    assert doc.spans["coref_clusters_1"].attrs == {} and doc.user_data == {}


def test_mentions_may_be_in_any_order():
    mentions = [span(11, 14, antecedent=1), span(0, 3, antecedent=None)]
    doc = read(make_data(clusters=[{"mentions": mentions}]))
    assert get_clusters(doc) == [[(0, 1), (2, 3)]]
    assert doc.spans["coref_clusters_1"].attrs == {"antecedents": [None, 0]}


def test_quotations_that_do_not_align_are_left_out_and_what_else_does_not_is_not_known():
    quotations = [span(11, 22, speaker_mention=span(0, 3), cue=span(0, 9), score=0.5), span(12, 22)]
    doc, message = warning_about(make_data(quotations=quotations))
    assert "don't begin and end with tokens: 2. The first: quotations[1], 'er brother' at 12" in message
    assert get_quotations(doc) == [Quotation(2, 4, speaker=(0, 1), score=0.5)]


def test_data_from_before_there_were_quotations_is_not_annotated_for_them():
    assert not has_quotations_annotated(read(make_data()))
    assert has_quotations_annotated(read(make_data(quotations=[])))


def test_data_without_labelled_spans_is_not_annotated_with_them():
    assert not has_labelled_spans_annotated(read(make_data(labelled_spans=None)))
    assert has_labelled_spans_annotated(read(make_data(labelled_spans=[])))


def test_a_span_may_have_several_labels_under_any_key():
    labelled = [span(11, 14, label="PERSON", score=0.5), span(11, 14, label="FEMALE", score=0.25)]
    doc = from_dict(make_data(labelled_spans=labelled), NLP, labelled_key="mine")
    assert get_labelled_spans(doc, "mine") == [(2, 3, "FEMALE"), (2, 3, "PERSON")]
    assert doc.spans["mine"].attrs["scores"] == [0.25, 0.5] and "sc" not in doc.spans
    assert to_dict(doc)["labelled_spans"]["label"] == ["FEMALE", "PERSON"]


def test_white_space_before_a_sentence_belongs_to_the_one_before_or_to_the_first():
    doc = read(make_data("\nAnn left.\n\nBob slept.", sentences=[span(1, 10), span(12, 22)]))
    assert [sentence.text for sentence in doc.sents] == ["\nAnn left.\n\n", "Bob slept."]


def test_of_two_scores_of_one_span_both_are_kept_and_the_first_is_that_of_the_selected_span():
    clusters = [{"mentions": [span(0, 3, score=score, text="Ann")], "representative": 0} for score in (0.25, 0.75)]
    data = make_data(clusters=clusters, unlinked_mentions=[span(4, 10, score=0.5, text="called")])
    doc = read(data)
    assert doc.spans["coref_mentions"].attrs == {"scores": [0.25, 0.5]}
    assert rows(to_dict(doc)["mentions"]) == [
        {"cluster": number, "start": 0, "end": 3, "score": score} for number, score in enumerate((0.25, 0.75))
    ]


def test_a_text_that_is_too_long_for_the_tokenizer_is_named():
    nlp = spacy.blank("en")
    nlp.max_length = 10
    with pytest.raises(
        ValueError, match=r"Can't read document starting 'Ann called.*can't be split into tokens: \[E088"
    ):
        from_dict(make_data(), nlp)


def test_a_tokenizer_that_changes_the_text_is_an_error():
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split())
    with pytest.raises(ValueError, match="the tokenizer of the pipeline changes its text"):
        from_dict(make_data("Ann  left"), nlp)


# Tokens


def tokens(*places: tuple[int, int]) -> list[dict[str, Any]]:
    return [span(*place) for place in places]


@pytest.mark.parametrize(
    ("text", "places", "expected"),
    [
        ("Ann left.", [(0, 3), (4, 8), (8, 9)], ["Ann ", "left", "."]),
        ("Ann  left", [(0, 3), (5, 9)], ["Ann ", " ", "left"]),
        ("Ann \n\nleft", [(0, 3), (6, 10)], ["Ann ", "\n\n", "left"]),
        ("Ann\tleft", [(0, 3), (4, 8)], ["Ann", "\t", "left"]),
        ("  Ann ", [(2, 5)], ["  ", "Ann "]),
        ("Ann left", [(0, 3), (3, 4), (4, 8)], ["Ann", " ", "left"]),
        ("Ann left", [(0, 8)], ["Ann left"]),
        ("  ", [], ["  "]),
        ("", [], []),
    ],
)
def test_white_space_between_tokens_is_kept(text: str, places: list[tuple[int, int]], expected: list[str]):
    doc = from_dict(make_data(text, tokens=tokens(*places)), NLP.vocab)
    assert doc.text == text
    assert [token.text_with_ws for token in doc] == expected


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([(0, 3), (2, 8)], r"tokens\[1\].start is 2; expected at least 3, where the token before it ends"),
        ([(4, 8), (0, 3)], r"the text between tokens at 0 is 'Ann '; expected white space"),
        ([(0, 3)], "the text between tokens at 3 is ' left'; expected white space"),
        ([], "the text between tokens at 0 is 'Ann left'; expected white space"),
    ],
)
def test_tokens_are_in_order_and_cover_all_words(places: list[tuple[int, int]], message: str):
    with pytest.raises(ValueError, match=f"^Can't read document starting 'Ann left': {message}"):
        from_dict(make_data("Ann left", tokens=tokens(*places)), NLP.vocab)


# What does not align


def warning_about(data: dict[str, Any]) -> tuple[Doc, str]:
    with pytest.warns(UserWarning) as caught:
        doc = from_dict(data, NLP)
    (warning,) = caught
    assert warning.filename == __file__
    return doc, str(warning.message)


def test_spans_between_tokens_are_left_out_and_counted():
    mentions = [span(0, 2, antecedent=None), span(0, 3, antecedent=None), span(11, 14, antecedent=0)]
    data = make_data(
        clusters=[{"mentions": mentions}, {"mentions": [span(1, 2)]}],
        unlinked_mentions=[span(3, 4), span(15, 22)],
        frames=[
            {"predicate": span(4, 10), "arguments": [span(0, 3, role="ARG0"), span(11, 21, role="ARG1")]},
            {"predicate": span(4, 9), "arguments": []},
        ],
        speakers=[span(0, 1, speaker="Ann")],
        speaker_markers=[span(0, 1)],
    )
    doc, message = warning_about(data)
    assert message.startswith(
        "Left out spans that don't begin and end with tokens: 7. The first: speakers[0], 'A' at 0"
    )
    assert "Left out frames whose predicate is left out: 1. The first: frames[1], 'calle' at 4, in docu" in message
    assert get_clusters(doc) == [[(0, 1), (2, 3)]]
    assert doc.spans["coref_clusters_1"].attrs["antecedents"] == [None, None]
    assert [token.text for token in doc.spans["coref_mentions"]] == ["Ann", "her", "brother"]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")])]
    assert get_speakers(doc) == get_speaker_markers(doc) == []


def test_spans_of_another_text_are_left_out_and_counted():
    doc, message = warning_about(make_data(clusters=[{"mentions": [span(0, 3, text="Ann"), span(4, 10, text="her")]}]))
    expected = "clusters[0].mentions[1], which has the text 'her', 'called' at 4, in document starting 'Ann called her "
    assert f"Left out spans whose text is not that at their offsets: 1. The first: {expected}" in message
    assert get_clusters(doc) == [[(0, 1)]]


def test_sentences_that_start_in_a_token_are_counted():
    doc, message = warning_about(make_data("Ann left. Bob slept.", sentences=[span(0, 7), span(7, 12), span(12, 20)]))
    assert "Left out starts of sentences where no token starts: 2. The first: sentences[1]" in message
    assert len(list(doc.sents)) == 1


def test_a_labelled_span_that_does_not_align_is_left_out_with_its_score():
    labelled = [span(0, 2, label="PERSON", score=0.5), span(11, 22, label="PERSON", score=0.25)]
    doc, message = warning_about(make_data(labelled_spans=labelled))
    assert "don't begin and end with tokens: 1. The first: labelled_spans[0], 'An' at 0" in message
    assert get_labelled_spans(doc) == [(2, 4, "PERSON")] and doc.spans["sc"].attrs == {"scores": [0.25]}


def test_scores_that_only_some_spans_have_are_counted():
    mentions = [span(0, 3, score=0.5, link_score=1.0), span(11, 14, link_score=0.5, antecedent=0)]
    frame = {"predicate": span(4, 10), "arguments": [span(0, 3, role="ARG0", score=0.5)]}
    doc, message = warning_about(make_data(clusters=[{"mentions": mentions}], frames=[frame], unlinked_mentions=[]))
    assert (
        "scores and antecedents that only some spans of a cluster or frame have: 4. The first: clusters[0]" in message
    )
    assert doc.spans["coref_clusters_1"].attrs == {"link_scores": [1.0, 0.5]}
    assert get_frames(doc)[0].scores is None


# Bad data


@always_the_same
@given(data=st.data())
def test_damaged_data_is_read_or_named(data: st.DataObject):
    damaged = copy.deepcopy(to_dict(full_doc(NLP.vocab), tokens=data.draw(st.booleans())))
    for _ in range(data.draw(st.integers(1, 3))):
        damage(damaged, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            doc = from_dict(damaged, NLP)
        except ValueError as error:
            assert re.match("Can't read .*(expected|is missing|should have)", str(error), re.DOTALL)
        else:
            written = to_dict(doc)
            assert json.loads(json.dumps(written, allow_nan=False)) == written


def damage(value: Any, data: st.DataObject) -> None:
    """Change or remove something in plain data, or something in it."""
    if not isinstance(value, dict | list) or not value:
        return
    key = data.draw(st.sampled_from([*value]) if isinstance(value, dict) else st.integers(0, len(value) - 1))
    what = data.draw(st.sampled_from(["go deeper", "go deeper", "go deeper", "replace", "remove"]))
    if what == "go deeper" and isinstance(value[key], dict | list):
        damage(value[key], data)
    elif what == "remove":
        del value[key]
    else:
        value[key] = data.draw(odd_values)
