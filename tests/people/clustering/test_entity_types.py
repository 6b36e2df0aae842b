"""The type of an entity, against sums over all types."""

from math import exp, log

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_span_selector.language import ENTITY_TYPES, language_table, packaged_table
from spacy_span_selector.people.clustering.entity_types import EntityTypes, add

VOCAB = spacy.blank("en").vocab
TYPES = EntityTypes(VOCAB)
ROWS = [row for row in packaged_table("en", ENTITY_TYPES) if row]
HE, SHE, IT = ("3 singular male", "3 singular female", "3 singular neuter")


@given(st.lists(st.sampled_from(ROWS), min_size=1, max_size=5))
def test_the_probability_of_evidence_is_the_sum_over_types(evidence: list[str]) -> None:
    table = language_table(VOCAB, ENTITY_TYPES)
    expected = 0.0
    for number, prior in enumerate(table[""]):
        product = exp(prior)
        for row in evidence:
            product *= exp(table[row][number])
        expected += product
    total = TYPES.nothing
    for row in evidence:
        total = add(total, TYPES.evidence(row))
    assert TYPES.log_probability(total) == pytest.approx(log(expected))


def test_pronouns_of_two_genders_disagree_and_of_one_agree() -> None:
    he, she = TYPES.evidence(HE), TYPES.evidence(SHE)
    assert TYPES.agreement(he, she) < 0 < TYPES.agreement(he, he)
    assert TYPES.agreement(he, TYPES.evidence("title female")) < 0
    assert TYPES.agreement(he, TYPES.evidence("noun plural")) < 0


@pytest.mark.parametrize("row", ROWS)
def test_women_and_men_are_equal(row: str) -> None:
    mirrored = {"male": "female", "female": "male"}
    other = " ".join(mirrored.get(word, word) for word in row.split())
    with_her = TYPES.agreement(TYPES.evidence(other), TYPES.evidence(SHE))
    assert TYPES.agreement(TYPES.evidence(row), TYPES.evidence(HE)) == pytest.approx(with_her)


def test_without_a_table_everything_agrees() -> None:
    types = EntityTypes(spacy.blank("de").vocab)
    assert types.agreement(types.evidence(HE), types.evidence(SHE)) == 0.0


def test_doubted_evidence_tells_less() -> None:
    sure = TYPES.agreement(TYPES.evidence(SHE), TYPES.evidence(HE))
    assert sure < TYPES.agreement(TYPES.evidence(SHE), TYPES.doubted(HE, 0.5)) < 0
    assert TYPES.agreement(TYPES.evidence(SHE), TYPES.doubted(HE, 1.0)) == pytest.approx(0, abs=1e-3)
    assert TYPES.doubted("nothing known", 0.5) == TYPES.nothing


def test_the_most_probable_label_tells_the_kind() -> None:
    given: list[dict[str, float]] = [{"PER": 0.5, "FAC": 0.9}, {"person": 1.0}, {"MISC": 1.0}, {}]
    assert [TYPES.labelled(labels)[0] for labels in given] == ["thing", "person", "", ""]
    assert TYPES.labelled({"MISC": 1.0})[1] == TYPES.nothing


def test_labels_of_one_kind_add_up_and_that_of_an_animal_tells_nothing() -> None:
    assert TYPES.labelled({"PER": 0.4, "OBJECT": 0.3, "PLANT": 0.3}) == TYPES.labelled({"OBJECT": 0.6})
    assert TYPES.labelled({"ANIMAL": 1.0}) == ("", TYPES.nothing)


@pytest.mark.parametrize("words", ["noun", IT])
def test_words_of_things_tell_nothing_of_what_is_labelled_as_a_person_or_an_animal(words: str) -> None:
    assert TYPES.words(words, {}) == TYPES.words(words, {"OBJECT": 1.0, "HERO": 1.0}) == TYPES.evidence(words)
    animal, half = TYPES.words(words, {"ANIMAL": 0.6, "PER": 0.4}), TYPES.words(words, {"ANIMAL": 0.5})
    for told in ("3 singular female", "1 singular"):
        other = TYPES.evidence(told)
        assert TYPES.agreement(animal, other) == pytest.approx(0.0, abs=1e-3)
        assert TYPES.agreement(TYPES.evidence(words), other) < TYPES.agreement(half, other) < 0
    assert TYPES.words(HE, {"ANIMAL": 1.0}) == TYPES.evidence(HE)


def test_a_label_agrees_as_far_as_it_is_probable() -> None:
    person = TYPES.labelled({"PER": 1.0})[1]
    sure, doubtful, unknown = (TYPES.agreement(person, TYPES.labelled({"VEH": p})[1]) for p in (7.0, 0.5, -1.0))
    assert sure < -10 < doubtful < 0 and unknown == pytest.approx(0, abs=1e-3)
    assert TYPES.agreement(person, person) > 0
