from itertools import chain

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from spacy_span_selector.layers.spans.layout import LEAST_FILL, MOST_ENTRIES, SpanLayout, is_long

from ...layouts import every_span, layout_of, listed, spans_at

Lengths = list[list[int]]

drawn_batches = st.lists(st.lists(st.integers(1, 9), max_size=5), max_size=5)
drawn_limits = st.none() | st.integers(1, 10)


def spans_of(lengths: Lengths, most: int | None = None) -> list[tuple[int, int]]:
    """Every span of a batch by token rows, end inclusive, of at most so many tokens."""
    spans = []
    first = 0
    for length in chain.from_iterable(lengths):
        spans += [(first + i, first + j) for i in range(length) for j in range(i, min(length, i + (most or length)))]
        first += length
    return spans


@settings(deadline=None)
@given(drawn_batches, drawn_limits)
def test_each_span_has_an_index_a_place_and_a_width_and_no_other_is_valid(lengths: Lengths, most: int | None) -> None:
    layout, expected = layout_of(lengths, most=most), spans_of(lengths, most)
    spans = spans_at(expected)
    flat = layout.flat_index(spans.starts, spans.ends)
    assert listed(*layout.locate(flat)) == expected
    assert every_span(layout).tolist() == sorted(flat.tolist())
    assert torch.equal(layout.widths()[flat], spans.ends - spans.starts + 1)


@settings(deadline=None)
@given(drawn_batches)
def test_every_sentence_is_in_one_bucket(lengths: Lengths) -> None:
    layout = layout_of(lengths)
    found = [
        tokens[:length].tolist()
        for bucket in layout.buckets
        for tokens, length in zip(bucket.tokens, bucket.lengths.tolist(), strict=True)
    ]
    rows = iter(range(len(layout.document)))
    assert sorted(found) == [[next(rows) for _ in range(length)] for document in lengths for length in document]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, 60), max_size=8), max_size=4))
def test_buckets_bound_padding(lengths: Lengths) -> None:
    layout = layout_of(lengths)
    for bucket in layout.buckets:
        assert bucket.shape == (len(bucket.lengths), int(bucket.lengths.max()), int(bucket.lengths.max()))
        assert bucket.lengths.min() >= LEAST_FILL * bucket.lengths.max()
    longest = [bucket.shape[-1] for bucket in layout.buckets]
    assert longest == sorted(longest, reverse=True)


def test_tokens_know_their_document_and_place() -> None:
    layout = layout_of([[2, 1], [], [3]])
    assert layout.document.tolist() == [0, 0, 0, 2, 2, 2]
    assert layout.place.tolist() == [0, 1, 0, 0, 1, 2]


@settings(deadline=None)
@given(drawn_batches)
def test_numbers_of_sentences_ascend(lengths: Lengths) -> None:
    layout = layout_of(lengths)
    numbers = layout.sentence.tolist()
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == sum(map(len, lengths))


def test_empty_batch_has_no_buckets() -> None:
    batches: list[Lengths] = [[], [[], []]]
    for lengths in batches:
        layout = layout_of(lengths)
        assert (layout.buckets, layout.size) == ([], 0)
        starts, ends = layout.locate(torch.tensor([], dtype=torch.long))
        assert len(starts) == len(ends) == len(layout.valid()) == len(layout.widths()) == 0


def test_chart_is_a_view_of_the_flat_vector() -> None:
    layout = layout_of([[5, 4], [2]])
    flat = torch.zeros(layout.size)
    for number, bucket in enumerate(layout.buckets, start=1):
        bucket.chart(flat)[:] = number
    assert flat.tolist() == [1.0] * 50 + [2.0] * 4


def test_places_tensors_on_the_device(device: str) -> None:
    layout = layout_of([[3]], torch.device(device))
    tensors = [layout.document, layout.row, layout.place, layout.valid(), layout.widths(), layout.buckets[0].tokens]
    assert {tensor.device.type for tensor in tensors} == {device}


@settings(deadline=None)
@given(drawn_batches, st.integers(1, 10))
def test_narrow_spans_and_those_of_short_sentences_have_an_index(lengths: Lengths, most: int) -> None:
    layout = layout_of(lengths, most=most)
    every, narrow = spans_of(lengths), set(spans_of(lengths, most))
    spans = spans_at(every)
    assert layout.has_index(spans.starts, spans.ends).tolist() == [span in narrow for span in every]
    assert layout_of(lengths).has_index(spans.starts, spans.ends).all()


def test_long_sentences_are_bands_and_others_are_not() -> None:
    layout = layout_of([[9, 4, 5], [3]], most=4)
    found = [(bucket.shape, bucket.is_band) for bucket in layout.buckets]
    assert found == [((1, 9, 4), True), ((1, 5, 4), True), ((2, 4, 4), False)]
    assert layout.in_long_sentence.tolist() == [True] * 9 + [False] * 4 + [True] * 5 + [False] * 3
    assert layout.size == 9 * 4 + 5 * 4 + 2 * 4 * 4


@pytest.mark.parametrize(
    ("tokens", "most", "expected"),
    [(256, 10, False), (257, 10, True), (300, None, False), (300, 300, False), (301, 300, True)],
)
def test_a_sentence_is_long_if_a_chart_of_all_spans_costs_too_much(
    tokens: int, most: int | None, expected: bool
) -> None:
    assert is_long(tokens, most) == expected
    assert SpanLayout.build([[tokens]], None, most).buckets[0].is_band == expected


@settings(deadline=None)
@given(drawn_batches, drawn_limits, st.integers(1, 100))
def test_blocks_have_every_span_once_and_none_is_large(lengths: Lengths, most: int | None, entries: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(MOST_ENTRIES, "cpu", entries)
        layout = layout_of(lengths, most=most)
        blocks = list(layout.blocks())
        assert all(not block.is_large or len(block.buckets) == 1 == len(block.buckets[0].lengths) for block in blocks)
    located = [span for block in blocks for span in listed(*block.locate(every_span(block)))]
    assert sorted(located) == sorted(spans_of(lengths, most))


def test_a_layout_that_is_not_large_is_its_only_block() -> None:
    layout = layout_of([[5, 4], [2]])
    (block,) = layout.blocks()
    assert block.size == layout.size and torch.equal(block.row, layout.row)
