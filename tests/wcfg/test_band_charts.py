from __future__ import annotations

import pytest
import torch

from spacy_span_selector.wcfg import band_charts
from spacy_span_selector.wcfg.band_charts import BandCharts, band_to_chart, chart_to_band, greatest_around
from spacy_span_selector.wcfg.triangle import to_end, to_start

TOKENS, MOST, BATCH = 9, 4, 2
SPANS = [(start, end) for start in range(TOKENS) for end in range(start + 1, min(TOKENS, start + MOST) + 1)]
NOTHING = -1.0


def name(start: int, end: int, sentence: int) -> float:
    """A number that tells spans apart."""
    return 1000.0 * start + 10.0 * end + sentence


@pytest.fixture(params=[False, True], ids=["start first", "end first"])
def charts(request: pytest.FixtureRequest) -> BandCharts:
    """Both charts, with the name of each span, and NOTHING elsewhere."""
    made = BandCharts.full(torch.zeros(MOST + 1, TOKENS + 1, BATCH), NOTHING, end_first=request.param)
    for start, end in SPANS:
        for sentence in range(BATCH):
            made.by_start[end - start, start, sentence] = name(start, end, sentence)
            made.by_end[MOST - end + start, end, sentence] = name(start, end, sentence)
    return made


def order(charts: BandCharts, view: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The part of a view that is from the chart by start, and that from the chart by end, with the batch last."""
    one, other = view.unflatten(-1, (-1, BATCH)).unbind(dim)
    return (other, one) if charts.values[0].data_ptr() == charts.by_end.data_ptr() else (one, other)


def test_blocks_are_all_spans_of_a_width(charts: BandCharts, monkeypatch: pytest.MonkeyPatch) -> None:
    for terms in (1, 7, 100):
        monkeypatch.setattr(band_charts, "TERMS", terms)
        for width in range(1, MOST + 1):
            blocks = list(charts.blocks(width, 3))
            assert [place for block in blocks for place in range(*block)] == list(range(TOKENS - width + 1))
            for first, after in blocks:
                for found in order(charts, charts.block(width, first, after), 0):
                    assert found[:, 1].tolist() == [name(i, i + width, 1) for i in range(first, after)]


def test_parts_are_the_splits_of_each_span(charts: BandCharts) -> None:
    for width in range(2, MOST + 1):
        left, right = order(charts, charts.block_parts(width, 1, TOKENS - width + 1), 1)
        assert len(left) == len(right) == width - 1
        for place, start in enumerate(range(1, TOKENS - width + 1)):
            for row in range(width - 1):
                split = start + row + 1
                assert left[row, place, 0] == name(start, split, 0)
                assert right[row, place, 0] == name(split, start + width, 0)


def test_parents_and_siblings_are_all_ways_to_go_on(charts: BandCharts) -> None:
    """Where a parent does not exist, there is no span in the view, or what stands beside it does not count."""
    for width in range(1, MOST):
        last = TOKENS - width + 1
        ends, starts = order(charts, charts.block_parents(width, 0, last), 1)
        before, behind = order(charts, charts.block_siblings(width, 0, last), 1)
        for start in range(last):
            end = start + width
            for row, wide in enumerate(range(width + 1, MOST + 1)):
                reach = end - wide
                assert ends[row, start, 1] == (name(reach, end, 1) if reach >= 0 else NOTHING)
                if reach >= 0:
                    assert before[row, start, 1] == name(reach, start, 1)
            for row, wide in enumerate(range(MOST, width, -1)):
                reach = start + wide
                assert starts[row, start, 1] == (name(start, reach, 1) if reach <= TOKENS else NOTHING)
                if reach <= TOKENS:
                    assert behind[row, start, 1] == name(end, reach, 1)


def test_charts_are_copied_into_each_other(charts: BandCharts) -> None:
    for start, end in SPANS:
        assert to_end(charts.by_start)[MOST - end + start, end, 0] == name(start, end, 0)
        assert to_start(charts.by_end)[end - start, start, 0] == name(start, end, 0)


def test_bands_become_charts_and_back() -> None:
    spans = torch.arange(2.0 * TOKENS * MOST).view(2, TOKENS, MOST)
    chart = band_to_chart(spans, NOTHING)
    assert chart.shape == (MOST + 1, TOKENS + 1, 2)
    assert chart[3, 2].tolist() == spans[:, 2, 2].tolist()
    assert (chart[0] == NOTHING).all()
    assert torch.equal(chart_to_band(chart), spans)


def test_greatest_around_is_that_of_all_spans_that_contain_a_span() -> None:
    generator = torch.Generator().manual_seed(0)
    values = torch.rand(MOST + 1, TOKENS + 1, 1, generator=generator)
    for width in range(MOST + 1):
        values[width, TOKENS - width + 1 :] = 0
    found = greatest_around(values.clone())
    for start, end in SPANS:
        around = [values[b - a, a, 0] for a, b in SPANS if a <= start and end <= b]
        assert found[end - start, start, 0] == max(around)
