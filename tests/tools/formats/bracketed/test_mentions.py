import pytest
from spacy.language import Language

from .helpers import assert_error, named_clusters, parse_one


def test_nested_mentions_form_clusters_by_name(nlp: Language):
    doc = parse_one("[[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].\n[He|tom] saw [[her|ann]] .", nlp)
    assert doc.text == "Her brother met Dr. Bell at a café. He saw her ."
    assert named_clusters(doc) == [
        ("ann", ["Her", "her"]),
        ("tom", ["Her brother", "He"]),
        ("bell", ["Dr. Bell"]),
        ("", ["a café"]),
        ("", ["her"]),
    ]


def test_one_span_can_be_in_two_clusters(nlp: Language):
    assert named_clusters(parse_one("[[Ann|a]|b] left .", nlp)) == [("a", ["Ann"]), ("b", ["Ann"])]


@pytest.mark.parametrize(
    ("text", "place", "found", "cure"),
    [
        ("Ann\na [dog ran", "2:3", "a mention that is not closed: 'dog ran'", "Add `]`"),
        ("a [dog|d ran", "1:3", "a mention that is not closed", "Add `]`"),
        ("a dog] ran", "1:6", "`]` outside a mention", "Open one with `[`"),
        ("a dog|d ran", "1:6", "`|` outside a mention", "write `\\|`"),
        ("a [] dog", "1:3", "a mention without words", "Write `[words]`"),
        ("a [ |x] dog", "1:3", "a mention without words", "Write `[words]`"),
        ("a [dog|]", "1:8", "an empty name", "Write `[words|name]`"),
        ("a [dog|my dog]", "1:8", "the name 'my dog' holds white space", "Use letters"),
        ("a [dog|x [cat|y]]", "1:8", "the name 'x [cat|y' holds", "Use letters"),
        ("[[Ann|a]|a]", "1:1", "'Ann' is marked twice as 'a'", "Remove one pair"),
    ],
)
def test_errors_name_place_finding_and_cure(nlp: Language, text: str, place: str, found: str, cure: str):
    assert_error(nlp, text, place, found, cure)
