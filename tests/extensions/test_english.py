import pytest

from spacy_span_selector.extensions.english import base_forms, possessive


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


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("gives", "give"),
        ("watches", "watch"),
        ("tries", "try"),
        ("tried", "try"),
        ("walked", "walk"),
        ("baked", "bake"),
        ("stopped", "stop"),
        ("baking", "bake"),
        ("stopping", "stop"),
        ("picks up", "pick up"),
    ],
)
def test_regular_forms_lead_to_their_base_forms(form: str, base: str) -> None:
    assert base in base_forms(form)


@pytest.mark.parametrize("form", ["", "s", "is", "ing", "red", "give", " up"])
def test_short_words_and_base_forms_lead_nowhere(form: str) -> None:
    assert not [*base_forms(form)]
