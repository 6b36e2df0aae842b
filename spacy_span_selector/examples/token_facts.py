"""Facts of tokens for the linker, beside their vectors: sentences, speakers, quotations and words, as tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from spacy.attrs import IS_PUNCT, IS_STOP, LOWER, SENT_START
from spacy.tokens import Doc

from ..annotation import get_speakers
from ..documents.cleaned import CleanDoc
from ..documents.quotations import quotation_numbers
from ..layers.coref.pair_features import TokenFacts


def token_facts(cleaned: Sequence[CleanDoc], device: torch.device | None) -> TokenFacts:
    """The facts of the tokens of a batch."""
    docs = [document.doc for document in cleaned]
    columns = zip(*map(_facts, docs), strict=True)
    return TokenFacts(*(torch.from_numpy(np.concatenate(column)).to(device) for column in columns))


def _facts(doc: Doc) -> tuple[np.ndarray, ...]:
    """The facts of the tokens of a document, in the order of the fields of `TokenFacts`."""
    lower, is_stop, is_punct = doc.to_array([LOWER, IS_STOP, IS_PUNCT]).T
    # Two numbers for each content word, with one bit each that depend on its hash; 0 for others. Shape: (tokens, 2)
    bits = np.stack([np.uint64(1) << (lower >> np.uint64(shift) & np.uint64(63)) for shift in (0, 6)], axis=1)
    bits *= ((is_stop | is_punct) == 0)[:, None]
    numbers = (sentence_numbers(doc), quotation_numbers(doc), number_speakers(doc)[0])
    return lower.view(np.int64), bits.view(np.int64), *(number.astype(np.int32) for number in numbers)


def sentence_numbers(doc: Doc) -> np.ndarray:
    """The number of the sentence of each token. Shape: (tokens,)"""
    starts = doc.to_array([SENT_START]) == 1
    starts[:1] = False  # spaCy may set that of the first token, or not
    return np.cumsum(starts)


def number_speakers(doc: Doc) -> tuple[np.ndarray, list[str]]:
    """The number of the speaker of each token, 0 where nobody is known to speak, and their names from 1 on."""
    numbers = np.zeros(len(doc), dtype=np.int64)
    known: dict[str, int] = {}
    for start, end, speaker in sorted(get_speakers(doc)):
        if name := " ".join(speaker.split()):
            numbers[start:end] = known.setdefault(name, len(known) + 1)
    return numbers, list(known)
