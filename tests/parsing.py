"""Documents in the bracketed format."""

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.tools.formats.bracketed import parse_bracketed

NLP = spacy.blank("en")


def parse_one(text: str, nlp: Language = NLP) -> Doc:
    (doc,) = parse_bracketed(text, nlp)
    return doc
