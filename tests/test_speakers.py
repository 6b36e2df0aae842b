"""Markers of speakers, from a dialogue to what the components say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector import doc_from_turns
from spacy_span_selector.annotation import (
    Argument,
    Frame,
    get_clusters,
    get_frames,
    get_speaker_markers,
    set_clusters,
    set_constituents,
    set_frames,
    set_mentions,
    set_predicates,
    set_speaker_markers,
    set_speakers,
)
from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.people.dialogue import insert_speaker_markers, remove_speaker_markers

from .pipeline.components import COREF, SRL, Case, component, make_nlp, read_frames, train

TURNS = [("Ann Lee", "I saw Tom. He left"), ("Bob", "You saw him?"), ("Ann Lee", "Yes.")]


def references(nlp: Language) -> list[Doc]:
    """A dialogue, and a document in which a marker stands in the midst of a sentence."""
    doc = doc_from_turns(nlp, TURNS, markers=True)
    words = [token.text for token in doc]
    doc[words.index("He")].is_sent_start = True
    second = words.index("You")
    set_clusters(doc, [[(4, 5), (second, second + 1)], [(6, 7), (8, 9), (second + 2, second + 3)]])
    frames = [Frame(i, i + 1, [Argument(i - 1, i, "ARG0"), Argument(i + 1, i + 2, "ARG1")]) for i in (5, second + 1)]
    set_frames(doc, frames)
    words = ["Tom", "saw", "Ann", "and", "he", "left", "."]
    cut = Doc(nlp.vocab, words=words, spaces=[True] * 7, sent_starts=[True, *[False] * 6])
    set_clusters(cut, [[(0, 1), (4, 5)]])
    set_frames(cut, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")])])
    set_constituents(cut, [(0, 7, "S"), (0, 1, "NP"), (1, 3, "VP"), (4, 5, "NP")])
    set_speakers(cut, [(0, 3, "Ann"), (3, 7, "Bob")])
    return [doc, insert_speaker_markers(cut)]


def make_examples(nlp: Language) -> list[Example]:
    examples = []
    for reference in references(nlp):
        predicted = Doc(
            nlp.vocab,
            words=[token.text for token in reference],
            spaces=[bool(token.whitespace_) for token in reference],
            sent_starts=[token.is_sent_start for token in reference],
        )
        set_speaker_markers(predicted, get_speaker_markers(reference))
        examples.append(Example(predicted, reference))
    return examples


def trained(case: Case, selector: str = "structured", steps: int = 0, **config: Any) -> Language:
    fix_random_seed(0)
    nlp = make_nlp(case, selector, **config)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    train(nlp, examples, steps)
    return nlp


def spans(doc: Doc) -> list[tuple[int, int]]:
    """Every span that a component has written."""
    keys = [key for key in doc.spans if key.startswith(("coref_", "srl_")) and key != "srl_predicates"]
    return [(span.start, span.end) for key in keys for span in doc.spans[key]]


def assert_no_span_holds_a_marker(doc: Doc) -> None:
    marked = {i for start, end in get_speaker_markers(doc) for i in range(start, end)}
    assert marked and spans(doc)
    for start, end in spans(doc):
        assert start < end and not marked & set(range(start, end))


def test_another_selector_learns_from_dialogues() -> None:
    nlp = trained(COREF, "sigmoid", steps=3)
    assert not component(nlp).lost.counts
    assert_no_span_holds_a_marker(nlp(doc_from_turns(nlp, TURNS, markers=True)))


@pytest.fixture(scope="module")
def coref() -> Language:
    return trained(COREF, steps=60, threshold=0.2)


def test_coreference_is_learnt_and_found_in_dialogues(coref: Language) -> None:
    for example in make_examples(coref):
        assert get_clusters(coref(example.predicted)) == get_clusters(example.reference)
        assert coref.evaluate([example])["coref_f"] == 1.0
    assert not component(coref).lost.counts
    doc = coref(doc_from_turns(coref, TURNS, markers=True))
    assert get_clusters(doc) == get_clusters(references(coref)[0])


@pytest.mark.parametrize("selector", ["structured", "laminar", "sigmoid"])
def test_no_mention_holds_a_marker_though_every_span_is_likely(selector: str) -> None:
    nlp = trained(COREF, selector, threshold=0.0)
    for doc in nlp.pipe(
        [doc_from_turns(nlp, TURNS, markers=True), *(example.predicted for example in make_examples(nlp))]
    ):
        assert_no_span_holds_a_marker(doc)


@pytest.mark.parametrize("selector", ["structured", "laminar", "sigmoid"])
def test_no_predicate_or_argument_holds_a_marker(selector: str) -> None:
    untrained = trained(SRL, selector, threshold=0.0)
    docs = [
        doc_from_turns(untrained, TURNS, markers=True),
        *(example.predicted for example in make_examples(untrained)),
    ]
    for doc in docs:
        set_predicates(doc, [(i, i + 1) for i in range(len(doc))])
    for doc in untrained.pipe(docs):
        assert len(get_frames(doc)) == len(remove_speaker_markers(doc))
        assert_no_span_holds_a_marker(doc)


def test_semantic_roles_are_learnt_and_found_in_dialogues() -> None:
    nlp = trained(SRL, steps=40)
    for example in make_examples(nlp):
        assert read_frames(nlp(example.predicted)) == get_frames(example.reference)


def test_nothing_is_found_in_a_document_of_markers(coref: Language) -> None:
    only = Doc(coref.vocab, words=["<speaker>", "Ann", "</speaker>"] * 2, sent_starts=[True, *[False] * 5])
    set_speaker_markers(only, [(0, 3), (3, 6)])
    srl = trained(SRL)
    for nlp in (coref, srl):
        alone, beside, _ = nlp.pipe([only.copy(), only.copy(), doc_from_turns(nlp, TURNS, markers=True)], batch_size=3)
        assert spans(alone) == spans(beside) == []
        assert spans(nlp(only.copy())) == []
        set_mentions(only, [], [])
        set_predicates(only, [])
        nlp.update([Example(only.copy(), only)])


def test_a_text_may_hold_such_words_of_its_own() -> None:
    words = ["<speaker>", "Ann", "</speaker>", "left", "."]
    untrained = trained(COREF, threshold=0.0)
    doc = Doc(untrained.vocab, words=words, sent_starts=[True, *[False] * 4])
    assert {(0, 1), (1, 2), (2, 3)} <= set(spans(untrained(doc)))


def test_processes_keep_markers(coref: Language) -> None:
    docs = [doc_from_turns(coref, TURNS, markers=True) for _ in range(4)]
    expected = [get_clusters(coref(doc.copy())) for doc in docs]
    found = list(coref.pipe(docs, n_process=2, batch_size=1))
    assert [get_clusters(doc) for doc in found] == expected
    assert [get_speaker_markers(doc) for doc in found] == [[(0, 4), (10, 13), (17, 21)]] * 4


@pytest.mark.parametrize("gold_tokens", [True, False])
def test_markers_of_a_corpus_reach_the_pipeline(coref: Language, tmp_path: Path, gold_tokens: bool) -> None:
    gold = references(coref)
    DocBin(docs=gold, store_user_data=True).to_disk(tmp_path / "docs.spacy")
    for settings in ({}, {"speakers": False, "sentences": False}):
        examples = list(create_corpus(tmp_path / "docs.spacy", gold_tokens=gold_tokens, **settings)(coref))
        for example in examples:
            markers, wanted = (
                [doc[start:end].text for start, end in get_speaker_markers(doc)]
                for doc in (example.predicted, example.reference)
            )
            assert markers == wanted != []
            assert len(example.predicted) > len(example.reference) or gold_tokens
    examples = list(create_corpus(tmp_path / "docs.spacy", gold_tokens=gold_tokens)(coref))
    for example in examples:
        coref(example.predicted)
        assert_no_span_holds_a_marker(example.predicted)
