from __future__ import annotations

import pytest
import torch
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.annotation import GIVEN_MENTIONS_KEY, set_speaker_markers, set_title
from spacy_span_selector.documents.words import read_all_words
from spacy_span_selector.examples.alignment import CROSSES_SENTENCES, EMPTY, HOLDS_MARKER
from spacy_span_selector.examples.given_mentions import TOO_WIDE_HERE, given_mentions
from spacy_span_selector.examples.lost import LostSpans
from spacy_span_selector.examples.sentences import sentence_runs
from spacy_span_selector.layers.selection.candidates import AboveThreshold
from spacy_span_selector.layers.spans import layout
from spacy_span_selector.layers.spans.layout import SpanLayout

VOCAB = Vocab()
WORDS = ["Ann", "saw", "her", "brother", ".", "He", "left", "."]

ONE_WORD = AboveThreshold(0.5)
"""With the probabilities below, it chooses the first token of each sentence."""


def make_doc(given: list[tuple[int, int]] | None, key: str = GIVEN_MENTIONS_KEY) -> Doc:
    doc = Doc(VOCAB, words=WORDS, sent_starts=[i in (0, 5) for i in range(8)])
    set_title(doc, "the station")
    if given is not None:
        doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, start, end) for start, end in given])
    return doc


def chosen(
    *docs: Doc, key: str = GIVEN_MENTIONS_KEY, most: int | None = None
) -> tuple[list[tuple[int, int]], LostSpans]:
    """The spans that are linked, as rows of the token matrix, end exclusive, and what is left out."""
    built = SpanLayout.build(sentence_runs(docs, "coref"), None, most)
    starts, ends = built.locate(torch.arange(built.size))
    first_words = (starts == ends) & (built.place[starts] == 0) & built.valid()
    strategy, lost = given_mentions(read_all_words(docs), built, key, ONE_WORD)
    starts, ends = built.locate(strategy(torch.zeros(built.size), first_words.float().log(), built))
    return list(zip(starts.tolist(), (ends + 1).tolist(), strict=True)), lost


def test_only_given_mentions_are_linked() -> None:
    assert chosen(make_doc([(2, 4), (2, 3), (1, 3)])) == ([(1, 3), (2, 3), (2, 4)], LostSpans())


def test_an_empty_group_says_that_there_are_no_mentions() -> None:
    assert chosen(make_doc([]))[0] == []


def test_other_documents_of_the_batch_are_not_affected() -> None:
    found, _ = chosen(make_doc(None), make_doc([(6, 7)]), make_doc([]), make_doc(None))
    assert found == [(0, 1), (5, 6), (14, 15), (24, 25), (29, 30)]


def test_without_given_mentions_the_strategy_is_the_same() -> None:
    docs = [make_doc(None), make_doc([(0, 1)], key="entities")]
    built = SpanLayout.build(sentence_runs(docs, "coref"))
    assert given_mentions(read_all_words(docs), built, GIVEN_MENTIONS_KEY, ONE_WORD) == (ONE_WORD, LostSpans())


def test_the_key_can_be_chosen() -> None:
    assert chosen(make_doc([(2, 4)], key="entities"), key="entities")[0] == [(2, 4)]


def test_a_span_that_is_given_twice_is_linked_once() -> None:
    assert chosen(make_doc([(2, 4), (0, 1), (2, 4)]))[0] == [(0, 1), (2, 4)]


def test_spans_that_cannot_be_linked_are_left_out_and_counted() -> None:
    doc = make_doc([(2, 4), (3, 6), (4, 6), (8, 8), (0, 8)])
    found, lost = chosen(make_doc(None), doc)
    assert found == [(0, 1), (5, 6), (10, 12)]
    assert lost.counts == {CROSSES_SENTENCES: 3, EMPTY: 1}
    assert lost.first[CROSSES_SENTENCES] == "'brother . He' in document 'the station'"


def test_spans_that_hold_a_marker_of_a_speaker_are_left_out() -> None:
    doc = make_doc([(4, 6), (5, 6), (5, 7), (6, 8), (7, 8)])
    set_speaker_markers(doc, [(5, 7)])
    found, lost = chosen(doc)
    assert found == [(7, 8)]
    assert lost.counts == {HOLDS_MARKER: 4}


def test_mentions_that_a_long_sentence_has_no_score_for_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layout, "LEAST_LONG", 4)
    found, lost = chosen(make_doc([(0, 1), (0, 3), (5, 8)]), most=2)
    assert found == [(0, 1), (5, 8)]  # the second sentence has three words
    assert lost.counts == {TOO_WIDE_HERE: 1}
    assert lost.first[TOO_WIDE_HERE] == "'Ann saw her' in document 'the station'"
