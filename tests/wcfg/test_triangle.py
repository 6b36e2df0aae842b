from __future__ import annotations

import pytest
import torch

from spacy_span_selector.wcfg.triangle import Charts, chart_to_spans, spans_to_chart, to_end, to_start

TOKENS, BATCH = 7, 2
SPANS = [(start, end) for start in range(TOKENS) for end in range(start + 1, TOKENS + 1)]


def name(start: int, end: int, sentence: int) -> float:
    """A number that tells spans apart."""
    return 1000.0 * start + 10.0 * end + sentence


@pytest.fixture(params=[False, True], ids=["start first", "end first"])
def charts(request: pytest.FixtureRequest) -> Charts:
    """Both charts, with the name of each span, and -1 elsewhere."""
    corners = TOKENS + 1
    made = Charts.full(torch.zeros(corners, corners, BATCH), -1.0, end_first=request.param)
    for start, end in SPANS:
        for sentence in range(BATCH):
            made.by_start[end - start, start, sentence] = name(start, end, sentence)
            made.by_end[TOKENS - end + start, end, sentence] = name(start, end, sentence)
    return made


def order(charts: Charts, view: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The part of a view that is from the chart by start, and that from the chart by end, with the batch last."""
    one, other = view.unflatten(-1, (-1, BATCH)).unbind(dim)
    return (other, one) if charts.values[0].data_ptr() == charts.by_end.data_ptr() else (one, other)


def test_spans_of_a_width_from_both_charts(charts: Charts) -> None:
    for width in range(1, TOKENS + 1):
        for found in order(charts, charts.spans(width), 0):
            for start in range(TOKENS - width + 1):
                assert found[start, 1] == name(start, start + width, 1)


def test_parts_are_the_splits_of_each_span(charts: Charts) -> None:
    for width in range(2, TOKENS + 1):
        left, right = order(charts, charts.parts(width), 1)
        assert len(left) == len(right) == width - 1
        for start in range(TOKENS - width + 1):
            for row in range(width - 1):
                split = start + row + 1
                assert left[row, start, 0] == name(start, split, 0)
                assert right[row, start, 0] == name(split, start + width, 0)


@pytest.mark.parametrize("block", [1, 2, 3, 10])
def test_parents_and_siblings_are_all_ways_to_go_on(charts: Charts, block: int) -> None:
    for width in range(1, TOKENS):
        wider = TOKENS - width
        for first in range(0, wider, block):
            after = min(first + block, wider)
            ends, starts = order(charts, charts.parents(width, first, after), 1)
            before, behind = order(charts, charts.siblings(width, first, after), 1)
            from_start, from_end = order(charts, charts.some_spans(width, first, after, wider - after - first + 1), 0)
            for column in range(after - first):
                # the chart by end has the parents that start with a span, and what follows it in them
                start = first + column
                assert from_start[column, 1] == name(start, start + width, 1)
                found = {
                    (starts[row, column, 1].item(), behind[row, column, 1].item())
                    for row in range(len(starts))
                    if starts[row, column, 1] >= 0
                }
                assert found == {
                    (name(start, end, 1), name(start + width, end, 1)) for end in range(start + width + 1, TOKENS + 1)
                }
                # the chart by start has the parents that end with a span, and what precedes it in them
                end = wider - after + 1 + column + width
                assert from_end[column, 1] == name(end - width, end, 1)
                found = {
                    (ends[row, column, 1].item(), before[row, column, 1].item())
                    for row in range(len(ends))
                    if ends[row, column, 1] >= 0
                }
                assert found == {(name(begin, end, 1), name(begin, end - width, 1)) for begin in range(end - width)}


def test_what_is_written_to_a_view_is_in_the_charts(charts: Charts) -> None:
    charts.spans(3)[:] = 5.0
    assert (charts.by_start[3, : TOKENS - 2] == 5.0).all()
    assert (charts.by_end[TOKENS - 3, 3:] == 5.0).all()
    assert (charts.values == 5.0).sum() == 2 * BATCH * (TOKENS - 2)


def test_charts_by_start_and_by_end_are_copies_of_each_other(charts: Charts) -> None:
    by_end, by_start = to_end(charts.by_start), to_start(charts.by_end)
    for start, end in SPANS:
        assert torch.equal(by_start[end - start, start], charts.by_start[end - start, start])
        assert torch.equal(by_end[TOKENS - end + start, end], charts.by_end[TOKENS - end + start, end])


def test_spans_become_a_chart_and_return() -> None:
    spans = torch.randn(BATCH, TOKENS, TOKENS, generator=torch.Generator().manual_seed(0))
    chart = spans_to_chart(spans, -9.0)
    for start, end in SPANS:
        assert torch.equal(chart[end - start, start], spans[:, start, end - 1])
    assert (chart == -9.0).sum() == chart.numel() - BATCH * len(SPANS)
    assert torch.equal(chart_to_spans(chart), spans.triu())
