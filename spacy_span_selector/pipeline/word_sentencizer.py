"""The component `word_sentencizer`: spaCy's sentencizer, which puts boundaries at punctuation, without white space.

spaCy's own counts a line end as the first word of a sentence. So the same text has other sentences when it is wrapped:
in `"Go."\\n"Why?"` the second quotation mark begins a sentence, but without the line end it is the last of the first.
Here it begins a sentence in both: a mark that opens what follows belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc, Token

from ..documents.words import read_all_words


@Language.factory(
    "word_sentencizer",
    assigns=["token.is_sent_start", "doc.sents"],
    default_config={"punct_chars": None, "overwrite": False, "scorer": {"@scorers": "spacy.senter_scorer.v1"}},
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
)
def make_word_sentencizer(
    nlp: Language, name: str, punct_chars: list[str] | None, overwrite: bool, scorer: Callable[..., Any] | None
) -> WordSentencizer:
    """Create the component; its settings are those of spaCy's `sentencizer`."""
    return WordSentencizer(name, punct_chars=punct_chars, overwrite=overwrite, scorer=scorer)


class WordSentencizer(Sentencizer):
    """Set sentence boundaries at punctuation. White space belongs to the sentence before it, and a quotation mark or
    bracket that opens to the sentence after it."""

    def predict(self, docs: Iterable[Doc]) -> list[list[bool]]:
        """Which tokens start a sentence.

        docs (Iterable[Doc]): The documents, which are not modified.
        RETURNS (list[list[bool]]): For each document, for each token, whether it does.
        """
        words = read_all_words(docs)
        starts = []
        for document, guesses in zip(words, super().predict([document.doc for document in words]), strict=True):
            _start_at_opening_marks(document.doc, guesses)
            spread = np.zeros(len(document.source), dtype=bool)
            spread[document.places[1:]] = guesses[1:]
            spread[:1] = True
            starts.append(spread.tolist())
        return starts


def _start_at_opening_marks(doc: Doc, starts: list[bool]) -> None:
    """Let each sentence start at the marks before its first word that open something."""
    for i, begins in enumerate(starts):
        first = i
        while begins and first > 1 and _opens(doc[first - 1]):
            first -= 1
        if first < i:
            starts[i], starts[first] = False, True


def _opens(token: Token) -> bool:
    """Whether a quotation mark or bracket opens: by its shape or, if it is straight, with a space before it and none
    after it."""
    if not token.is_left_punct or not token.is_punct:
        return False
    if not token.is_right_punct:
        return True
    known = not token.doc.has_unknown_spaces
    return known and token.i > 0 and bool(token.nbor(-1).whitespace_) and not token.whitespace_
