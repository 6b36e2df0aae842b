"""The documents that a component works on at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from typing import TypeVar

from spacy.tokens import Doc
from spacy.training import Example

PREDICT_WORDS = 16_384
"""Words that are annotated at once, so that the memory of `nlp.pipe` does not depend on its batch size."""

INITIALIZE_DOCS = 10
"""Documents that a model sees to find out its sizes."""


AnyDoc = TypeVar("AnyDoc", bound=Sized)
"""A document, or whatever has as many words as its length says."""


def batch_by_words(docs: Iterable[AnyDoc], words: int) -> Iterator[list[AnyDoc]]:
    """Cut documents, in their order, into batches of so many words at most; a longer document is alone in its batch."""
    # spaCy's minibatch_by_words does not keep the order: it yields a longer document before the batch in progress.
    batch: list[AnyDoc] = []
    size = 0
    for doc in docs:
        if batch and size + len(doc) > words:
            yield batch
            batch, size = [], 0
        batch.append(doc)
        size += len(doc)
    if batch:
        yield batch


def docs_to_initialize(examples: Iterable[Example]) -> list[Doc]:
    """The first few predicted documents that have tokens."""
    return list(islice((example.predicted for example in examples if len(example.predicted)), INITIALIZE_DOCS))
