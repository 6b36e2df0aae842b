"""Pipelines of components by name, whether they need no training or have got none, and a text to initialize them on."""

from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example

from spacy_span_selector.tools.formats.bracketed import parse_bracketed

BOAT = """
[Ann|ann] saw [the boat of [her|ann] brother|boat].
> [ARG0 Ann] [V=see.01 saw] [ARG1 the boat of her brother].
[She|ann] liked [it|boat].
> [ARG0 She] [V=like.01 liked] [ARG1 it].
"""


def pipeline_of(language: str, *names: str, **settings: dict[str, Any]) -> Language:
    """A pipeline of components, each by the name of its factory, under which it may have settings."""
    nlp = spacy.blank(language)
    for name in names:
        nlp.add_pipe(name, config=settings.get(name, {}))
    return nlp


def gold_examples(nlp: Language, text: str = BOAT) -> list[Example]:
    """The documents of a bracketed text, of which the pipeline has the words."""
    return [Example(nlp.make_doc(doc.text), doc) for doc in parse_bracketed(text, nlp)]


def untrained(language: str, *names: str, text: str = BOAT, **settings: dict[str, Any]) -> Language:
    """A pipeline that is initialized on a bracketed text; for its arguments see `pipeline_of`."""
    nlp = pipeline_of(language, *names, **settings)
    nlp.initialize(lambda: gold_examples(nlp, text))
    return nlp
