import pytest
from spacy.language import Language

from .helpers import assert_error, named_clusters, parse_one


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
    assert_error(nlp, text, place, found, cure)
