"""What the words of mentions tell."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.people.clustering import read_forms
from spacy_span_selector.people.clustering.forms import FormReader

READER = FormReader(spacy.blank("en").vocab)


@pytest.mark.parametrize(
    ("mention", "evidence"),
    [
        ("she", "3 singular female"),
        ("His", "3 singular male"),
        ("I", "1 singular"),
        ("them", "3 plural"),
        ("you", "2"),
        ("thee", "2"),
        ("Yourself", "2"),
        ("all of them", "3 plural"),
        ("Mr. Smith", "title male"),
        ("poor Mrs. Weston", "title female"),
        ("Dr. Smith", "title"),
        ("Emma", "name"),
        ("the Smiths", "name plural"),
        ("her sister", "noun female"),
        ("the old gentleman 's", "noun male"),
        ("the boys", "noun plural"),
        ("Ann and Tom", "noun plural"),
        ("the people", "noun plural"),
        ("a bicycle", "noun"),
        ("the doctor", "noun person"),
        ("the man who came", "noun male"),
    ],
)
def test_evidence_of_gender_and_number(mention: str, evidence: str) -> None:
    assert READER.read(tuple(mention.split())).evidence == evidence


@pytest.mark.parametrize(
    ("mention", "titles", "given", "family", "single"),
    [
        ("Emma", set(), "", "", "emma"),
        ("poor Emma", set(), "", "", "emma"),
        ("Emma Woodhouse", set(), "emma", "woodhouse", ""),
        ("Mr. Woodhouse", {"mr"}, "", "woodhouse", ""),
        ("Miss Woodhouse of Hartfield", {"miss"}, "", "", "woodhouse"),
        ("Sir James Chettam", {"sir"}, "james", "chettam", ""),
        ("French president Emmanuel Macron", {"president"}, "emmanuel", "macron", ""),
        ("the great Vincent van Gogh", set(), "vincent", "gogh", ""),
        ("Tom 's", set(), "", "", "tom"),
    ],
)
def test_names_are_read(mention: str, titles: set[str], given: str, family: str, single: str) -> None:
    name = READER.read(tuple(mention.split())).name
    assert name is not None
    assert (set(name.titles), name.given, name.family, name.single) == (titles, given, family, single)


@pytest.mark.parametrize(
    ("mention", "noun", "is_definite", "plural"),
    [
        ("the Boys of Rome", "", False, ""),
        ("the old boys of Rome", "boys", True, "boys"),
        ("these Old houses", "houses", True, "houses"),
        ("her house", "house", True, ""),
        ("a boy", "boy", False, ""),
    ],
)
def test_nouns_are_read(mention: str, noun: str, is_definite: bool, plural: str) -> None:
    form = READER.read(tuple(mention.split()))
    assert (form.noun, form.is_definite, form.plural) == (noun, is_definite, plural)


@pytest.mark.parametrize("mention", ["Mother", "the Doctor", "Tom 's brother", "the boys", "he", "The house", "US"])
def test_what_is_no_name(mention: str) -> None:
    assert READER.read(tuple(mention.split())).name is None or mention == "US"


def test_tags_tell_names_where_a_document_has_them() -> None:
    doc = Doc(spacy.blank("de").vocab, words=["Anna", "sah", "Haus"], pos=["PROPN", "VERB", "NOUN"])
    forms = read_forms(doc, [(0, 1), (2, 3)])
    assert [form.name is not None for form in forms] == [True, False]


def test_a_language_without_tables_tells_nothing() -> None:
    doc = Doc(spacy.blank("de").vocab, words=["Anna", "sah", "sie"])
    assert [(form.evidence, form.name) for form in read_forms(doc, [(0, 1), (2, 3)])] == [("", None)] * 2


def test_a_table_of_the_vocabulary_comes_first() -> None:
    nlp = spacy.blank("de")
    nlp.vocab.lookups.add_table("coref_pronouns", {"sie": {"person": 3, "number": "singular", "gender": "female"}})
    assert read_forms(Doc(nlp.vocab, words=["Sie"]), [(0, 1)])[0].evidence == "3 singular female"
