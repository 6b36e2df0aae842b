from __future__ import annotations

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl.predicates import (
    BEGIN,
    INSIDE,
    OUTSIDE,
    FindPredicates,
    PredicateTagger,
    decode_predicates,
    predicate_tags,
)

from ...layouts import layout_of

Predicates = list[tuple[int, int]]

LAYOUT = layout_of([[3, 2], [], [4]])


def as_spans(predicates: Predicates, device: str = "cpu") -> Spans:
    starts, ends = torch.tensor(predicates, dtype=torch.long, device=device).view(-1, 2).T
    return Spans(starts, ends)


def as_list(spans: Spans) -> Predicates:
    return list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))


def certain(tags: list[int]) -> torch.Tensor:
    """Log probabilities that spell these tags."""
    return torch.nn.functional.one_hot(torch.tensor(tags, dtype=torch.long), 3).float().log_softmax(1)


def plain_predicates(tags: list[int], lengths: list[int]) -> Predicates:
    """Sentence by sentence: a predicate begins at BEGIN and takes the INSIDE that follow."""
    found = []
    first = 0
    for length in lengths:
        for start in range(first, first + length):
            if tags[start] == BEGIN:
                end = start
                while end + 1 < first + length and tags[end + 1] == INSIDE:
                    end += 1
                found.append((start, end))
        first += length
    return found


@st.composite
def tagged_batches(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Sentence lengths, and a tag for each token."""
    length = st.integers(1, 5)
    lengths = draw(st.lists(st.lists(length, max_size=3), min_size=1, max_size=3).filter(any))
    total = sum(length for document in lengths for length in document)
    return lengths, draw(st.lists(st.sampled_from([OUTSIDE, BEGIN, INSIDE]), min_size=total, max_size=total))


@settings(deadline=None)
@given(tagged_batches())
def test_predicates_are_those_that_the_tags_spell(batch: tuple[list[list[int]], list[int]]) -> None:
    lengths, tags = batch
    found = decode_predicates(certain(tags), layout_of(lengths))
    assert as_list(found) == plain_predicates(tags, [length for document in lengths for length in document])


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([1, 1, 2, 1, 2, 0, 0, 0, 0], [(0, 0), (1, 2), (3, 4)]),
        ([0, 0, 1, 2, 2, 2, 2, 0, 1], [(2, 2), (8, 8)]),
        ([0, 2, 0, 0, 0, 0, 1, 2, 2], [(6, 8)]),
        ([0] * 9, []),
        ([2] * 9, []),
    ],
    ids=["adjacent", "sentences end predicates", "inside without begin", "none", "inside alone"],
)
def test_tags_at_edges(tags: list[int], expected: Predicates, device: str) -> None:
    layout = layout_of([[3, 2], [], [4]], torch.device(device))
    found = decode_predicates(certain(tags).to(device), layout)
    assert found.starts.device.type == device
    assert as_list(found) == expected


@settings(deadline=None)
@given(tagged_batches())
def test_tags_of_predicates_spell_them(batch: tuple[list[list[int]], list[int]]) -> None:
    lengths, tags = batch
    layout = layout_of(lengths)
    predicates = decode_predicates(certain(tags), layout)
    spelt = predicate_tags(predicates, len(tags))
    assert as_list(decode_predicates(certain(spelt.tolist()), layout)) == as_list(predicates)


def test_the_first_of_overlapping_predicates_has_the_tokens() -> None:
    predicates = as_spans([(0, 0), (0, 2), (4, 6), (5, 5), (7, 8)])
    assert predicate_tags(predicates, 10).tolist() == [1, 0, 0, 0, 1, 2, 2, 1, 2, 0]


def test_two_predicates_on_one_span_are_tagged_once() -> None:
    assert predicate_tags(as_spans([(1, 2), (1, 2)]), 4).tolist() == [0, 1, 2, 0]


def test_given_predicates_are_taken_and_no_others(device: str) -> None:
    layout = layout_of([[3, 2], [], [4]], torch.device(device))
    find = FindPredicates(
        as_spans([(3, 4), (1, 1), (1, 1)], device), closed=torch.tensor([True, False, False], device=device)
    )
    found = find(certain([1, 0, 0, 1, 0, 1, 2, 0, 1]).to(device), layout)
    assert as_list(found) == [(1, 1), (1, 1), (3, 4), (5, 6), (8, 8)]


def test_a_document_may_be_given_no_predicates() -> None:
    find = FindPredicates(as_spans([]), closed=torch.tensor([True, True, False]))
    assert as_list(find(certain([1] * 9), LAYOUT)) == [(5, 5), (6, 6), (7, 7), (8, 8)]
    find = FindPredicates(as_spans([]), closed=torch.tensor([True, True, True]))
    assert as_list(find(certain([1] * 9), LAYOUT)) == []


def test_tagger_gives_log_probabilities() -> None:
    torch.manual_seed(0)
    tagger, tokens = PredicateTagger(width=5, hidden_width=7, dropout=0.5), torch.randn(6, 5)
    log_tags = tagger.eval()(tokens)
    assert log_tags.shape == (6, 3)
    torch.testing.assert_close(log_tags.exp().sum(1), torch.ones(6))
    assert torch.equal(log_tags, tagger(tokens))
    assert not torch.equal(log_tags, tagger.train()(tokens))
