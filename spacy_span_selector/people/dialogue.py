"""Documents from turns of a dialogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..annotation import set_speakers
from .tokenized import make_doc


def doc_from_turns(nlp: Language, turns: Iterable[tuple[str, str]]) -> Doc:
    """Make a document of a dialogue, for a pipeline to annotate: `nlp(doc_from_turns(nlp, [("Ann", "I saw him.")]))`.

    Each turn starts a sentence.

    turns (Iterable[tuple[str, str]]): Speaker and text of each turn, in order. White space around them is dropped.
    RETURNS (Doc): The document, with turns in `doc.spans["speakers"]`.
    RAISES (ValueError): If there are no turns, or a turn is not a pair of a name and a text, neither of them empty, or
        the tokenizer can't split its text.
    """
    if not isinstance(turns, Iterable):
        raise ValueError(f'The turns are {turns!r}; expected a list of them, such as [("Ann", "I saw him.")].')
    docs, spans = [], []
    start = 0
    for number, turn in enumerate(turns, start=1):
        name, text = _check_turn(turn, number)
        doc = _tokenize(nlp, text, number)
        doc[0].is_sent_start = True
        docs.append(doc)
        spans.append((start, start + len(doc), name))
        start += len(doc)
    joined = Doc.from_docs(docs)
    if joined is None:
        raise ValueError('There are no turns to make a document of; expected some, such as [("Ann", "I saw him.")].')
    set_speakers(joined, spans)
    return joined


def _tokenize(nlp: Language, text: str, number: int) -> Doc:
    try:
        doc = make_doc(nlp, text)
    except ValueError as error:  # such as a text that is too long, or half of a character
        raise ValueError(f"Turn {number}, {text[:60]!r}, can't be split into words: {error}") from error
    if not len(doc):
        raise ValueError(f"Turn {number}, {text[:60]!r}, has no word for the tokenizer. Leave out turns without words.")
    return doc


def _check_turn(turn: Any, number: int) -> tuple[str, str]:
    pair = list(turn) if isinstance(turn, tuple | list) else []
    if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
        raise ValueError(f'Turn {number} is {turn!r}; expected a name and a text, such as ("Ann", "I saw him.").')
    name, text = (part.strip() for part in pair)
    for what, part in (("name", name), ("text", text)):
        if not part:
            raise ValueError(
                f"Turn {number}, {turn!r}, has no {what}. "
                + ("Name each speaker, if only by a letter." if what == "name" else "Leave out turns without words.")
            )
    return " ".join(name.split()), text
