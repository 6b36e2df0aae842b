"""Whether two names can be names of one entity."""

import pytest
import spacy

from spacy_span_selector.people.clustering.names import Name, NameReader

READER = NameReader(spacy.blank("en").vocab)


def read(text: str) -> Name:
    name = READER.read(text.lower().split())
    assert name is not None
    return name


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ("Emma", "Emma Woodhouse", "given"),
        ("Tom", "Thomas Sawyer", "nickname"),
        ("Tom", "Thomas", "nickname"),
        ("Huck Finn", "Huckleberry Finn", "full"),
        ("J. Smith", "John Smith", "full"),
        ("Mr. Finn", "Huck Finn", "family"),
        ("Finn", "Huck Finn", "family"),
        ("Miss Woodhouse", "Emma Woodhouse", "family"),
        ("Emma", "Miss Emma", "same"),
        ("Mr. Knightley", "Mr. Knightley", "same"),
        ("Mr. Knightley", "Mrs. Knightley", "clash"),
        ("Miss March", "Mrs. March", "clash"),
        ("Aunt March", "Mrs. March", "titles"),
        ("Judge Thatcher", "Mr. Thatcher", "titles"),
        ("E.", "Emma Woodhouse", None),
        ("Mary Garth", "Caleb Garth", "clash"),
        ("Mr. John Knightley", "Mrs. John Knightley", "clash"),
        ("Emma", "Harriet", None),
        ("Mr. Elton", "Mr. Weston", None),
        ("Emma", "Miss Woodhouse", None),
    ],
)
def test_relations(first: str, second: str, relation: str | None) -> None:
    assert READER.relate(read(first), read(second)) == relation
    assert READER.relate(read(second), read(first)) == relation


def test_a_full_name_bridges_its_parts() -> None:
    full = read("Emma Woodhouse")
    assert READER.bridges(full, read("Emma"), read("Miss Woodhouse"))
    assert not READER.bridges(full, read("Emma"), read("Mr. Weston"))
    assert not READER.bridges(read("Mary Garth"), read("Mary Garth"), read("Mary Smith"))


def test_a_title_within_a_name_is_a_part_of_it_unless_another_name_begins() -> None:
    assert read("Prime Minister Lee").family == "lee"
    assert read("Ann Lee Miss Lind") == read("Ann Lee")


def test_titles_alone_are_no_name() -> None:
    assert READER.read(["mother"]) is None


def test_titles_without_a_gender_tell_none() -> None:
    names = ("Mr. Smith", "Lady Chettam", "Dr. Smith", "Smith")
    assert [read(name).gender for name in names] == ["male", "female", "", ""]
