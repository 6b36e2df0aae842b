"""A folder to correct, and an application that corrects it in this process, for tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, Quotation, set_clusters, set_frames, set_quotations
from spacy_span_selector.tools.formats.bracketed import read_bracketed

TEXT = "Ann saw her  brother.\n\n“He ran,” she said."
"""Ann: 0, 2, 11; her brother: 2-4, 6; frames of "saw" and "ran"; “He ran,” is what Ann says."""


@Language.component("editing_test_annotation")
def annotate(doc: Doc) -> Doc:
    """Clusters, frames and a quotation of `TEXT`; of another text, the first word is a mention."""
    words = [token.i for token in doc if not token.is_space]
    if doc.text == "please fail":
        raise RuntimeError("out of order")
    if doc.text != TEXT:
        set_clusters(doc, [[(words[0], words[0] + 1)]], link_scores=[[0.9]], antecedents=[[None]])
        return doc
    ann, her, brother, he, she = ((doc[i].i, doc[j].i + 1) for i, j in place(words))
    clusters = [[ann, her, she], [brother, he]]
    set_clusters(
        doc,
        clusters,
        link_scores=[[1.0, 0.3, 0.9], [0.8, 0.2]],
        antecedents=[[None, ann, her], [None, brother]],
    )
    ran = words[7]
    set_frames(
        doc,
        [
            Frame(1, 2, [Argument(*ann, "ARG0"), Argument(*brother, "ARG1")], "see.01"),
            Frame(ran, ran + 1, [Argument(*he, "ARG0")], "run.02"),
        ],
    )
    set_quotations(doc, [Quotation(words[5], words[9] + 1, speaker=she)])
    return doc


def place(words: list[int]) -> list[tuple[int, int]]:
    """First and last tokens of Ann, her, her brother, He and she."""
    return [(words[i], words[j]) for i, j in [(0, 0), (2, 2), (2, 3), (6, 6), (10, 10)]]


@cache
def load() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("editing_test_annotation")
    return nlp


class InThisProcess:
    """Makes drafts as a `Worker` does, and is there at once."""

    seconds_to_load = 1.0

    def __init__(self, most_characters: int = 1000) -> None:
        from spacy_span_selector.tools.serving.drafts import Drafting
        from spacy_span_selector.tools.serving.view import Form

        self.form = Form("my_<model>", most_characters)
        self.view = Drafting(load(), self.form)
        self.asked: list[str] = []

    def annotate(self, source: Any) -> Any:
        from spacy_span_selector.tools.serving.view import UnreadableError
        from spacy_span_selector.tools.serving.worker import NotAnnotatedError

        self.asked.append(source.name)
        try:
            return self.view(source)
        except UnreadableError as error:
            raise NotAnnotatedError(str(error), later=False) from error
        except RuntimeError as error:
            raise NotAnnotatedError(f"The pipeline failed at this text: {error}", later=False) from error

    def give_up(self) -> None:
        """There is nothing that takes long."""


def read(path: Path) -> Doc:
    """The document that was saved."""
    (doc,) = read_bracketed(path, spacy.blank("en"))
    return doc
