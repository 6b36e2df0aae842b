"""Charts of all spans, and of narrow ones: each view has the spans that it promises."""

import pytest
import torch
from torch import Tensor

from spacy_span_selector.wcfg import band_charts
from spacy_span_selector.wcfg.band_charts import BandCharts, band_to_chart, chart_to_band, greatest_around
from spacy_span_selector.wcfg.triangle import Charts, chart_to_spans, spans_to_chart, to_end, to_start

TOKENS, MOST, BATCH = 9, 4, 2
SPANS = [(start, end) for start in range(TOKENS) for end in range(start + 1, TOKENS + 1)]
NARROW = [(start, end) for start, end in SPANS if end - start <= MOST]
NOTHING = -1.0


def name(start: int, end: int, sentence: int) -> float:
    """A number that no other span has."""
    return 1000.0 * start + 10.0 * end + sentence


def fill(kind: type[Charts], most: int, end_first: bool) -> Charts:
    """Both charts, with the name of each span, and NOTHING elsewhere."""
    made = kind.full(torch.zeros(most + 1, TOKENS + 1, BATCH), NOTHING, end_first=end_first)
    for start, end in SPANS if most == TOKENS else NARROW:
        for sentence in range(BATCH):
            made.by_start[end - start, start, sentence] = name(start, end, sentence)
            made.by_end[most - end + start, end, sentence] = name(start, end, sentence)
    return made


either_order = pytest.mark.parametrize("end_first", [False, True], ids=["start first", "end first"])


def order(charts: Charts, view: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The part of a view that is from the chart by start, and that from the chart by end, with the batch last."""
    one, other = view.unflatten(-1, (-1, BATCH)).unbind(dim)
    return (other, one) if charts.values[0].data_ptr() == charts.by_end.data_ptr() else (one, other)


def assert_splits(left: Tensor, right: Tensor, width: int, first: int) -> None:
    assert len(left) == len(right) == width - 1
    for place, start in enumerate(range(first, TOKENS - width + 1)):
        for row in range(width - 1):
            split = start + row + 1
            assert left[row, place, 0] == name(start, split, 0)
            assert right[row, place, 0] == name(split, start + width, 0)


@either_order
def test_spans_and_parts_of_a_width_from_both_charts(end_first: bool) -> None:
    charts = fill(Charts, TOKENS, end_first)
    for width in range(1, TOKENS + 1):
        for found in order(charts, charts.spans(width), 0):
            assert found[:, 1].tolist() == [name(i, i + width, 1) for i in range(TOKENS - width + 1)]
        if width > 1:
            assert_splits(*order(charts, charts.parts(width), 1), width, 0)


@either_order
def test_blocks_and_parts_of_narrow_spans(end_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    charts = fill(BandCharts, MOST, end_first)
    assert isinstance(charts, BandCharts)
    for terms in (1, 7, 100):
        monkeypatch.setattr(band_charts, "TERMS", terms)
        for width in range(1, MOST + 1):
            blocks = list(charts.blocks(width, 3))
            assert [place for block in blocks for place in range(*block)] == list(range(TOKENS - width + 1))
            for first, after in blocks:
                for found in order(charts, charts.block(width, first, after), 0):
                    assert found[:, 1].tolist() == [name(i, i + width, 1) for i in range(first, after)]
    for width in range(2, MOST + 1):
        assert_splits(*order(charts, charts.block_parts(width, 1, TOKENS - width + 1), 1), width, 1)


@either_order
@pytest.mark.parametrize("block", [1, 2, 3, 10])
def test_parents_and_siblings_are_all_ways_to_go_on(end_first: bool, block: int) -> None:
    charts = fill(Charts, TOKENS, end_first)
    for width in range(1, TOKENS):
        wider = TOKENS - width
        for first in range(0, wider, block):
            after = min(first + block, wider)
            ends, starts = order(charts, charts.parents(width, first, after), 1)
            before, behind = order(charts, charts.siblings(width, first, after), 1)
            from_start, from_end = order(charts, charts.some_spans(width, first, after, wider - after - first + 1), 0)
            for column in range(after - first):
                # The chart by end has the parents that start with a span, and what follows it in them.
                start = first + column
                assert from_start[column, 1] == name(start, start + width, 1)
                pairs = zip(starts[:, column, 1].tolist(), behind[:, column, 1].tolist(), strict=True)
                expected = {
                    (name(start, k, 1), name(start + width, k, 1)) for k in range(start + width + 1, TOKENS + 1)
                }
                assert {pair for pair in pairs if pair[0] >= 0} == expected
                # The chart by start has the parents that end with a span, and what precedes it in them.
                end = wider - after + 1 + column + width
                assert from_end[column, 1] == name(end - width, end, 1)
                pairs = zip(ends[:, column, 1].tolist(), before[:, column, 1].tolist(), strict=True)
                expected = {(name(i, end, 1), name(i, end - width, 1)) for i in range(end - width)}
                assert {pair for pair in pairs if pair[0] >= 0} == expected


@either_order
def test_narrow_parents_and_siblings_are_all_ways_to_go_on(end_first: bool) -> None:
    """Where a parent does not exist, there is no span in the view, or what stands beside it does not count."""
    charts = fill(BandCharts, MOST, end_first)
    assert isinstance(charts, BandCharts)
    for width in range(1, MOST):
        last = TOKENS - width + 1
        ends, starts = order(charts, charts.block_parents(width, 0, last), 1)
        before, behind = order(charts, charts.block_siblings(width, 0, last), 1)
        for start in range(last):
            end = start + width
            for row, wide in enumerate(range(width + 1, MOST + 1)):
                reach = end - wide
                assert ends[row, start, 1] == (name(reach, end, 1) if reach >= 0 else NOTHING)
                assert reach < 0 or before[row, start, 1] == name(reach, start, 1)
            for row, wide in enumerate(range(MOST, width, -1)):
                reach = start + wide
                assert starts[row, start, 1] == (name(start, reach, 1) if reach <= TOKENS else NOTHING)
                assert reach > TOKENS or behind[row, start, 1] == name(end, reach, 1)


def test_what_is_written_to_a_view_is_in_the_charts() -> None:
    charts = fill(Charts, TOKENS, False)
    charts.spans(3)[:] = 5.0
    assert (charts.by_start[3, : TOKENS - 2] == 5.0).all()
    assert (charts.by_end[TOKENS - 3, 3:] == 5.0).all()
    assert (charts.values == 5.0).sum() == 2 * BATCH * (TOKENS - 2)


@either_order
@pytest.mark.parametrize(("kind", "most"), [(Charts, TOKENS), (BandCharts, MOST)])
def test_charts_by_start_and_by_end_are_copies_of_each_other(kind: type[Charts], most: int, end_first: bool) -> None:
    charts = fill(kind, most, end_first)
    by_end, by_start = to_end(charts.by_start), to_start(charts.by_end)
    for start, end in SPANS if most == TOKENS else NARROW:
        assert torch.equal(by_start[end - start, start], charts.by_start[end - start, start])
        assert torch.equal(by_end[most - end + start, end], charts.by_end[most - end + start, end])


def test_spans_become_a_chart_and_return() -> None:
    spans = torch.randn(BATCH, TOKENS, TOKENS, generator=torch.Generator().manual_seed(0))
    chart = spans_to_chart(spans, -9.0)
    for start, end in SPANS:
        assert torch.equal(chart[end - start, start], spans[:, start, end - 1])
    assert (chart == -9.0).sum() == chart.numel() - BATCH * len(SPANS)
    assert torch.equal(chart_to_spans(chart), spans.triu())


def test_bands_become_charts_and_return() -> None:
    spans = torch.arange(2.0 * TOKENS * MOST).view(2, TOKENS, MOST)
    chart = band_to_chart(spans, NOTHING)
    assert chart.shape == (MOST + 1, TOKENS + 1, 2)
    assert chart[3, 2].tolist() == spans[:, 2, 2].tolist()
    assert (chart[0] == NOTHING).all()
    assert torch.equal(chart_to_band(chart), spans)


def test_greatest_around_is_that_of_all_spans_that_contain_a_span() -> None:
    values = torch.rand(MOST + 1, TOKENS + 1, 1, generator=torch.Generator().manual_seed(0))
    for width in range(MOST + 1):
        values[width, TOKENS - width + 1 :] = 0
    found = greatest_around(values.clone())
    for start, end in NARROW:
        around = [values[b - a, a, 0] for a, b in NARROW if a <= start and end <= b]
        assert found[end - start, start, 0] == max(around)
