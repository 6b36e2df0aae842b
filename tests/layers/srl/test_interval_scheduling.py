from __future__ import annotations

import itertools

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from spacy_span_selector.layers.srl.span_arguments import heaviest_disjoint, heaviest_labelled

Interval = tuple[int, int]

drawn_intervals = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 4), st.floats(-2, 5, allow_nan=False)).map(
        lambda drawn: ((drawn[0], drawn[0] + drawn[1]), drawn[2])
    ),
    max_size=8,
)


def overlap(one: Interval, other: Interval) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def heaviest_by_enumeration(intervals: list[Interval], weights: list[float]) -> float:
    """The weight of the heaviest of all sets in which no two intervals overlap."""
    best = 0.0
    for size in range(len(intervals) + 1):
        for chosen in itertools.combinations(range(len(intervals)), size):
            if not any(overlap(intervals[i], intervals[j]) for i, j in itertools.combinations(chosen, 2)):
                best = max(best, sum(weights[i] for i in chosen))
    return best


@settings(deadline=None)
@given(drawn_intervals)
def test_no_disjoint_set_is_heavier(drawn: list[tuple[Interval, float]]) -> None:
    intervals, weights = [interval for interval, _ in drawn], [weight for _, weight in drawn]
    chosen = heaviest_disjoint(intervals, weights)
    assert chosen == sorted(set(chosen))
    assert not any(overlap(intervals[i], intervals[j]) for i, j in itertools.combinations(chosen, 2))
    assert sum(weights[i] for i in chosen) == pytest.approx(heaviest_by_enumeration(intervals, weights))
    assert all(weights[i] > 0 for i in chosen)


def test_a_light_interval_may_not_block_a_heavy_one() -> None:
    assert heaviest_disjoint([(0, 5), (2, 3), (4, 9)], [2.0, 1.5, 1.0]) == [1, 2]
    assert heaviest_disjoint([(0, 5), (2, 3), (4, 9)], [3.0, 1.5, 1.0]) == [0]


def test_ends_are_inclusive() -> None:
    assert heaviest_disjoint([(0, 2), (2, 3)], [1.0, 2.0]) == [1]
    assert heaviest_disjoint([(0, 1), (2, 3)], [1.0, 2.0]) == [0, 1]


def test_of_equally_heavy_sets_the_later_end_is_left_out() -> None:
    assert heaviest_disjoint([(1, 2), (0, 1)], [1.0, 1.0]) == [1]
    assert heaviest_disjoint([(0, 1), (0, 1)], [1.0, 1.0]) == [0]


def test_nothing_is_chosen_from_nothing() -> None:
    assert heaviest_disjoint([], []) == []
    assert heaviest_disjoint([(0, 0), (1, 1)], [0.0, -1.0]) == []


drawn_choices = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(0, 2),
        st.lists(st.tuples(st.integers(0, 3), st.floats(0.01, 5)), max_size=3, unique_by=lambda choice: choice[0]),
    ),
    max_size=5,
)


def heaviest_labelled_by_enumeration(
    intervals: list[Interval], choices: list[list[tuple[int, float]]], unique: set[int]
) -> float:
    """The weight of the heaviest of all ways to label some intervals."""
    best = 0.0
    for labels in itertools.product(*([None, *options] for options in choices)):
        chosen = [(i, option) for i, option in enumerate(labels) if option]
        once = [label for _, (label, _) in chosen if label in unique]
        disjoint = not any(overlap(intervals[i], intervals[j]) for (i, _), (j, _) in itertools.combinations(chosen, 2))
        if disjoint and len({*once}) == len(once):
            best = max(best, sum(weight for _, (_, weight) in chosen))
    return best


@settings(deadline=None)
@given(drawn_choices, st.sets(st.integers(0, 3)))
def test_no_labels_are_heavier(drawn: list[tuple[int, int, list[tuple[int, float]]]], unique: set[int]) -> None:
    intervals, choices = [(start, start + more) for start, more, _ in drawn], [options for _, _, options in drawn]
    chosen = heaviest_labelled(intervals, choices, unique)
    assert [i for i, _ in chosen] == sorted({i for i, _ in chosen})
    assert not any(overlap(intervals[i], intervals[j]) for (i, _), (j, _) in itertools.combinations(chosen, 2))
    once = [label for _, label in chosen if label in unique]
    assert len({*once}) == len(once)
    weight = sum(dict(choices[i])[label] for i, label in chosen)
    assert weight == pytest.approx(heaviest_labelled_by_enumeration(intervals, choices, unique))


def test_a_unique_label_goes_where_the_other_interval_has_no_good_second_choice() -> None:
    intervals, choices = [(0, 0), (1, 1)], [[(0, 3.0), (1, 2.5)], [(0, 2.9), (1, 1.0)]]
    assert heaviest_labelled(intervals, choices, {0}) == [(0, 1), (1, 0)]
    assert heaviest_labelled(intervals, choices, set()) == [(0, 0), (1, 0)]
