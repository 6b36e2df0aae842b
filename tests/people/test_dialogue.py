from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
import spacy
from hypothesis import given, settings
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector import doc_from_turns
from spacy_span_selector.annotation import (
    SPEAKER_MARKERS_KEY,
    SPEAKERS_KEY,
    Argument,
    Frame,
    get_clusters,
    get_frames,
    get_speaker_markers,
    get_speakers,
    set_clusters,
    set_constituents,
    set_frames,
    set_mentions,
    set_speakers,
    set_title,
)
from spacy_span_selector.people.dialogue import insert_speaker_markers, remove_speaker_markers
from spacy_span_selector.tools.formats.ontogum import read_ontogum

from ..spans import put_spans

NLP = spacy.blank("en")
TURNS = [("Ann  Lee", "I saw him. Didn't you"), ("Bob", " Yes - \n"), ("Bob", "but why"), ("Ann Lee", "Oh!")]


def sentences(doc: Doc) -> list[str]:
    return [sentence.text for sentence in doc.sents]


def test_a_dialogue_has_turns_and_its_words_alone() -> None:
    doc = doc_from_turns(NLP, TURNS)
    assert doc.text == "I saw him. Didn't you Yes - but why Oh!"
    assert [name for _, _, name in get_speakers(doc)] == ["Ann Lee", "Bob", "Bob", "Ann Lee"]
    assert get_speaker_markers(doc) == []


def test_a_dialogue_has_markers_if_asked() -> None:
    doc = doc_from_turns(NLP, TURNS, markers=True)
    assert doc.text == (
        "<speaker> Ann Lee </speaker> I saw him. Didn't you <speaker> Bob </speaker> Yes - but why "
        "<speaker> Ann Lee </speaker> Oh!"
    )
    assert [(doc[start:end].text, name) for start, end, name in get_speakers(doc)] == [
        ("I saw him. Didn't you", "Ann Lee"),
        ("Yes -", "Bob"),
        ("but why", "Bob"),
        ("Oh!", "Ann Lee"),
    ]
    assert [doc[start:end].text for start, end in get_speaker_markers(doc)] == [
        "<speaker> Ann Lee </speaker>",
        "<speaker> Bob </speaker>",
        "<speaker> Ann Lee </speaker>",
    ]


def test_words_are_those_of_the_tokenizer() -> None:
    doc = doc_from_turns(NLP, [("Bob", "We can't."), ("Ann", "<speaker>")], markers=True)
    words = [[token for token in NLP.make_doc(text)] for text in ("We can't.", "<speaker>")]
    assert [(t.text, t.norm_) for t in remove_speaker_markers(doc)] == [(t.text, t.norm_) for w in words for t in w]


def test_each_turn_starts_a_sentence() -> None:
    expected = ["I saw him. Didn't you", "Yes -", "but why", "Oh!"]
    assert sentences(doc_from_turns(NLP, TURNS)) == expected
    assert sentences(remove_speaker_markers(doc_from_turns(NLP, TURNS, markers=True))) == expected


@pytest.mark.parametrize("component", ["sentencizer", "word_sentencizer", "senter", "parser"])
def test_a_pipeline_keeps_turns_apart(component: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(component)
    if not component.endswith("sentencizer"):
        example = {"heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "punct"], "sent_starts": [1, 0, 0]}
        doc = Doc(nlp.vocab, words=["I", "left", "."])
        nlp.initialize(lambda: [spacy.training.Example.from_dict(doc, example)])
    doc = nlp(doc_from_turns(nlp, TURNS, markers=True))
    starts = {sentence.start for sentence in doc.sents}
    assert {start for start, _, _ in get_speakers(doc)} | {start for start, _ in get_speaker_markers(doc)} <= starts


def test_the_sentencizer_finds_the_sentences_of_a_turn_and_none_in_a_name() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    turns = [("Dr . No", "I saw him. Who"), ("Ann", "Oh! No. Yes")]
    assert sentences(nlp(doc_from_turns(nlp, turns, markers=True))) == [
        "<speaker> Dr . No </speaker>",
        "I saw him.",
        "Who",
        "<speaker> Ann </speaker>",
        "Oh!",
        "No.",
        "Yes",
    ]


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([], r"no turns .*expected some, such as \[\(\"Ann\""),
        ([("Ann", "Oh.", "no")], r"Turn 1 is \('Ann', 'Oh.', 'no'\); expected a name and a text"),
        ([("Ann", "Oh."), "ab"], "Turn 2 is 'ab'; expected a name and a text"),
        ([("Ann", None)], r"Turn 1 is \('Ann', None\); expected a name and a text"),
        ([("Ann", "Oh."), (" ", "No.")], r"Turn 2, \(' ', 'No.'\), has no name. Name each speaker"),
        ([("Ann", "\n")], r"Turn 1, .*, has no text. Leave out turns"),
    ],
)
def test_what_is_no_dialogue_is_an_error(turns: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        doc_from_turns(NLP, turns)


def test_the_package_imports_spacy_only_when_it_is_needed() -> None:
    code = "import sys, spacy_span_selector as s; assert 'spacy' not in sys.modules; s.no_such_name"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "AttributeError: module 'spacy_span_selector' has no attribute 'no_such_name'" in found.stderr


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        (None, "The turns are None; expected a list of them"),
        ([("Ann", "Oh."), ("Bob", "\ud800")], r"Turn 2, '\\ud800', can't be split into words: .*surrogates"),
    ],
)
def test_what_the_tokenizer_cannot_split_is_named(turns: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        doc_from_turns(NLP, turns)


def test_a_turn_that_the_tokenizer_drops_is_an_error() -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab)
    with pytest.raises(ValueError, match=r"Turn 1, 'Oh\.', has no word for the tokenizer\. Leave out"):
        doc_from_turns(nlp, [("Ann", "Oh.")])


def test_a_name_that_cannot_be_saved_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"turns\[0\]\[2\], the speaker, is 'A\\ud800'"):
        doc_from_turns(NLP, [("A\ud800", "Oh.")])


ONTOGUM = Path(__file__).parents[3] / "shared/data/ontogum"
VOCAB = Vocab()
WORDS = ["I", "left", ".", "You", "saw", "me", ".", "Did", "I", "?"]
STARTS: list[bool | int | None] = [i in (0, 3, 7) for i in range(10)]
TURNS_MARKERS = [(0, 3, "Ann Lee"), (3, 7, "Bob"), (7, 10, "Ann Lee")]


def make_doc(turns: list[tuple[int, int, str]] = TURNS_MARKERS, spaces: list[bool] | None = None) -> Doc:
    doc = Doc(VOCAB, words=WORDS, spaces=spaces, sent_starts=STARTS, tags=list("abcdefghij"))
    set_title(doc, "the hall")
    set_clusters(doc, [[(0, 1), (5, 6), (8, 9)], [(3, 4), (3, 7)]], names=["ann", "bob"])
    set_mentions(doc, [(0, 1), (3, 4), (8, 9)], [0.5, 0.75, 1.0])
    set_frames(doc, [Frame(4, 5, [Argument(3, 4, "ARG0"), Argument(5, 6, "ARG1")], "see.01", [1.0, 0.5, 0.25])])
    set_constituents(doc, [(0, 10, "TOP"), (3, 7, "S"), (4, 6, "VP")])
    set_speakers(doc, turns)
    return doc


def words(doc: Doc) -> str:
    return " ".join(token.text for token in doc)


def content(doc: Doc) -> tuple[object, ...]:
    groups = {
        key: (group.attrs, [(span.start, span.end, span.label_) for span in group]) for key, group in doc.spans.items()
    }
    tokens = [(token.text, token.whitespace_, token.tag_, token.is_sent_start) for token in doc]
    return tokens, groups, doc.user_data, doc.has_unknown_spaces


def test_markers_stand_before_each_change_of_speaker() -> None:
    doc = insert_speaker_markers(make_doc())
    assert words(doc) == (
        "<speaker> Ann Lee </speaker> I left . <speaker> Bob </speaker> You saw me . "
        "<speaker> Ann Lee </speaker> Did I ?"
    )
    assert get_speaker_markers(doc) == [(0, 4), (7, 10), (14, 18)]
    assert [doc[start:end].text for start, end in get_speaker_markers(doc)] == [
        "<speaker> Ann Lee </speaker>",
        "<speaker> Bob </speaker>",
        "<speaker> Ann Lee </speaker>",
    ]


def test_annotation_keeps_its_words() -> None:
    doc = insert_speaker_markers(make_doc())
    assert get_clusters(doc) == [[(4, 5), (12, 13), (19, 20)], [(10, 11), (10, 14)]]
    assert [group.attrs["name"] for group in (doc.spans["coref_clusters_1"], doc.spans["coref_clusters_2"])] == [
        "ann",
        "bob",
    ]
    assert get_frames(doc) == [
        Frame(11, 12, [Argument(10, 11, "ARG0"), Argument(12, 13, "ARG1")], "see.01", [1.0, 0.5, 0.25])
    ]
    assert get_speakers(doc) == [(4, 7, "Ann Lee"), (10, 14, "Bob"), (18, 21, "Ann Lee")]
    assert [span.text for span in doc.spans["constituents"]][1:] == ["You saw me .", "saw me"]
    assert doc.user_data == {"title": "the hall"}
    assert [sentence.text for sentence in doc.sents][2:4] == ["<speaker> Bob </speaker>", "You saw me ."]


def test_a_turn_by_the_same_speaker_gets_no_marker() -> None:
    doc = insert_speaker_markers(make_doc([(0, 3, "Ann"), (3, 7, " Ann"), (7, 10, "Bob")]))
    assert get_speaker_markers(doc) == [(0, 3), (10, 13)]


def test_a_turn_without_a_name_gets_no_marker_and_ends_the_one_before() -> None:
    doc = insert_speaker_markers(make_doc([(0, 3, "Ann"), (3, 7, ""), (7, 10, "Ann")]))
    assert get_speaker_markers(doc) == [(0, 3), (10, 13)]
    unnamed = make_doc([])
    put_spans(unnamed, SPEAKERS_KEY, (0, 3, ""), (3, 7, " "), (7, 7, "Bob"), (10, 10, "Ann"))
    assert insert_speaker_markers(unnamed) is unnamed


def test_a_marker_may_stand_in_the_midst_of_a_sentence() -> None:
    doc = insert_speaker_markers(make_doc([(0, 5, "Ann"), (5, 10, "Bob")]))
    assert [sentence.text for sentence in doc.sents] == [
        "<speaker> Ann </speaker>",
        "I left .",
        "You saw <speaker> Bob </speaker> me .",
        "Did I ?",
    ]
    assert get_clusters(doc)[1] == [(6, 7), (6, 13)]
    assert content(remove_speaker_markers(doc)) == content(make_doc([(0, 5, "Ann"), (5, 10, "Bob")]))


def test_documents_without_speakers_come_back_unchanged() -> None:
    doc = Doc(VOCAB, words=["<speaker>", "Ann", "</speaker>", "no"])
    assert insert_speaker_markers(doc) is remove_speaker_markers(doc) is doc


def test_markers_are_put_in_once() -> None:
    doc = insert_speaker_markers(make_doc())
    assert insert_speaker_markers(doc) is doc


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10), st.sampled_from(["Ann", "Ann Lee", "", "Bob"]))),
    st.none() | st.lists(st.booleans(), min_size=10, max_size=10),
)
def test_removing_what_was_inserted_loses_nothing(turns: list[tuple[int, int, str]], spaces: list[bool] | None) -> None:
    doc = make_doc([], spaces)
    put_spans(doc, SPEAKERS_KEY, *[(min(turn[:2]), max(turn[:2]), turn[2]) for turn in turns])
    before = content(doc)
    assert content(remove_speaker_markers(insert_speaker_markers(doc))) == before == content(doc)


def test_what_lies_in_a_marker_is_removed_with_it() -> None:
    doc = insert_speaker_markers(make_doc())
    doc.spans["names"] = [Span(doc, 1, 3, "PERSON"), Span(doc, 2, 5, "PERSON")]
    without = remove_speaker_markers(doc)
    assert [(span.start, span.end) for span in without.spans["names"]] == [(0, 1)]
    assert SPEAKER_MARKERS_KEY not in without.spans


def test_nothing_is_left_of_a_document_of_markers() -> None:
    doc = insert_speaker_markers(make_doc())
    markers = doc[:4].as_doc()
    markers.spans[SPEAKER_MARKERS_KEY] = [markers[0:4]]
    assert len(remove_speaker_markers(markers)) == 0


@pytest.mark.slow
@pytest.mark.skipif(not ONTOGUM.is_dir(), reason=f"needs OntoGUM in {ONTOGUM}: see the assets of project.yml")
@pytest.mark.filterwarnings("ignore:Left out")
def test_removing_what_was_inserted_loses_nothing_on_ontogum() -> None:
    n_marked = n_markers = 0
    for doc in read_ontogum(ONTOGUM, VOCAB):
        before = content(doc)
        marked = insert_speaker_markers(doc)
        n_marked += marked is not doc
        n_markers += len(get_speaker_markers(marked))
        assert content(remove_speaker_markers(marked)) == before
    assert (n_marked, n_markers) == (96, 2193)
