"""Windows of whole sentences for a pretrained encoder, which reads each window on its own.

Spans are selected sentence by sentence, so a sentence is best read whole. Windows that don't overlap read each word
once. Both is what Joshi et al. (2019, "BERT for Coreference Resolution") call independent segments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from spacy.tokens import Doc, Span
from spacy.util import minibatch

from ..annotation import get_sentences

Part = tuple[int, int, int]
"""Tokens that are read in one window: the first, the end, and how many subwords they have."""


@dataclass(frozen=True)
class SentenceWindows:
    """`spacy_span_selector.SentenceWindows.v1`: cuts documents into windows of as many whole sentences as fit.

    A sentence that fits in no window is cut between words into parts of about the same length. A document without
    sentence boundaries is one sentence.

    subwords (int): The greatest number of subwords of a window, with those that the encoder adds to each. A word that
        has more is a window of its own.
    """

    subwords: int = 128

    def __post_init__(self) -> None:
        if self.subwords < 3:
            raise ValueError(f"subwords is {self.subwords}, but a window must have room for at least 3 subwords.")

    def __call__(self, docs: Sequence[Doc]) -> list[list[Span]]:
        """RAISES (ValueError): Always: an encoder that knows it calls `cut`."""
        raise ValueError(
            "'spacy_span_selector.SentenceWindows.v1' counts subwords, and this encoder does not give it the tokenizer "
            "for that. Use it with the architecture 'spacy_span_selector.TransformerModel.v1'."
        )

    def cut(self, docs: Sequence[Doc], tokenizer: Any) -> list[list[Span]]:
        """Cut documents into windows, which cover all of them.

        tokenizer (PreTrainedTokenizerBase): That of the encoder. No window is longer than it allows.
        """
        room = max(1, min(self.subwords, tokenizer.model_max_length) - tokenizer.num_special_tokens_to_add())
        sentences = [[*filter(len, get_sentences(doc))] for doc in docs]
        counts = iter(_count_subwords([sentence.text for own in sentences for sentence in own], tokenizer))
        windows = []
        for doc, own in zip(docs, sentences, strict=True):
            parts = [part for counted in zip(own, counts, strict=False) for part in _fit(*counted, room, tokenizer)]
            windows.append([doc[start:end] for start, end in _pack(parts, room)])
        return windows


def _count_subwords(texts: list[str], tokenizer: Any) -> list[int]:
    """The number of subwords of each text, without those that are added to a window.

    They are padded as windows are when they are read. To change the padding changes the tokenizer, with which other
    threads may be reading.
    """
    counts = [0] * len(texts)
    by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for places in minibatch(by_length, size=64):  # little padding, and little at once
        block = [texts[place] for place in places]
        # `verbose` would tell of long texts: they are cut.
        encoded = tokenizer(block, add_special_tokens=False, padding="longest", verbose=False)
        for place, read in zip(places, encoded["attention_mask"], strict=True):
            counts[place] = sum(read)
    return counts


def _fit(sentence: Span, count: int, room: int, tokenizer: Any) -> Iterator[Part]:
    """Cut a sentence of `count` subwords into parts for which there is room, or into words where a word has more."""
    if count <= room:
        yield sentence.start, sentence.end, count
        return
    counts = _count_subwords([token.text for token in sentence], tokenizer)
    even = ceil(sum(counts) / ceil(sum(counts) / room))
    start, length = sentence.start, 0
    for token, own in enumerate(counts, sentence.start):
        if length + own > even and token > start:
            yield start, token, length
            start, length = token, 0
        length += own
    yield start, sentence.end, length


def _pack(parts: Sequence[Part], room: int) -> Iterator[tuple[int, int]]:
    """Put as many parts into each window as there is room for: the first token of each window, and its end."""
    start, end, taken = 0, 0, 0
    for first, behind, length in parts:
        if end > start and taken + length > room:
            yield start, end
            start, taken = first, 0
        end, taken = behind, taken + length
    if end > start:
        yield start, end
