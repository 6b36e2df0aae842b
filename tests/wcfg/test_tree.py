from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from spacy_span_selector.wcfg.tree import binary_tree

from .reference import Scores, Span, binary_trees


@st.composite
def selections(draw: st.DrawFn) -> tuple[list[Span], Scores]:
    """Some nodes of a tree over up to seven tokens, and weights of all nodes."""
    tokens = draw(st.integers(1, 7))
    trees = list(binary_trees(0, tokens))
    tree = trees[draw(st.integers(0, len(trees) - 1))]
    selected = draw(st.lists(st.sampled_from(tree), unique=True))
    return selected, np.random.default_rng(draw(st.integers(0, 2**31))).random((tokens, tokens))


def total(tree: list[Span], weights: Scores) -> float:
    return sum(weights[start, end - 1] for start, end in tree)


@settings(max_examples=150, deadline=None)
@given(selections())
def test_tree_equals_enumeration(selection: tuple[list[Span], Scores]) -> None:
    selected, weights = selection
    candidates = [tree for tree in binary_trees(0, len(weights)) if set(selected) <= set(tree)]
    tree = binary_tree(selected, weights)
    assert sorted(tree) in [sorted(candidate) for candidate in candidates]
    assert total(tree, weights) == pytest.approx(max(total(candidate, weights) for candidate in candidates))


def test_parents_come_before_children() -> None:
    tree = binary_tree([(0, 2), (2, 4)], np.zeros((4, 4)))
    assert tree == [(0, 4), (0, 2), (0, 1), (1, 2), (2, 4), (2, 3), (3, 4)]


def test_without_weights_a_node_splits_after_its_first_token() -> None:
    assert binary_tree([], np.zeros((3, 3))) == [(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)]


def test_crossing_spans_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(0, 2\) and \(1, 3\) cross"):
        binary_tree([(0, 2), (1, 3)], np.zeros((3, 3)))


def test_span_outside_the_sentence_is_refused() -> None:
    with pytest.raises(ValueError, match="within 3 tokens"):
        binary_tree([(2, 4)], np.zeros((3, 3)))


def test_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="none below 0, but got -1"):
        binary_tree([], np.full((2, 2), -1.0))
