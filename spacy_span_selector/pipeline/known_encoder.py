"""The shared encoder that a component listens to, known by its vectors when another pipeline takes the component.

Two encoders may have the same width. What another one than its own tells a component means nothing to it, and no
listener of spaCy knows whose vectors it gets. But the component knows the pipeline that it was made in. In another one
it lets its own encoder read the beginning of a document, once, and compares.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model, to_numpy

from ..documents.rebuilt import rebuild_doc

READ, COMPARED = 96, 48
"""How many tokens are read, and of how many of these the vectors are compared: the last ones may have been read with
others behind them."""

LEAST_SIMILARITY = 0.9
"""The least mean cosine of vectors of one encoder, whatever the precision and the device it runs with: it was 0.996 or
more. Three trainings of MiniLM on different corpora had 0.3 to 0.7, and encoders without anything in common around 0.
"""


class KnownEncoder:
    """The encoder of a component. Copies, and those in other processes, know none.

    nlp (Language | None): The pipeline that the component was made in.
    """

    def __init__(self, nlp: Language | None = None) -> None:
        self._nlp = None if nlp is None else weakref.ref(nlp)
        self._encoder: Any = None
        self._compared: Vocab | None = None

    def __reduce__(self) -> tuple[type[KnownEncoder], tuple[()]]:
        return KnownEncoder, ()

    def remember(self, component: Any) -> None:
        """Take over the encoder of the pipeline that a component was made in, if it has one there."""
        nlp = None if self._nlp is None else self._nlp()
        if nlp is not None and any(pipe is component for _, pipe in nlp.components):
            listened = [pipe for _, pipe in nlp.components if component.name in getattr(pipe, "listener_map", {})]
            self._encoder = listened[0] if len(listened) == 1 else None

    def forget(self) -> None:
        """Know no encoder any more, as a component learns to listen to another one."""
        self._nlp = self._encoder = None

    def is_elsewhere(self, component: Any, doc: Doc) -> bool:
        """Whether a component is given a document by another pipeline than that which it was made in."""
        nlp = None if self._nlp is None else self._nlp()
        return nlp is None or doc.vocab is not nlp.vocab or all(pipe is not component for _, pipe in nlp.components)

    def gave(self, tok2vec: Model[Any, Any], component: Any, doc: Doc) -> bool:
        """Whether the vectors of a document are those of this encoder, as far as is known.

        It is asked once for each pipeline that takes the component.

        tok2vec (Model): The listener of the component.
        component (SelectorPipe): The component.
        doc (Doc): A document that an encoder has read.
        """
        if self._encoder is None or self._compared is doc.vocab or not self.is_elsewhere(component, doc):
            return True
        start = rebuild_doc(doc, range(min(READ, len(doc))))
        self._encoder.set_annotations([start], self._encoder.predict([start]))
        own, given = (to_numpy(tok2vec.predict([read])[0])[: min(COMPARED, len(start))] for read in (start, doc))
        norms = np.linalg.norm(own, axis=1) * np.linalg.norm(given, axis=1)
        similarity = (own * given).sum(axis=1)[norms > 0] / norms[norms > 0]  # those of white space are 0
        if len(similarity) and similarity.mean() < LEAST_SIMILARITY:
            return False
        self._compared = doc.vocab
        return True
