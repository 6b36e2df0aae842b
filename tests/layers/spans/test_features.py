import functools
import operator
from collections.abc import Callable

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from spacy_span_selector.layers.spans.features import (
    DISTANCE_BUCKETS,
    WIDTH_BUCKETS,
    Added,
    add_up,
    bucket,
    bucket_counts,
    merge_tables,
    span_hashes,
    union_of_bits,
)

# Few of them, so that equal sequences are common; the extremes of the hashes that spaCy gives to words.
identifiers = st.sampled_from([0, 1, 2, -1, 2**63 - 1, -(2**63), 5381])


def test_distances_fall_into_the_published_buckets() -> None:
    distances = [1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 1000]
    expected = [1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9]
    assert bucket(torch.tensor(distances), DISTANCE_BUCKETS).tolist() == expected


@pytest.mark.parametrize("bounds", [DISTANCE_BUCKETS, WIDTH_BUCKETS])
def test_bucket_counts_the_bounds_that_are_reached(bounds: tuple[int, ...], device: str) -> None:
    values = torch.arange(-3, 100, device=device)
    expected = [sum(bound <= value for bound in bounds) for value in range(-3, 100)]
    assert bucket(values, bounds).tolist() == expected
    assert bucket_counts(values.int().view(1, -1), bounds).tolist() == [expected]


@settings(max_examples=50, deadline=None)
@given(st.lists(identifiers, min_size=1, max_size=12))
def test_hashes_are_equal_for_equal_words_only(words: list[int]) -> None:
    spans = [(start, end) for start in range(len(words)) for end in range(start, len(words))]
    starts, ends = torch.tensor(spans).T
    hashes = span_hashes(torch.tensor(words), starts, ends).tolist()
    sequences = [tuple(words[start : end + 1]) for start, end in spans]
    assert len(set(hashes)) == len(set(sequences)) == len(set(zip(hashes, sequences, strict=True)))


def test_hashes_do_not_depend_on_what_surrounds_a_span() -> None:
    phrase, starts, ends = [7, 8, 9], torch.tensor([3, 1000]), torch.tensor([5, 1002])
    words = torch.randint(-(2**62), 2**62, (2000,), generator=torch.Generator().manual_seed(0))
    words[3:6] = words[1000:1003] = torch.tensor(phrase)
    first, second = span_hashes(words, starts, ends).tolist()
    (alone,) = span_hashes(torch.tensor(phrase), torch.tensor([0]), torch.tensor([2])).tolist()
    assert first == second == alone


def test_hashes_are_the_same_on_every_device(device: str) -> None:
    words, starts, ends = torch.tensor([3, -4, 2**62]), torch.tensor([0, 1]), torch.tensor([2, 2])
    on_device = span_hashes(words.to(device), starts.to(device), ends.to(device))
    assert on_device.tolist() == span_hashes(words, starts, ends).tolist()


SIZES = [3, 5, 1, 4]  # of tables


def random_tables(device: str) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    generator = torch.Generator().manual_seed(0)
    rows = [torch.randint(size, (6, 7), generator=generator).byte().to(device) for size in SIZES]
    return rows, [torch.randn(size, 2, generator=generator).to(device).requires_grad_() for size in SIZES]


def plain_sum(rows: list[torch.Tensor], tables: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack([table[numbers.long()] for numbers, table in zip(rows, tables, strict=True)]).sum(0)


def add_to_nothing(rows: list[torch.Tensor], tables: list[torch.Tensor]) -> torch.Tensor:
    numbers = [column.int() for column in rows]
    return Added.of(numbers, tables).to(torch.zeros(6, 7, 2, device=rows[0].device))


@pytest.mark.parametrize("function", [add_up, add_to_nothing])
def test_rows_of_tables_are_added_up_in_value_and_gradient(function: Callable[..., torch.Tensor], device: str) -> None:
    rows, tables = random_tables(device)
    found, expected = function(rows, tables), plain_sum(rows, tables)
    torch.testing.assert_close(found, expected)
    for gradients in zip(
        *(torch.autograd.grad(values.tanh().sum(), tables) for values in (found, expected)), strict=True
    ):
        torch.testing.assert_close(*gradients)


def test_rows_of_no_pair_are_added_up() -> None:
    none = torch.zeros(0, 3, dtype=torch.uint8)
    assert add_up([none, none], [torch.randn(4, 5), torch.randn(2, 5)]).shape == (0, 3, 5)


def test_what_is_added_can_be_taken_for_some_pairs(device: str) -> None:
    rows, tables = random_tables(device)
    some = torch.tensor([4, 1], device=device)
    found = Added.of([column.int() for column in rows], tables).take(some).to(torch.ones(2, 7, 2, device=device))
    torch.testing.assert_close(found, 1 + plain_sum(rows, tables)[some])


@pytest.mark.parametrize(("most", "sizes"), [(1, SIZES), (15, [15, 4]), (20, [15, 4]), (60, [60])])
def test_merged_tables_add_up_to_the_same(most: int, sizes: list[int], device: str) -> None:
    rows, tables = random_tables(device)
    merged_rows, merged_tables = merge_tables(rows, tables, most)
    assert [len(table) for table in merged_tables] == sizes
    torch.testing.assert_close(add_up(merged_rows, merged_tables), plain_sum(rows, tables))


def test_numbers_of_merged_rows_may_be_large() -> None:
    rows, tables = [torch.tensor([19], dtype=torch.uint8)] * 3, [torch.arange(20.0)[:, None]] * 3
    merged_rows, merged_tables = merge_tables(rows, tables, 1 << 20)
    assert add_up(merged_rows, merged_tables).tolist() == [[57.0]]


@pytest.mark.parametrize("tokens", [1, 2, 3, 8, 21])
def test_a_span_has_the_bits_of_its_tokens(tokens: int, device: str) -> None:
    bits = torch.randint(-(2**62), 2**62, (tokens, 2), generator=torch.Generator().manual_seed(tokens))
    spans = [(start, end) for start in range(tokens) for end in range(start, tokens)]
    starts, ends = torch.tensor(spans).to(device).T
    found = union_of_bits(bits.to(device), starts, ends).tolist()
    for (start, end), columns in zip(spans, found, strict=True):
        assert columns == [functools.reduce(operator.or_, bits[start : end + 1, k].tolist()) for k in (0, 1)]


def test_no_spans_have_no_hashes_and_no_bits() -> None:
    none = torch.tensor([], dtype=torch.long)
    assert span_hashes(torch.tensor([1, 2]), none, none).tolist() == []
    assert union_of_bits(torch.ones(3, 2, dtype=torch.long), none, none).shape == (0, 2)
