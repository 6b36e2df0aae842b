"""The sentences of documents, as lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from ..annotation import describe_doc


def sentence_lengths(docs: Sequence[Doc], component: str) -> list[list[int]]:
    """The number of tokens of each sentence of each document.

    docs (Sequence[Doc]): The documents.
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
        edges = np.append(np.flatnonzero(starts), len(doc))
        lengths.append(np.diff(edges).tolist())
    return lengths
