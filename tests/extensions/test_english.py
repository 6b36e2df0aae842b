import pytest

from spacy_span_selector.extensions.english import possessive


@pytest.mark.parametrize(
    ("text", "plural", "expected"),
    [
        ("Ann", False, "Ann's"),
        ("James", False, "James's"),
        ("the girls", True, "the girls'"),
        ("the children", True, "the children's"),
    ],
)
def test_possessive(text: str, plural: bool, expected: str):
    assert possessive(text, plural=plural) == expected
