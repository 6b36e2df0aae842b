import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_title
from spacy_span_selector.examples.sentences import sentence_lengths, take_gold_sentences

Starts = list[bool | int | None] | None


def test_lengths_are_those_of_the_sentences() -> None:
    starts: list[list[bool | int | None]] = [[True, False, False, True, True], [True, False], [True, True]]
    starts += [[False, False, True], [True]]  # the first token always starts a sentence
    docs = [Doc(Vocab(), words=["a"] * len(each), sent_starts=each) for each in starts]
    assert [[len(sentence) for sentence in doc.sents] for doc in docs] == [[3, 1, 1], [2], [1, 1], [2, 1], [1]]
    assert sentence_lengths(docs, "coref") == [[3, 1, 1], [2], [1, 1], [2, 1], [1]]
    not_told = [Doc(Vocab(), words=["Hi"]), Doc(Vocab())]
    assert (sentence_lengths(not_told, "coref"), sentence_lengths([], "coref")) == ([[1], []], [])


def test_sentences_of_a_parse_count() -> None:
    doc = Doc(Vocab(), words=["Ann", "slept", "Bob", "left"], heads=[1, 1, 3, 3], deps=["nsubj", "ROOT"] * 2)
    assert sentence_lengths([doc], "coref") == [[len(sentence) for sentence in doc.sents]] == [[2, 2]]


def test_no_boundaries_is_an_error_that_names_document_and_cure() -> None:
    titled, untitled = (Doc(Vocab(), words=["Ann", "left", "."]) for _ in range(2))
    set_title(titled, "the station")
    cure = r"nlp.add_pipe\('word_sentencizer', first=True\)"
    with pytest.raises(ValueError, match=f"'coref' .*document 'the station' has no sentence boundaries.*{cure}"):
        sentence_lengths([titled], "coref")
    with pytest.raises(ValueError, match=r"document starting 'Ann left \.' has no sentence boundaries"):
        sentence_lengths([untitled], "coref")


@pytest.mark.parametrize(
    ("words", "gold", "predicted", "expected"),
    [
        (["Go.", "Why", "?"], [True, True, False], None, ["Go.", "Why?"]),
        (["Go.Why?"], None, [True, True, False, True], ["Go", ".Why", "?"]),
        (["Go.", "Why?"], None, None, None),
    ],
    ids=["taken", "kept", "none"],
)
def test_documents_without_boundaries_take_those_of_the_reference(
    words: list[str], gold: Starts, predicted: Starts, expected: list[str] | None
) -> None:
    doc = Doc(Vocab(), words=["Go", ".", "Why", "?"], spaces=[False] * 4, sent_starts=predicted)
    reference = Doc(doc.vocab, words=words, spaces=[False] * len(words), sent_starts=gold)
    take_gold_sentences([Example(doc, reference)])
    assert ([sentence.text for sentence in doc.sents] if doc.has_annotation("SENT_START") else None) == expected
