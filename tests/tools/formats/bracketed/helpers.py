"""What the tests of the parts of the format share."""

import re

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import cluster_groups
from spacy_span_selector.tools.formats.bracketed import parse_bracketed


def parse_one(text: str, nlp: Language) -> Doc:
    (doc,) = parse_bracketed(text, nlp)
    return doc


def named_clusters(doc: Doc) -> list[tuple[str, list[str]]]:
    return [(group.attrs.get("name", ""), [span.text for span in group]) for group in cluster_groups(doc)]


def assert_error(nlp: Language, text: str, place: str, found: str, cure: str) -> None:
    """Reading a text fails with a message that has line and column, finding and cure."""
    with pytest.raises(ValueError, match=rf"^demo.txt:{place}: {re.escape(found)}.*{re.escape(cure)}"):
        parse_bracketed(text, nlp, source="demo.txt")
