"""Slow reference implementations of the grammars, which enumerate all trees, or all sets of non-crossing spans."""

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]
Scores = NDArray[np.float64]


def binary_trees(start: int, end: int) -> Iterator[list[Span]]:
    """All binary trees over the tokens from start to end (exclusive), each as its list of nodes."""
    if end - start == 1:
        yield [(start, end)]
    for split in range(start + 1, end):
        for left, right in itertools.product(binary_trees(start, split), binary_trees(split, end)):
            yield [(start, end), *left, *right]


def enumerate_selections(scores: Scores) -> tuple[float, Scores]:
    """Z and the marginals, from every tree and every choice of which of its nodes are selected."""
    tokens = len(scores)
    choices = np.array(list(itertools.product([False, True], repeat=2 * tokens - 1)))
    partition, mass = 0.0, np.zeros((tokens, tokens))
    for tree in binary_trees(0, tokens):
        starts, ends = np.array(tree).T
        weights = np.where(choices, scores[starts, ends - 1], 0.0).sum(1)
        weights = np.exp(weights)
        partition += weights.sum()
        mass[starts, ends - 1] += weights @ choices
    return partition, mass / partition


def heaviest_total(scores: Scores) -> float:
    """The greatest sum of positive scores over the nodes of a binary tree, by CKY over all spans."""
    tokens = len(scores)
    best = np.zeros((tokens, tokens + 1))
    for width in range(1, tokens + 1):
        for start in range(tokens - width + 1):
            end = start + width
            splits = [best[start, split] + best[split, end] for split in range(start + 1, end)]
            best[start, end] = max(splits, default=0.0) + max(0.0, scores[start, end - 1])
    return float(best[0, tokens])


def cross(a: Span, b: Span) -> bool:
    """Whether two spans (end exclusive) overlap and neither contains the other."""
    (first_start, first_end), (second_start, second_end) = sorted([a, b])
    return first_start < second_start < first_end < second_end


@cache
def non_crossing_sets(tokens: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """All spans (start and last token) of a sentence, and all sets of them without crossing ones, one row each."""
    spans = list(itertools.combinations_with_replacement(range(tokens), 2))
    sets = np.array(list(itertools.product([False, True], repeat=len(spans))))
    for one, other in itertools.combinations(range(len(spans)), 2):
        if cross(*((start, last + 1) for start, last in (spans[one], spans[other]))):
            sets = sets[~(sets[:, one] & sets[:, other])]
    return np.array(spans).T, sets


def enumerate_sets(scores: Scores) -> tuple[float, Scores, Scores]:
    """log Z, log p and log(1 - p) of the distribution that counts every set of non-crossing spans once."""
    (starts, lasts), sets = non_crossing_sets(len(scores))
    weights = np.where(sets, scores[starts, lasts], 0.0).sum(1)
    log_partition = np.logaddexp.reduce(weights)
    selected, unselected = np.full(scores.shape, -np.inf), np.zeros(scores.shape)
    for span, (start, last) in enumerate(zip(starts, lasts, strict=True)):
        with_it = sets[:, span]
        selected[start, last] = np.logaddexp.reduce(weights[with_it]) - log_partition
        unselected[start, last] = np.logaddexp.reduce(weights[~with_it]) - log_partition
    return float(log_partition), selected, unselected
