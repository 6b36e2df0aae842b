"""A pipeline that does what the text says, for tests, in this process and in others."""

import ctypes
import os
import time
from functools import cache
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, Quotation, set_clusters, set_frames, set_quotations

from ...untrained import pipeline_of

TEXT = "Ann saw her  brother.\n\n“He ran,” she said."
"""Ann: 0, 2, 11; her brother: 2-4, 6; frames of "saw" and "ran"; “He ran,” is what Ann says."""


@Language.component("serving_test_annotation")
def annotate(doc: Doc) -> Doc:
    """Annotate `TEXT`. Of another text the first token and the last but one are an entity, and the second is a
    predicate, unless the text is an order:

    please fail; please die; or PATH ORDER, for which a file is written first: wait, or hold, which lets no other thread
    run meanwhile.
    """
    if doc.text == TEXT:
        return annotate_text(doc)
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


def annotate_text(doc: Doc) -> Doc:
    words = [token.i for token in doc if not token.is_space]
    places = [(0, 0), (2, 2), (2, 3), (6, 6), (10, 10)]
    ann, her, brother, he, she = ((words[i], words[j] + 1) for i, j in places)
    links, antecedents = [[1.0, 0.3, 0.9], [0.8, 0.2]], [[None, ann, her], [None, brother]]
    set_clusters(doc, [[ann, her, she], [brother, he]], link_scores=links, antecedents=antecedents)
    saw = Frame(1, 2, [Argument(*ann, "ARG0"), Argument(*brother, "ARG1")], "see.01")
    set_frames(doc, [saw, Frame(words[7], words[7] + 1, [Argument(*he, "ARG0")], "run.02")])
    set_quotations(doc, [Quotation(words[5], words[9] + 1, speaker=she)])
    return doc


def load(max_length: int = 1_000_000) -> Language:
    nlp = pipeline_of("en", "sentencizer", "serving_test_annotation")
    nlp.max_length = max_length
    return nlp


def end_while_loading() -> Language:
    os._exit(4)


loaded = cache(load)


class InThisProcess:
    """Annotates as a `Worker` does, and is there at once."""

    def __init__(self, make_view: Any, name: str = "my_<model>", most_characters: int = 1000) -> None:
        from spacy_span_selector.tools.serving.pages import Form

        self.form = Form(name, most_characters)
        self.view = make_view(loaded(), self.form)
        self.asked: list[Any] = []

    async def stop(self) -> None:
        """There is nothing to end."""

    async def annotate(self, text: Any, request: Any = None) -> Any:
        from spacy_span_selector.tools.serving.worker import BusyError, NotAnnotatedError

        self.asked.append(text)
        if text == "later":
            raise BusyError("Not <now>.")
        try:
            return self.view(text)
        except RuntimeError as error:
            raise NotAnnotatedError(f"The pipeline failed at this text: {error}") from error
