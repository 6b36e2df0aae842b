from __future__ import annotations

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import get_sentences


def test_a_document_without_sentence_boundaries_is_one_sentence() -> None:
    doc = Doc(Vocab(), words=["Ann", "left", "Bob", "slept"])
    assert [(sentence.start, sentence.end) for sentence in get_sentences(doc)] == [(0, 4)]
    doc[2].is_sent_start = True
    assert [(sentence.start, sentence.end) for sentence in get_sentences(doc)] == [(0, 2), (2, 4)]
