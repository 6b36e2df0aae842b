from __future__ import annotations

import itertools

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from spacy_span_selector.layers.srl.bio import OUTSIDE, begin_tag, count_tags, decode_tags


def is_well_formed(tags: tuple[int, ...]) -> bool:
    """Whether each I-role, an even tag above 0, follows B-role or I-role."""
    return all(
        tag == OUTSIDE or tag % 2 == 1 or before in (tag, tag - 1)
        for before, tag in itertools.pairwise((OUTSIDE, *tags))
    )


def best_by_enumeration(log_tags: torch.Tensor) -> tuple[int, ...]:
    """The best well-formed sequence of tags. *Shape of log_tags:* `(length, tags)`"""
    length, tags = log_tags.shape
    sequences = filter(is_well_formed, itertools.product(range(tags), repeat=length))
    return max(sequences, key=lambda sequence: float(log_tags[range(length), sequence].sum()))


def test_tags_of_roles_do_not_meet() -> None:
    begin = begin_tag(torch.arange(3)).tolist()
    assert sorted([OUTSIDE, *begin, *(tag + 1 for tag in begin)]) == list(range(count_tags(3)))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 2), st.integers(0, 99))
def test_no_well_formed_sequence_is_better(lengths: list[int], roles: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    log_tags = torch.randn(len(lengths), max(lengths), count_tags(roles), generator=generator).double().log_softmax(2)
    decoded = decode_tags(log_tags, torch.tensor(lengths))
    assert decoded.shape == log_tags.shape[:2]
    for row, length, found in zip(log_tags, lengths, decoded.tolist(), strict=True):
        assert tuple(found[:length]) == best_by_enumeration(row[:length])
        assert found[length:] == [OUTSIDE] * (max(lengths) - length)


def test_a_span_may_begin_right_behind_one_of_the_same_role() -> None:
    wanted = torch.tensor([[1, 2, 1, 2, 0]])
    assert torch.equal(decode_tags(torch.nn.functional.one_hot(wanted, 3).float(), torch.tensor([5])), wanted)


def test_inside_cannot_come_first_nor_behind_another_role() -> None:
    scores = torch.nn.functional.one_hot(torch.tensor([[2, 4, 4]]), 5).float()
    assert decode_tags(scores, torch.tensor([3])).tolist() == [[3, 4, 4]]


def test_decodes_on_the_device(device: str) -> None:
    log_tags = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(0)).log_softmax(2)
    lengths = torch.tensor([5, 1, 3])
    found = decode_tags(log_tags.to(device), lengths.to(device))
    assert found.device.type == device
    assert torch.equal(found.cpu(), decode_tags(log_tags, lengths))


@pytest.mark.parametrize("length", [1, 40])
def test_extreme_scores_stay_well_formed(length: int) -> None:
    log_tags = 1e4 * torch.randn(2, length, 7, generator=torch.Generator().manual_seed(1))
    for sequence in decode_tags(log_tags, torch.tensor([length, length])).tolist():
        assert is_well_formed(tuple(sequence))
