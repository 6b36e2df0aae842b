import pytest

from spacy_span_selector.extensions.english import base_forms, possessive, verbs_in_perfect, words_of_form


@pytest.mark.parametrize(
    ("text", "plural", "expected"),
    [("Ann", False, "Ann's"), ("James", False, "James's"), ("girls", True, "girls'"), ("children", True, "children's")],
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


@pytest.mark.parametrize("form", ["", "s", "is", "ing", "red", "give", " up", "neighbour"])
def test_short_words_base_forms_and_spellings_lead_nowhere(form: str) -> None:
    assert not [*base_forms(form)]


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("shook", "shake"),
        ("woke up", "wake up"),
        ("'s", "have"),
        ("’ve", "have"),
        ("lay", "lie"),
        ("withdrew", "withdraw"),
        ("overheard", "overhear"),
        ("stopped", "stop"),
        # British spellings lead to American ones.
        ("organised", "organize"),
        ("analysing", "analyze"),
        ("organisation", "organization"),
        ("coloured", "color"),
        ("centre", "center"),
        ("defence", "defense"),
        ("fulfilled", "fulfill"),
        ("co-operates", "cooperate"),
    ],
)
def test_forms_lead_to_their_words(form: str, word: str) -> None:
    assert word in words_of_form(form)


@pytest.mark.parametrize(
    ("words", "verbs"),
    [
        ("he had drunk", ["drink"]),
        ("I ’ve quickly drunk", ["drink"]),
        ("Had they never Drunk", ["drink"]),
        ("he was drunk", []),
        ("he had a drunk", []),
        ("he had walked", []),
        ("drunk", []),
    ],
)
def test_an_irregular_participle_in_the_perfect_is_a_verb(words: str, verbs: list[str]) -> None:
    assert verbs_in_perfect(words.split()) == verbs
