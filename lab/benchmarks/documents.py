"""Documents to annotate: those of a corpus, or its text in documents and sentences of any length."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words

from spacy_span_selector.documents.given import copy_words
from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.tools.formats.commands import check_spacy_file, read_spacy_file


def own_documents(nlp: Language, path: Path) -> list[str | Doc]:
    """The documents of a corpus without annotation: their texts or, if spacing is unknown, their words.

    nlp (Language): The pipeline, whose vocabulary the documents get.
    path (Path): The .spacy file.
    RETURNS (list[str | Doc]): A text or a document for each.
    RAISES (ValueError): If the file has no document with words.
    """
    docs = _read(nlp, path)
    return [copy_words(doc) if doc.has_unknown_spaces else doc.text for doc in docs]


def documents_of_length(nlp: Language, path: Path, words: int, count: int) -> list[Doc]:
    """Documents of a fixed length from the texts of a corpus, which are joined and repeated as often as necessary.

    nlp (Language): The pipeline, whose tokenizer splits the texts.
    path (Path): The .spacy file.
    words (int): The number of words of each document.
    count (int): The number of documents.
    RETURNS (list[Doc]): The documents, not annotated.
    RAISES (ValueError): If the file has no document with words.
    """
    texts = cycle([doc.text for doc in _read(nlp, path)])
    parts: list[Doc] = []
    length = 0
    while length < words * count:
        parts.append(nlp.make_doc(next(texts)))
        length += len(parts[-1])
    whole = Doc.from_docs(parts)
    return [_copy(whole[start : start + words]) for start in range(0, words * count, words)]


def with_sentences_of(doc: Doc, words: int) -> Doc:
    """Copy a document with other sentences.

    doc (Doc): The document.
    words (int): The number of words of each sentence; the last one may be shorter.
    RETURNS (Doc): A new document of the same words.
    """
    return _copy(doc, [token.i % words == 0 for token in doc])


def training_batch(nlp: Language, path: Path, words: int) -> list[Example]:
    """A batch of gold documents as in training. Longer documents are cut.

    nlp (Language): The pipeline.
    path (Path): The .spacy file.
    words (int): The greatest number of words of a batch. The batch with the most words is taken.
    RETURNS (list[Example]): The batch.
    RAISES (ValueError): If nothing is annotated in it.
    """
    check_spacy_file(path)
    batches = list(minibatch_by_words(create_corpus(path, max_words=words)(nlp), size=words, tolerance=0.0))
    batch: list[Example] = max(batches, key=count_words, default=[])
    if not any(len(example.reference.spans) for example in batch):
        raise ValueError(f"{path} has no annotation to learn from. Expected a .spacy file, as 'convert' writes it.")
    return batch


def count_words(examples: Sequence[Example]) -> int:
    """The number of words of a batch."""
    return sum(len(example.predicted) for example in examples)


def _read(nlp: Language, path: Path) -> list[Doc]:
    docs = [doc for doc in read_spacy_file(path, nlp.vocab) if len(doc)]
    if not docs:
        raise ValueError(f"{path} has no documents with words. Expected a .spacy file, as 'convert' writes it.")
    return docs


def _copy(words: Doc | Span, sent_starts: list[bool | int | None] | None = None) -> Doc:
    """Copy words with their spacing, and set where sentences start if `sent_starts` has it."""
    spaces = [bool(token.whitespace_) for token in words]
    return Doc(words.vocab, words=[token.text for token in words], spaces=spaces, sent_starts=sent_starts)
