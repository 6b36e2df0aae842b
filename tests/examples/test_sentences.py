from __future__ import annotations

import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_title
from spacy_span_selector.examples.sentences import sentence_lengths, take_gold_sentences


def test_lengths_are_those_of_the_sentences() -> None:
    starts: list[bool | int | None] = [True, False, False, True, True, False]
    docs = [Doc(Vocab(), words=list("abcdef"), sent_starts=starts), Doc(Vocab(), words=["a"], sent_starts=[True])]
    assert sentence_lengths(docs, "coref") == [[3, 1, 2], [1]]
    assert [[len(sentence) for sentence in doc.sents] for doc in docs] == [[3, 1, 2], [1]]


def test_sentences_of_a_parse_count() -> None:
    doc = Doc(Vocab(), words=["Ann", "slept", "Bob", "left"], heads=[1, 1, 3, 3], deps=["nsubj", "ROOT"] * 2)
    assert sentence_lengths([doc], "coref") == [[len(sentence) for sentence in doc.sents]] == [[2, 2]]


def test_sentences_of_one_document_are_not_those_of_another() -> None:
    docs = [Doc(Vocab(), words=["a", "b"], sent_starts=[True, start]) for start in (False, True)]
    assert sentence_lengths(docs, "coref") == [[2], [1, 1]]


def test_the_first_token_always_starts_a_sentence() -> None:
    assert sentence_lengths([Doc(Vocab(), words=["a", "b", "c"], sent_starts=[False, False, True])], "coref") == [
        [2, 1]
    ]


def test_an_empty_document_has_no_sentences() -> None:
    assert sentence_lengths([Doc(Vocab())], "coref") == [[]]
    assert sentence_lengths([], "coref") == []


def test_one_word_is_a_sentence_without_being_told() -> None:
    assert sentence_lengths([Doc(Vocab(), words=["Hi"])], "coref") == [[1]]


def test_no_boundaries_is_an_error_that_names_document_and_cure() -> None:
    titled, untitled = (Doc(Vocab(), words=["Ann", "left", "."]) for _ in range(2))
    set_title(titled, "the station")
    cure = r"nlp.add_pipe\('word_sentencizer', first=True\)"
    with pytest.raises(ValueError, match=f"'coref' .*document 'the station' has no sentence boundaries.*{cure}"):
        sentence_lengths([titled], "coref")
    with pytest.raises(ValueError, match=r"document starting 'Ann left \.' has no sentence boundaries"):
        sentence_lengths([untitled], "coref")


def make_example(words: list[str], starts: list[bool] | None, predicted: Doc) -> Example:
    return Example(predicted, Doc(predicted.vocab, words=words, spaces=[False] * len(words), sent_starts=starts))


def predicted_doc(starts: list[bool] | None = None) -> Doc:
    return Doc(Vocab(), words=["Go", ".", "Why", "?"], spaces=[False] * 4, sent_starts=starts)


def test_documents_without_boundaries_take_those_of_the_reference() -> None:
    words = ["Go.", "Why", "?"]
    example = make_example(words, [True, True, False], predicted_doc())
    take_gold_sentences([example])
    assert [sentence.text for sentence in example.predicted.sents] == ["Go.", "Why?"]


def test_boundaries_that_are_there_stay() -> None:
    example = make_example(["Go.Why?"], None, predicted_doc([True, True, False, True]))
    take_gold_sentences([example])
    assert [sentence.text for sentence in example.predicted.sents] == ["Go", ".Why", "?"]


def test_references_without_boundaries_give_none() -> None:
    example = make_example(["Go.", "Why?"], None, predicted_doc())
    take_gold_sentences([example])
    assert not example.predicted.has_annotation("SENT_START")
