"""Names that are mentions in one place and were missed in another."""

import pytest

from spacy_span_selector.people.clustering import read_forms
from spacy_span_selector.people.missed_names import find_missed_names

from ..words import place, read_words


def missed(text: str, *mentions: str, person: bool = False) -> list[str]:
    """The names that are found in a text beside mentions, each in its first place, with the words around them."""
    doc = read_words(text)
    places = sorted(place(doc, mention) for mention in mentions)
    found = find_missed_names(doc, places, read_forms(doc, places), [person] * len(places))
    assert all(0 <= number < len(places) for number in found.values())
    assert all(start < end <= len(doc) for start, end in found)
    return [doc[max(0, start - 1) : end + 1].text for start, end in sorted(found)]


@pytest.mark.parametrize(
    "text, mentions, expected",
    [
        ("Brandt came . We saw Brandt there .", ["Brandt"], ["saw Brandt there"]),
        ("Brandt came . We saw Brandt 's car .", ["Brandt", "Brandt 's car"], ["saw Brandt 's"]),
        ("Brandt 's car and Brandt 's dog .", ["Brandt 's"], ["and Brandt 's dog"]),
        ("Brandt came . We saw Dr. Brandt there .", ["Brandt", "Dr. Brandt"], []),
        ("Brandt came . We saw the Brandt road .", ["Brandt", "the Brandt road"], []),
        ("York is old . The York Times wrote .", ["York"], []),
        ("York is old . The New York wrote .", ["York"], []),
        ("Brandt came . We saw poor Brandt there .", ["Brandt"], ["saw poor Brandt there"]),
        ("Brandt came . We saw the poor Brandt .", ["Brandt"], []),
        ("Brandt sang . Life is old . Brandt left .", ["Brandt"], [". Brandt left"]),
        ("the Pequod sailed . The Pequod sank .", ["the Pequod"], [". The Pequod sank"]),
    ],
)
def test_a_name_is_one_wherever_it_is_all_of_a_name(text: str, mentions: list[str], expected: list[str]) -> None:
    assert missed(text, *mentions) == expected


@pytest.mark.parametrize(
    "sentence, expected",
    [("Will you go ?", []), ("Will rose at once .", [". Will rose"]), ("He met Will there .", ["met Will there"])],
)
def test_a_name_that_is_a_verb_is_told_by_what_follows(sentence: str, expected: list[str]) -> None:
    assert missed(f"I saw Will . {sentence}", "Will") == expected


def test_a_capital_that_opens_a_sentence_proves_no_name_of_words_that_are_common() -> None:
    text = "I know Rose . a rose . Rose water . Rose petals . But then Rose came ."
    assert missed(text, "Rose") == ["then Rose came"]


def test_parts_of_the_name_of_a_person_are_names() -> None:
    text = "Dr. Nina Brandt came . Then Brandt left , as Nina said ."
    assert missed(text, "Dr. Nina Brandt", person=True) == ["Then Brandt left", "as Nina said"]
    assert missed(text, "Dr. Nina Brandt") == []


def test_a_name_at_the_end_of_a_text_is_no_longer_one() -> None:
    assert missed("Ann Lee came with Ann", "Ann Lee", person=True) == ["with Ann"]


def test_an_acronym_is_a_name_with_its_article() -> None:
    text = "the Royal Ballet Company danced . The RBC is small . An RBC poster ."
    assert missed(text, "the Royal Ballet Company") == [". The RBC is"]


def test_a_text_without_names_has_none() -> None:
    assert missed("the girl saw her .", "the girl") == []
