from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.pipeline.batches import INITIALIZE_DOCS, batch_by_words, docs_to_initialize

VOCAB = Vocab()


def docs_of(lengths: list[int]) -> list[Doc]:
    return [Doc(VOCAB, words=["a"] * length) for length in lengths]


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 12))
def test_batches_keep_the_order_and_are_as_long_as_they_may_be(lengths: list[int], words: int) -> None:
    docs = docs_of(lengths)
    batches = list(batch_by_words(docs, words))
    assert [id(doc) for batch in batches for doc in batch] == [id(doc) for doc in docs]
    assert all(batches)
    sizes = [sum(map(len, batch)) for batch in batches]
    assert all(size <= words or len(batch) == 1 for size, batch in zip(sizes, batches, strict=True))
    for size, following in zip(sizes, batches[1:], strict=False):
        assert size + len(following[0]) > words


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [([], []), ([0, 0], [[0, 0]]), ([3, 2, 5, 1], [[3, 2], [5], [1]]), ([9, 1, 0], [[9], [1, 0]])],
)
def test_batches_of_five_words(lengths: list[int], expected: list[list[int]]) -> None:
    assert [[len(doc) for doc in batch] for batch in batch_by_words(docs_of(lengths), 5)] == expected


def test_a_model_is_initialized_with_the_first_documents_that_have_tokens() -> None:
    docs = docs_of([0, 2, 0, *range(1, 2 * INITIALIZE_DOCS)])
    found = docs_to_initialize(Example(doc, doc.copy()) for doc in docs)
    assert [len(doc) for doc in found] == [2, *range(1, INITIALIZE_DOCS)]
    assert docs_to_initialize([]) == []
