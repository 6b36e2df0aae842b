"""Spans of a reference in the tokens of its prediction."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, chain, pairwise

import numpy as np
from spacy.training import Alignment, Example
from spacy.training.alignment_array import AlignmentArray

from ..annotation import describe_doc
from ..documents.cleaned import CleanDoc
from ..documents.visible import is_blank
from ..layers.spans.layout import Lengths

MISALIGNED = "does not start and end at token boundaries of the predicted document"
CROSSES_SENTENCES = "crosses a sentence boundary of the predicted document"
EMPTY = "has no tokens"
WHITE_SPACE = "is nothing but white space or emoji"
TOO_WIDE = "is wider than 'max_span_width' of the model"


def with_words(example: Example, cleaned: CleanDoc) -> Example:
    """An example whose predicted document is that which is read; the same one, which keeps its alignment, if it is."""
    if not cleaned.is_changed:
        return example
    source, reference = (["".join(token.text.split()) for token in doc] for doc in (cleaned.source, example.reference))
    written, words = "".join(source), [token.text for token in cleaned.doc]
    if written == "".join(words) or written.lower() != "".join(reference).lower():
        return Example(cleaned.doc, example.reference)
    # spaCy aligns equal texts: what is not read of the prediction, is left out of the reference, too.
    rest = chain("".join(words), " ")
    following, read = next(rest), []
    for character in written:
        is_read = character == following
        following = next(rest) if is_read else following
        read.append(character if is_read else "")
    ends = [*accumulate(map(len, reference), initial=0)]
    texts = ["".join(read[start:end]) or " " for start, end in pairwise(ends)]
    return Example(cleaned.doc, example.reference, alignment=Alignment.from_strings(words, texts))


class SpanAligner:
    """Find the spans of the reference of an example in its predicted document.

    example (Example): The example. Its sides are not compared before the first span is looked up.
    sentences (Lengths): The sentences of the predicted document.
    max_width (int | None): The greatest number of tokens of a span, None for no limit.
    """

    def __init__(self, example: Example, sentences: Lengths, max_width: int | None) -> None:
        self.example = example
        self.max_width = max_width
        self._lengths = sentences
        self._sentence = np.repeat(np.arange(len(sentences)), np.asarray(sentences, dtype=np.int64))

    def __call__(self, start: int, end: int, *, any_width: bool = False) -> tuple[int, int] | str:
        """First and last token of a span in the prediction, or the reason why it is lost.

        White space and emoji at the edges of a span are not part of it.

        start, end (int): Token offsets in the reference, end exclusive.
        any_width (bool): Whether the span may be wider than the greatest width: a predicate is not selected.
        RAISES (ValueError): If the two sides have different texts.
        """
        # A span without tokens may lie behind the last token, where there is nothing to look up.
        if start >= end:
            return EMPTY
        reference = self.example.reference
        while start < end and is_blank(reference[end - 1].text):
            end -= 1
        while start < end and is_blank(reference[start].text):
            start += 1
        if start == end:
            return WHITE_SPACE
        first_of, last_of = self._edges
        first, last = first_of[start], last_of[end - 1]
        if min(first, last) < 0:
            return MISALIGNED
        if not self.in_one_sentence(first, last):
            return CROSSES_SENTENCES
        if not any_width and self.max_width is not None and last - first >= self.max_width:
            return TOO_WIDE
        return first, last

    def in_one_sentence(self, first: int, second: int) -> bool:
        """Check whether two tokens of the prediction lie in one sentence."""
        return bool(self._sentence[first] == self._sentence[second])

    def sentence_length(self, token: int) -> int:
        """The number of tokens of the sentence of a token of the prediction."""
        return self._lengths[int(self._sentence[token])]

    @cached_property
    def _edges(self) -> tuple[list[int], list[int]]:
        """For each token of the reference, the predicted token that starts where it starts, and the one that ends where
        it ends; -1 where there is none."""
        predicted, reference = self.example.predicted, self.example.reference
        if np.array_equal(predicted.to_array("ORTH"), reference.to_array("ORTH")):  # aligning takes long
            tokens = list(range(len(reference)))
            return tokens, tokens
        try:
            alignment = self.example.alignment
        except ValueError as error:
            raise ValueError(
                f"Can't align {describe_doc(reference)}: its text differs from the text that was annotated. "
                f"The reference starts {reference.text[:60]!r}, the prediction {predicted.text[:60]!r}. "
                "Make both from the same text, whitespace and case aside."
            ) from error
        (first, last), (first_back, last_back) = map(_partners, (alignment.y2x, alignment.x2y))
        places = np.arange(len(first))
        starts_together = (first >= 0) & (first_back[first] == places)
        ends_together = (last >= 0) & (last_back[last] == places)
        return np.where(starts_together, first, -1).tolist(), np.where(ends_together, last, -1).tolist()


def _partners(alignment: AlignmentArray) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last partner of each token, -1 for tokens without any."""
    partners, stops = np.append(alignment.data, -1).astype(np.int64), np.cumsum(alignment.lengths)
    edges = (stops - alignment.lengths, stops - 1)
    first, last = (partners[np.where(alignment.lengths > 0, edge, -1)] for edge in edges)
    return first, last
