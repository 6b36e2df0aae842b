import re

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import cluster_groups
from spacy_span_selector.corpora.bracketed import parse_bracketed


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


def parse_one(text: str, nlp: Language) -> Doc:
    (doc,) = parse_bracketed(text, nlp)
    return doc


def named_clusters(doc: Doc) -> list[tuple[str, list[str]]]:
    return [(group.attrs.get("name", ""), [span.text for span in group]) for group in cluster_groups(doc)]


def test_escapes_are_literal(nlp: Language):
    doc = parse_one("\\# \\[a\\] \\| \\\\ [b \\]|x]\n\\=== no heading\n\\@home: we\n\\> a\nx # y @ z = w > v", nlp)
    assert doc.text == "# [a] | \\ b ] === no heading @home: we > a x # y @ z = w > v"
    assert named_clusters(doc) == [("x", ["b ]"])]


def test_white_space_in_a_line_is_one_space(nlp: Language):
    doc = parse_one("  [ Ann  Lee |ann]\t left .", nlp)
    assert doc.text == "Ann Lee left ."
    assert named_clusters(doc) == [("ann", ["Ann Lee"])]


@pytest.mark.parametrize(
    ("text", "place", "found", "cure"),
    [
        ("two [Be]lls", "1:8", "a mention ends inside the token 'Bells'", "Move the bracket"),
        ("@A: B[ell] x", "1:6", "a mention starts inside the token 'Bell'", "Move the bracket"),
        ("a \\n b", "1:3", "unknown escape '\\\\n'", "Write `\\\\`"),
        ("a b \\", "1:5", "unknown escape '\\\\'", "Write `\\\\`"),
    ],
)
def test_errors_name_place_finding_and_cure(nlp: Language, text: str, place: str, found: str, cure: str):
    with pytest.raises(ValueError, match=rf"^demo.txt:{place}: {re.escape(found)}.*{re.escape(cure)}"):
        parse_bracketed(text, nlp, source="demo.txt")
