"""Which names of a document are of one entity, against every division of them."""

from itertools import combinations
from math import inf

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_span_selector.people.clustering.entity_types import EntityTypes, add
from spacy_span_selector.people.clustering.named_entities import EXACT, NamedEntities, NameUse, divisions
from spacy_span_selector.people.clustering.names import NameReader

VOCAB = spacy.blank("en").vocab
READER, TYPES = NameReader(VOCAB), EntityTypes(VOCAB)
NAMES = [
    *("Emma", "Emma Woodhouse", "Miss Woodhouse", "Mr. Woodhouse", "Woodhouse", "Isabella Woodhouse", "Tom"),
    *("Thomas Woodhouse", "Mr. Knightley", "George Knightley", "Mrs. Woodhouse", "Harriet"),
]


def use(text: str, sentences: tuple[int, ...] = (), pronoun: str = "") -> NameUse:
    name = READER.read(text.lower().split())
    assert name is not None
    evidence = TYPES.evidence(f"title {name.gender}".strip() if name.titles else "name")
    return NameUse(name, add(evidence, TYPES.evidence(pronoun)) if pronoun else evidence, frozenset(sentences))


def entities(uses: list[NameUse], links: dict[tuple[int, int], tuple[float, int]] | None = None) -> NamedEntities:
    return NamedEntities(uses, links or {}, READER, TYPES)


def grouped(*names: NameUse, links: dict[tuple[int, int], tuple[float, int]] | None = None) -> list[list[int]]:
    return entities([*names], links).groups()


@given(
    names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=EXACT, unique=True),
    pronouns=st.lists(st.sampled_from(["", "3 singular male", "3 singular female"]), min_size=EXACT, max_size=EXACT),
    scores=st.lists(st.floats(-4, 4), min_size=15, max_size=15),
)
def test_the_division_is_the_best_of_all(names: list[str], pronouns: list[str], scores: list[float]) -> None:
    uses = [use(name, pronoun=pronoun) for name, pronoun in zip(names, pronouns, strict=False)]
    links = {pair: (score, 5) for pair, score in zip(combinations(range(len(uses)), 2), scores, strict=False)}
    found = entities(uses, links)
    groups = found.groups()
    assert sorted(name for group in groups for name in group) == [*range(len(uses))]
    best = max(sum(found.worth(group) for group in division) for division in divisions(range(len(uses))))
    assert sum(found.worth(group) for group in groups) == pytest.approx(best)


@given(st.lists(st.sampled_from(NAMES), min_size=EXACT + 1, unique=True))
def test_many_names_are_joined_greedily_and_never_against_a_clash(names: list[str]) -> None:
    uses = [use(name) for name in names]
    for group in grouped(*uses):
        for first, second in combinations(group, 2):
            assert READER.relate(uses[first].name, uses[second].name) != "clash"


def test_names_that_share_nothing_need_a_full_name_between() -> None:
    assert grouped(use("Emma"), use("Miss Woodhouse")) == [[0], [1]]
    often = [use(name, tuple(range(i, 90, 3))) for i, name in enumerate(["Emma", "Miss Woodhouse", "Emma Woodhouse"])]
    assert grouped(*often, links={(1, 2): (1.0, 9)}) == [[0, 1, 2]]


def test_a_name_that_is_hardly_used_does_not_join_two_that_are() -> None:
    polly, mary = (use(name, tuple(range(first, first + 40))) for name, first in (("Aunt Polly", 0), ("Mary", 30)))
    assert [0, 1] not in [group[:2] for group in grouped(polly, mary, use("Polly", (99,)))]


def test_titles_of_two_genders_are_never_one_entity_even_where_links_say_so() -> None:
    assert grouped(use("Mr. Woodhouse"), use("Mrs. Woodhouse"), links={(0, 1): (4.0, 100)}) == [[0], [1]]


def test_pronouns_tell_two_persons_of_one_family_apart() -> None:
    sister = use("Miss Garth")
    assert grouped(sister, use("Caleb Garth", pronoun="3 singular male")) == [[0], [1]]
    assert grouped(sister, use("Mary Garth", pronoun="3 singular female")) == [[0, 1]]


def test_links_decide_what_an_ambiguous_name_joins() -> None:
    names = [use("Joe"), use("Joe Harper"), use("Joe Gargery")]
    assert grouped(*names, links={(0, 1): (3.0, 9), (0, 2): (-3.0, 9)}) == [[0, 1], [2]]
    assert grouped(*names, links={(0, 1): (-3.0, 9), (0, 2): (3.0, 9)}) == [[0, 2], [1]]


def test_names_that_often_share_a_sentence_are_of_two() -> None:
    together = tuple(range(10))
    assert grouped(use("Fred Vincy", together), use("Mr. Vincy", together), links={(0, 1): (1.0, 9)}) == [[0], [1]]
    assert grouped(use("Fred Vincy", together), use("Mr. Vincy", tuple(range(20, 30))), links={(0, 1): (1.0, 9)}) == [
        [0, 1]
    ]


def test_a_clash_is_worth_less_than_anything() -> None:
    assert entities([use("Mary Garth"), use("Caleb Garth")]).worth([0, 1]) == -inf


def test_all_divisions_are_tried() -> None:
    assert [len([*divisions(range(n))]) for n in range(6)] == [1, 1, 2, 5, 15, 52]


@pytest.mark.parametrize(("sentences", "groups"), [(100, [[0, 1, 2]]), (10, [[0, 2], [1]])])
def test_a_name_used_once_does_not_keep_apart_two_that_are_used_often(sentences: int, groups: list[list[int]]) -> None:
    emma, miss = range(sentences), range(sentences, 2 * sentences)
    she = "3 singular female"
    names = use("Emma", tuple(emma), she), use("Miss Woodhouse", tuple(miss), she), use("Emma Woodhouse", (500,))
    assert grouped(*names, links={(1, 2): (-3.0, 9)}) == groups


def test_names_of_several_words_are_compared_where_they_may_be_one() -> None:
    """A thousand companies are all "Inc.": the pairs of them would take minutes."""
    names = ["Acme Inc.", "Bolt Inc.", "Inc.", "Thomas Finn", "Tom Finn", "T. Finn", "Mary Finn", "Mr. Finn"]
    found = entities([use(name) for name in names])
    pairs = {(names[first], names[second]) for first, second in found._candidates()}
    assert {
        ("Acme Inc.", "Inc."),
        ("Thomas Finn", "Tom Finn"),
        ("Tom Finn", "T. Finn"),
        ("Mary Finn", "Mr. Finn"),
    } < pairs
    assert not {("Acme Inc.", "Bolt Inc."), ("Thomas Finn", "Mary Finn")} & pairs
    assert found.worth([3, 6, 7]) == -inf
