"""Persons of the grammar, and mentions that are decided together."""

from collections.abc import Mapping, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_span_selector.people.clustering.apart import Persons, assign


def persons(*mentions: tuple[str, int]) -> Persons:
    found = Persons()
    for evidence, voice in mentions:
        found.add(evidence, voice)
    return found


@pytest.mark.parametrize(
    ("first", "second", "in_one_voice", "in_two"),
    [
        ("1 singular", "3 singular male", True, False),
        ("2", "3 singular female", True, False),
        ("1 singular", "2", True, False),
        ("1 singular", "1 plural", True, False),
        ("2", "2 singular", False, False),
        ("3 singular male", "3 singular female", True, True),
        ("3 singular male", "3 singular neuter", False, False),
        ("3 singular female", "3 plural", True, True),
        ("3 singular neuter", "3 plural", False, False),
        ("3 singular male", "3 singular male", False, False),
        ("1 singular", "name", False, False),
        ("3", "1 singular", False, False),
    ],
)
def test_persons_differ_in_one_voice_and_gender_and_number_anywhere(
    first: str, second: str, in_one_voice: bool, in_two: bool
) -> None:
    assert persons((first, 0)).clash(second, 0) == persons((second, 0)).clash(first, 0) == in_one_voice
    assert persons((first, 0)).clash(second, 1) == in_two


def test_clusters_clash_as_their_mentions_do() -> None:
    he, narrator, speaker = (persons((text, voice)) for text, voice in HE_AND_I)
    assert he.clash_with(narrator) and narrator.clash_with(he)
    assert not he.clash_with(speaker)
    speaker.update(narrator)
    assert he.clash_with(speaker)


HE_AND_I = (("3 singular male", -1), ("1 singular", -1), ("1 singular", 0))


@st.composite
def choices(draw: st.DrawFn) -> tuple[list[list[tuple[float, str | None]]], dict[tuple[int, int], float]]:
    worths = st.floats(0.1, 9).map(lambda worth: round(worth, 3))
    clusters = st.dictionaries(st.sampled_from(["a", "b", "c"]), worths, max_size=3)
    own = draw(st.lists(clusters, min_size=1, max_size=4))
    options: list[list[tuple[float, str | None]]] = [
        [*sorted(((worth, name) for name, worth in one.items()), reverse=True), (0.0, None)] for one in own
    ]
    pairs = [(i, j) for j in range(len(options)) for i in range(j)]
    apart = draw(st.dictionaries(st.sampled_from(pairs), worths)) if pairs else {}
    return options, apart


def worth_of(way: Sequence[tuple[float, str | None]], apart: Mapping[tuple[int, int], float]) -> float:
    total = 0.0
    for j, (worth, name) in enumerate(way):
        total += worth - sum(apart.get((i, j), 0.0) for i in range(j) if name is not None and way[i][1] == name)
    return total


@given(choices())
def test_the_best_of_all_ways_to_choose_is_found(
    drawn: tuple[list[list[tuple[float, str | None]]], dict[tuple[int, int], float]],
) -> None:
    options, apart = drawn
    best = -1.0
    for way in product(*options):
        best = max(best, worth_of(way, apart))
    chosen = assign(options, apart)
    assert all(one in own for one, own in zip(chosen, options, strict=True))
    assert worth_of(chosen, apart) == pytest.approx(best)
