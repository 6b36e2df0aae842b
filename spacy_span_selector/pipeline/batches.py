"""The words that a component works on at once: batches of documents, and pieces of sentences that are too long.

Lists, tables and logs come as "sentences" of thousands of words. The time that selection takes grows with the cube of
the length, and its memory with the square, so that they are cut where they lose least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TypeVar

import numpy as np

from ..annotation import describe_doc
from ..documents.cleaned import CleanDoc
from ..examples.lost import LostSpans
from ..layers.spans.layout import Lengths

PREDICT_WORDS = 16_384
"""Words that are annotated at once, so that the memory of `nlp.pipe` does not depend on its batch size."""

AnyDoc = TypeVar("AnyDoc", bound=Sized)
"""A document, or whatever has as many words as its length says."""

TOO_LONG = "has more words than 'max_sentence_words'"
MOST_WORDS = PREDICT_WORDS
MORE_THAN_A_BATCH = f"has more words than {MOST_WORDS:,}, the most that are annotated at once"
"""Why a sentence is cut although the chart of a long one grows with its length alone."""

STOPS = frozenset(".!?;:…。！？；：")
PAUSES = frozenset(",–—)]}|/，、")


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


def cut_long_sentences(
    cleaned: Sequence[CleanDoc], sentences: Sequence[Lengths], most: int | None, reason: str = TOO_LONG
) -> tuple[list[Lengths], LostSpans]:
    """Cut sentences into pieces of at most `most` words, which count as sentences.

    A piece ends at the end of a line or behind a stop, otherwise behind a comma, a dash or a bracket, otherwise
    anywhere, and has at least half as many words as it may have if there is such a place.
    """
    cut = LostSpans()
    if most is None or all(max(lengths, default=0) <= most for lengths in sentences):
        return list(sentences), cut
    pairs = zip(cleaned, sentences, strict=True)
    return [_cut(document, lengths, most, reason, cut) for document, lengths in pairs], cut


def _cut(document: CleanDoc, sentences: Lengths, most: int, reason: str, cut: LostSpans) -> Lengths:
    lengths: Lengths = []
    start = 0
    for length in sentences:
        end = start + length
        if length > most:
            text = document.doc[start : start + 8].text
            place = f"{length} words from {text!r} in {describe_doc(document.source)}"
            cut.add(reason, place, document.to_source(start, end))
            lengths += _pieces(_ranks(document, start, end), most)
        else:
            lengths.append(length)
        start = end
    return lengths


def _pieces(ranks: np.ndarray, most: int) -> Iterator[int]:
    """The lengths of the pieces of a sentence: each ends behind the last of the best words in its second half."""
    start = 0
    while len(ranks) - start > most:
        shortest = (most + 1) // 2
        half = ranks[start + shortest - 1 : start + most]
        length = shortest + len(half) - 1 - int(half[::-1].argmax())
        yield length
        start += length
    yield len(ranks) - start


def _ranks(document: CleanDoc, start: int, end: int) -> np.ndarray:
    """Rank the cut behind each word of a sentence: 2 is best, then 1, then 0. Shape: (words,)"""
    ranks = [
        2 if token.text in STOPS or _ends_line(document, token.i) else 1 if token.text in PAUSES else 0
        for token in document.doc[start:end]
    ]
    return np.array(ranks)


def _ends_line(document: CleanDoc, word: int) -> bool:
    """Check whether a line ends behind a word."""
    if not document.is_changed or word + 1 >= len(document.places):
        return False
    between = document.source[int(document.places[word]) + 1 : int(document.places[word + 1])]
    return any(len(f"{token.text}.".splitlines()) > 1 for token in between)
