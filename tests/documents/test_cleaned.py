from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.documents.cleaned import are_blank, clean_doc, count_words, remove_white_space
from spacy_span_selector.documents.visible import is_blank

NLP = spacy.blank("en")


def test_a_document_without_white_space_is_read_as_it_is() -> None:
    doc = NLP("Ann left. He stayed.")
    words = clean_doc(doc)
    assert words.doc is words.source is doc
    assert words.places.tolist() == list(range(len(doc)))


@pytest.mark.parametrize(
    "text", ["Ann\nleft  early.", "\n\nAnn left\tearly.", " Ann left early. \n", "Ann \n left early."]
)
def test_words_are_those_of_the_text_on_one_line(text: str) -> None:
    words, plain = clean_doc(NLP(text)), NLP(" ".join(text.split()))
    assert words.doc.text == plain.text
    assert [token.text for token in words.doc] == [token.text for token in plain]
    assert [words.source[place].text for place in words.places] == [token.text for token in plain]


@pytest.mark.parametrize(
    ("words", "starts", "sentences"),
    [
        (["Oh", ".", "\n", "Ann", "left"], [True, False, True, False, False], ["Oh .", "Ann left"]),
        (["Ann", "left", "\n"], [True, None, True], ["Ann left"]),
        (["\n", "Ann", "left"], [True, False, None], ["Ann left"]),
    ],
)
def test_a_sentence_begins_with_its_first_word(
    words: list[str], starts: list[bool | None], sentences: list[str]
) -> None:
    doc = clean_doc(Doc(NLP.vocab, words=words, sent_starts=starts)).doc
    assert [sentence.text for sentence in doc.sents] == sentences


def test_spans_keep_their_words_and_have_no_white_space_at_their_edges_in_the_source() -> None:
    doc = Doc(NLP.vocab, words=["Ann", "\n", "Lee", "\n", "left"])
    spans = [Span(doc, *edges) for edges in ((0, 4), (1, 3), (1, 2), (2, 2))]
    doc.spans["some"] = SpanGroup(doc, spans=spans)
    words = clean_doc(doc)
    assert [(span.start, span.end) for span in words.doc.spans["some"]] == [(0, 2), (1, 2), (1, 1)]
    assert (words.to_source(0, 2), words.to_source(2, 3)) == ((0, 3), (4, 5))
    words = clean_doc(Doc(NLP.vocab, words=["\n", "Ann", "\n", "left"]))
    assert (words.to_source(0, 1), words.to_source(0, 2)) == ((1, 2), (1, 4))


def test_white_space_does_not_count_and_is_known_without_a_language() -> None:
    doc = Doc(Vocab(), words=["Ann", "\n\n", "left", "\u3000"])
    assert [token.text for token in clean_doc(doc).doc] == ["Ann", "left"]
    assert count_words(doc) == 2
    assert count_words(NLP("\n Ann \n\n left. ")) == 3
    assert count_words(NLP("")) == count_words(NLP(" \n")) == 0


@pytest.mark.parametrize("text", [" ", "\n\t", "\u200b", "\ufeff \u200e", "\ufe0f", "\x00", "\u2028"])
def test_what_nobody_sees_is_no_word(text: str) -> None:
    assert is_blank(text)
    assert not is_blank(f"{text}a")


@pytest.mark.parametrize("vocab", [NLP.vocab, Vocab()])
def test_words_are_known_with_a_language_and_without(vocab: Vocab) -> None:
    texts = ["Ann", "\u200b", "7", "...", "\n", "don't", "\u00ad", "$", "\U0001f600", "\ufe0f", "\u5b89", "\u0301"]
    doc = Doc(vocab, words=texts)
    assert [text for text, blank in zip(texts, are_blank(doc), strict=True) if blank] == [
        *("\u200b", "\n", "\u00ad", "\U0001f600", "\ufe0f", "\u0301")
    ]
    assert [token.text for token in clean_doc(doc).doc] == ["Ann", "7", "...", "don't", "$", "\u5b89"]
    assert [token.text for token in remove_white_space(doc)] == [text for text in texts if text != "\n"]


def test_words_that_an_unseen_token_divides_stay_apart_or_together() -> None:
    doc = Doc(NLP.vocab, words=["Ann", "\u200b", "left", "\u200b", "early"], spaces=[False, False, False, True, False])
    assert clean_doc(doc).doc.text == "Annleft early"
    assert count_words(doc) == 3
