"""The tables of languages."""

from math import exp, fsum

import pytest
import spacy

from spacy_span_selector import language
from spacy_span_selector.language import (
    ENTITY_LABELS,
    ENTITY_TYPES,
    NICKNAMES,
    QUOTATION_WEIGHTS,
    TITLE_KINDS,
    TITLES,
    language_table,
    packaged_table,
)

TABLES = [value for name, value in vars(language).items() if name.isupper() and isinstance(value, str)]


def test_english_has_every_table() -> None:
    assert all(packaged_table("en", name) for name in TABLES)


def test_a_language_without_tables_has_empty_ones() -> None:
    tables = {name: language_table(spacy.blank("de").vocab, name) for name in TABLES}
    assert [name for name in TABLES if len(tables[name])] == [ENTITY_LABELS]


def test_no_table_is_made_twice() -> None:
    """Not an empty one, either: it takes spaCy milliseconds, and each document asks for some."""
    for vocab in (spacy.blank("en").vocab, spacy.blank("de").vocab):
        assert language_table(vocab, TITLES) is language_table(vocab, TITLES)


def test_a_table_of_the_vocabulary_comes_first_and_is_saved() -> None:
    nlp = spacy.blank("en")
    nlp.vocab.lookups.add_table(TITLES, {"maestro": "male"})
    again = spacy.blank("en").from_bytes(nlp.to_bytes())
    for table in (language_table(nlp.vocab, TITLES), language_table(again.vocab, TITLES)):
        assert (table.get("maestro"), table.get("mr")) == ("male", None)


@pytest.mark.parametrize("name", [name for name in TABLES if name != QUOTATION_WEIGHTS])
def test_words_are_in_lower_case(name: str) -> None:
    assert all(word == word.lower() for word in packaged_table("en", name))


def test_titles_with_a_kind_are_titles() -> None:
    assert packaged_table("en", TITLE_KINDS).keys() <= packaged_table("en", TITLES).keys()


def test_no_name_is_its_own_short_form() -> None:
    assert all(name not in short for name, short in packaged_table("en", NICKNAMES).items())


def test_probabilities_of_entity_types_sum_to_one() -> None:
    table = {**packaged_table("en", ENTITY_TYPES)}
    priors = table.pop("")
    labels = [table.pop(f"label {kind}") for kind in ("person", "thing")]
    assert fsum(map(exp, priors)) == pytest.approx(1, abs=0.01)
    for rows in (labels, table.values()):
        for number in range(len(priors)):
            assert fsum(exp(row[number]) for row in rows) == pytest.approx(1, abs=0.02)


def test_labels_of_entities_are_those_of_every_language() -> None:
    labels = [language_table(spacy.blank(code).vocab, ENTITY_LABELS) for code in ("en", "de", "xx")]
    for table in labels:
        assert (table.get("per"), table.get("veh"), table.get("animal")) == ("person", "thing", "either")
