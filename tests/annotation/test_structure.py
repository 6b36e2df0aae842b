from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    PARAGRAPHS_KEY,
    SPEAKERS_KEY,
    get_paragraphs,
    get_sentences,
    get_speakers,
    paragraph_numbers,
    set_paragraphs,
    set_speakers,
)


def test_a_document_without_sentence_boundaries_is_one_sentence() -> None:
    doc = Doc(Vocab(), words=["Ann", "left", "Bob", "slept"])
    assert [(sentence.start, sentence.end) for sentence in get_sentences(doc)] == [(0, 4)]
    doc[2].is_sent_start = True
    assert [(sentence.start, sentence.end) for sentence in get_sentences(doc)] == [(0, 2), (2, 4)]


def make_doc(text: str = "Ann left . Bob stayed .") -> Doc:
    return Doc(Vocab(), words=text.split())


def test_speakers_are_replaced() -> None:
    doc = make_doc()
    assert get_speakers(doc) == []
    set_speakers(doc, [(0, 6, "Leo")])
    set_speakers(doc, [(0, 3, "Ruth"), (3, 6, "Ann Lee")])
    assert get_speakers(doc) == [(0, 3, "Ruth"), (3, 6, "Ann Lee")]
    assert set(doc.spans) == {SPEAKERS_KEY}


def test_another_key_may_hold_speakers() -> None:
    doc = make_doc()
    set_speakers(doc, [(0, 3, "Ruth")], key="turns")
    assert get_speakers(doc, key="turns") == [(0, 3, "Ruth")]
    assert get_speakers(doc) == []


VOCAB = spacy.blank("en").vocab


def make_doc_with_white_space(text: str = "Ann left . Bob stayed .") -> Doc:
    """Words, or white space, between spaces."""
    return Doc(VOCAB, words=text.split(" "))


def numbers(doc: Doc) -> list[int] | None:
    found = paragraph_numbers(doc)
    return None if found is None else found.tolist()


def test_paragraphs_are_replaced() -> None:
    doc = make_doc_with_white_space()
    assert get_paragraphs(doc) is None
    set_paragraphs(doc, [(0, 6)])
    set_paragraphs(doc, [(0, 3), (3, 6)])
    assert get_paragraphs(doc) == [(0, 3), (3, 6)]
    assert set(doc.spans) == {PARAGRAPHS_KEY}


def test_another_key_may_hold_paragraphs() -> None:
    doc = make_doc_with_white_space()
    set_paragraphs(doc, [(0, 6)], key="stanzas")
    assert get_paragraphs(doc, key="stanzas") == [(0, 6)]
    assert get_paragraphs(doc) is None


def test_a_document_may_be_given_no_paragraphs() -> None:
    doc = make_doc_with_white_space()
    set_paragraphs(doc, [])
    assert get_paragraphs(doc) == []


def test_paragraphs_that_are_not_some_tokens_leave_the_document_as_it_was() -> None:
    doc = make_doc_with_white_space()
    set_paragraphs(doc, [(0, 6)])
    with pytest.raises(ValueError, match=r"paragraphs\[1\]"):
        set_paragraphs(doc, [(0, 3), (3, 7)])
    assert get_paragraphs(doc) == [(0, 6)]


def test_paragraphs_are_saved() -> None:
    doc = make_doc_with_white_space()
    set_paragraphs(doc, [(0, 3), (3, 6)])
    assert get_paragraphs(Doc(VOCAB).from_bytes(doc.to_bytes())) == [(0, 3), (3, 6)]


def test_tokens_are_numbered_by_given_paragraphs() -> None:
    doc = make_doc_with_white_space()
    set_paragraphs(doc, [(0, 3), (3, 6)])
    assert numbers(doc) == [1, 1, 1, 2, 2, 2]


def test_tokens_are_numbered_by_blank_lines() -> None:
    assert numbers(make_doc_with_white_space("Ann left \n\n Bob \n stayed \n\n\n .")) == [0, 0, 0, 1, 1, 1, 1, 2]


def test_a_blank_line_at_the_end_begins_no_paragraph_of_a_token() -> None:
    assert numbers(make_doc_with_white_space("Ann left \n\n")) == [0, 0, 0]


def test_given_paragraphs_come_before_blank_lines() -> None:
    doc = make_doc_with_white_space("Ann left \n\n Bob stayed")
    set_paragraphs(doc, [(1, 5)])
    assert numbers(doc) == [0, 1, 1, 1, 1]


@pytest.mark.parametrize("text", ["Ann left . Bob stayed .", "Ann \n left", "Ann \t left"])
def test_without_a_blank_line_nothing_is_known_of_paragraphs(text: str) -> None:
    assert numbers(make_doc_with_white_space(text)) is None


def test_an_empty_document_has_no_paragraphs() -> None:
    assert numbers(Doc(VOCAB)) is None
