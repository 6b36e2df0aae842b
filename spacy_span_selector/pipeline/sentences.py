"""The sentences of documents, as lengths.

Tokens that only say who speaks are in no sentence, so no span holds one: they are so many tokens less than nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from ..annotation import describe_doc, get_speaker_markers


def sentence_lengths(docs: Sequence[Doc], component: str) -> list[list[int]]:
    """The number of tokens of each sentence of each document; below 0 for tokens in no sentence, as -3 for three.

    docs (Sequence[Doc]): The documents. A marker of a speaker ends the sentence before it.
    component (str): Who asks, for the message of the error.
    RAISES (ValueError): If a document has no sentence boundaries.
    """
    lengths = []
    for doc in docs:
        if len(doc) > 1 and not doc.has_annotation("SENT_START"):
            raise ValueError(
                f"'{component}' selects spans sentence by sentence, but {describe_doc(doc)} has no sentence "
                "boundaries. Add a component that sets them before it: nlp.add_pipe('sentencizer', first=True); "
                "in training, name that component in [training] annotating_components."
            )
        starts = doc.to_array([SENT_START]) == 1
        starts[:1] = True
        marked = np.zeros(len(doc), dtype=bool)
        for start, end in get_speaker_markers(doc):
            marked[start:end] = True
            starts[[place for place in (start, end) if place < len(doc)]] = True
        firsts = np.flatnonzero(starts)
        lengths.append((np.diff(firsts, append=len(doc)) * np.where(marked[firsts], -1, 1)).tolist())
    return lengths
