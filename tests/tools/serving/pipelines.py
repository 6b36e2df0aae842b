"""A pipeline that does what the text says, for tests; it is loaded in other processes, too."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames


@Language.component("serving_test_annotation")
def annotate(doc: Doc) -> Doc:
    """The first token and the last but one are one entity, and the second is a predicate, unless the text is an order:

    please fail; please die; or PATH ORDER, for which a file is written first: wait, or hold, which lets no other thread
    run meanwhile.
    """
    if doc.text == "please fail":
        raise RuntimeError("out of <order>")
    if doc.text == "please die":
        os._exit(3)
    if doc.text.startswith("/"):
        path, _, order = doc.text.partition(" ")
        Path(path).touch()
        if order == "wait":
            time.sleep(600)
        if order == "hold":
            ctypes.PyDLL(None).sleep(600)  # keeps Python's lock
    if len(doc) > 3:
        set_clusters(doc, [[(0, 1), (len(doc) - 2, len(doc) - 1)]])
        set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "see.01")])
    return doc


def load(max_length: int = 1_000_000) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("serving_test_annotation")
    nlp.max_length = max_length
    return nlp


def end_while_loading() -> Language:
    os._exit(4)
