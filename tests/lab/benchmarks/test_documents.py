from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from lab.benchmarks.documents import documents_of_length, own_documents, training_batch, with_sentences_of
from spacy_span_selector.annotation import get_clusters


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


def test_own_documents_are_texts_or_without_spacing_words(nlp: Language, data: Path, tmp_path: Path):
    first, second = own_documents(nlp, data)
    assert isinstance(first, str) and first.startswith("Ann Lee gave her brother")
    assert second == "Leo lost a hat."
    DocBin(docs=[Doc(nlp.vocab, words=["Ann", "left."])]).to_disk(tmp_path / "words.spacy")
    [doc] = own_documents(nlp, tmp_path / "words.spacy")
    assert isinstance(doc, Doc)
    assert [token.text for token in doc] == ["Ann", "left."]


@pytest.mark.parametrize("words, count", [(3, 2), (50, 1), (40, 3)])
def test_documents_of_a_length(nlp: Language, data: Path, words: int, count: int):
    docs = documents_of_length(nlp, data, words, count)
    assert [len(doc) for doc in docs] == [words] * count
    assert not any(doc.has_annotation("SENT_START") for doc in docs)


def test_the_texts_are_taken_one_after_the_other(nlp: Language, data: Path):
    docs = documents_of_length(nlp, data, 4, 6)
    words = [token.text for doc in docs for token in doc]
    assert words[:7] == ["Ann", "Lee", "gave", "her", "brother", "a", "key"]
    assert words[13:19] == ["Leo", "lost", "a", "hat", ".", "Ann"]


def test_sentences_of_a_length(nlp: Language):
    doc = nlp.make_doc("Ann is not here, is she?")
    cut = with_sentences_of(doc, 3)
    assert [len(sentence) for sentence in cut.sents] == [3, 3, 2]
    assert cut.text == doc.text


def test_an_empty_corpus_is_named(nlp: Language, tmp_path: Path):
    path = tmp_path / "empty.spacy"
    DocBin().to_disk(path)
    with pytest.raises(ValueError, match=r"empty\.spacy has no documents with words"):
        own_documents(nlp, path)


def test_a_batch_has_gold_annotation_and_sentences(nlp: Language, data: Path):
    examples = training_batch(nlp, data, 1000)
    assert [len(example.predicted) for example in examples] == [13, 5]
    assert all(example.predicted.has_annotation("SENT_START") for example in examples)
    assert all(get_clusters(example.reference) for example in examples)
    [example] = training_batch(nlp, data, 8)
    assert [token.text for token in example.predicted][:3] == ["Ann", "Lee", "gave"]


def test_a_batch_needs_annotation(nlp: Language, tmp_path: Path):
    path = tmp_path / "plain.spacy"
    DocBin(docs=[nlp.make_doc("Ann left.")]).to_disk(path)
    with pytest.raises(ValueError, match=r"plain\.spacy has no annotation to learn from"):
        training_batch(nlp, path, 100)
