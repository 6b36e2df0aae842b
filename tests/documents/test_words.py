from __future__ import annotations

import spacy
from spacy.attrs import LEMMA, ORTH
from spacy.tokens import Doc

from spacy_span_selector.documents.words import token_strings


def test_strings_are_those_of_the_tokens() -> None:
    doc = Doc(spacy.blank("en").vocab, words=["Ann", "sang", "!"], lemmas=["Ann", "sing", ""])
    assert token_strings(doc, ORTH, LEMMA) == [["Ann", "sang", "!"], ["Ann", "sing", ""]]


def test_a_document_without_tokens_has_no_strings() -> None:
    assert token_strings(Doc(spacy.blank("en").vocab), ORTH, LEMMA) == [[], []]
