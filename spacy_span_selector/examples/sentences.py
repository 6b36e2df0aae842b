"""The sentences of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation import describe_doc
from ..documents.given import copy_sentences
from ..layers.spans.layout import Lengths


def take_gold_sentences(examples: Iterable[Example]) -> None:
    """Give predicted documents that have no sentence boundaries those of their references, as far as these have some.

    No component may have run before this one, as in `spacy debug model`, or none that is among the annotating
    components.
    """
    for example in examples:
        if lacks_boundaries(example.predicted) and not lacks_boundaries(example.reference):
            copy_sentences(example)


def sentence_lengths(docs: Sequence[Doc], component: str) -> list[Lengths]:
    """The number of words of each sentence of each document, all of which must have sentence boundaries."""
    lengths = []
    for doc in docs:
        if lacks_boundaries(doc):
            raise ValueError(
                f"'{component}' selects spans sentence by sentence, but {describe_doc(doc)} has no sentence "
                "boundaries. Add a component that sets them before it: nlp.add_pipe('word_sentencizer', first=True); "
                "in training, name it in [training] annotating_components, or as `annotates` of nlp.update."
            )
        starts = doc.to_array([SENT_START]) == 1
        starts[:1] = True
        lengths.append(np.diff(np.flatnonzero(starts), append=len(doc)).tolist())
    return lengths


def lacks_boundaries(doc: Doc) -> bool:
    """Check whether a document of several words has no sentence boundaries."""
    return len(doc) > 1 and not doc.has_annotation("SENT_START")
