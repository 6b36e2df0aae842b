from itertools import accumulate, pairwise

import hypothesis.strategies as st
import pytest
import spacy
from hypothesis import given, settings
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_title
from spacy_span_selector.documents.cleaned import clean_doc
from spacy_span_selector.pipeline.batches import TOO_LONG, batch_by_words, cut_long_sentences

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


NLP = spacy.blank("en")


def pieces(text: str, most: int) -> list[str]:
    """The text of each piece, of a document that is one sentence."""
    words = clean_doc(NLP(text))
    (lengths,), _ = cut_long_sentences([words], [[len(words.doc)]], most)
    edges = [0, *accumulate(lengths)]
    return [words.doc[start:end].text for start, end in pairwise(edges)]


@pytest.mark.parametrize("most", [None, 4, 5])
def test_sentences_that_are_short_enough_stay_whole(most: int | None) -> None:
    words, sentences = [clean_doc(NLP("a b c d"))], [[4]]
    found, cut = cut_long_sentences(words, sentences, most)
    assert found == sentences
    assert not cut.counts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c d e f g h i", ["a b c d", "e f g h", "i"]),
        ("a b , c d e f", ["a b ,", "c d e f"]),
        ("a b ; , c d e", ["a b ;", ", c d e"]),
        ("a ; b c d e", ["a ;", "b c d e"]),
        ("; a b c d e", ["; a b c", "d e"]),  # a stop that would make too short a piece
        ("a b ; ; c d", ["a b ; ;", "c d"]),
        ("a b\nc , d e", ["a b", "c , d e"]),
        ("a b \t c , d e", ["a b c ,", "d e"]),
        ("a b\r\n\r\nc d e f g", ["a b", "c d e f", "g"]),
    ],
)
def test_a_sentence_is_cut_at_the_best_place(text: str, expected: list[str]) -> None:
    assert pieces(text, 4) == expected


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_no_piece_is_longer_than_it_may_be(most: int) -> None:
    found = pieces("a , b ; c\nd e f g h . i , , j", most)
    assert max(len(piece.split()) for piece in found) <= most
    assert " ".join(found) == "a , b ; c d e f g h . i , , j"


def test_what_is_cut_is_counted_with_its_place() -> None:
    docs = [Doc(NLP.vocab, words=list("abcde")) for _ in range(2)]
    set_title(docs[0], "the list")
    _, cut = cut_long_sentences([clean_doc(doc) for doc in docs], [[5]] * 2, 3)
    assert cut.counts == {TOO_LONG: 2}
    assert cut.first[TOO_LONG] == "5 words from 'a b c d e' in document 'the list'"
