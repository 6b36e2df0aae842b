from __future__ import annotations

import torch

from spacy_span_selector.wcfg.sweeps import ArcChart, arcs_to_spans, existing_spans, spans_to_arcs


def test_arcs_of_a_span_are_its_inside_and_its_outside(device: str) -> None:
    spans = torch.arange(2 * 4 * 4, device=device, dtype=torch.float32).view(2, 4, 4)
    arcs = spans_to_arcs(spans)
    for start in range(4):
        for end in range(start + 1, 5):
            width = end - start
            assert arcs[width, start].tolist() == spans[:, start, end - 1].tolist()
            assert arcs[5 - width, end % 5].tolist() == spans[:, start, end - 1].tolist()


def test_span_and_arc_maps_are_adjoint(device: str) -> None:
    spans = torch.randn(3, 5, 5, dtype=torch.float64, device=device).triu()
    arcs = torch.randn(6, 6, 3, dtype=torch.float64, device=device)
    arcs[0] = 0
    torch.testing.assert_close((spans_to_arcs(spans) * arcs).sum(), (spans * arcs_to_spans(arcs)).sum())


def test_splits_cover_each_arc_once(device: str) -> None:
    corners = 6
    # The value of an arc names it: its length and its first corner.
    names = torch.arange(corners * corners, device=device, dtype=torch.float32).view(corners, corners, 1)
    chart = ArcChart.zeros_like(names)
    for length in range(1, corners):
        chart.write(length, names[length])
    for length in range(2, corners):
        left, right = chart.splits(length)
        for first in range(corners):
            for part in range(1, length):
                assert left[part - 1, first] == names[part, first]
                assert right[part - 1, first] == names[length - part, (first + part) % corners]


def test_collect_is_adjoint_to_write(device: str) -> None:
    corners, batch, length = 5, 2, 3
    written = ArcChart.zeros_like(torch.zeros(corners, corners, batch, dtype=torch.float64, device=device))
    values = torch.randn(corners, batch, dtype=torch.float64, device=device)
    written.write(length, values)
    gradients = ArcChart(torch.randn_like(written.by_first), torch.randn_like(written.by_last))
    product = (gradients.by_first * written.by_first).sum() + (gradients.by_last * written.by_last).sum()
    torch.testing.assert_close((gradients.collect(length) * values).sum(), product)


def test_existing_spans_end_within_the_sentence(device: str) -> None:
    exists = existing_spans(torch.tensor([3, 2, 0], device=device), 3)
    assert exists.long().tolist() == [
        [[1, 1, 1], [0, 1, 1], [0, 0, 1]],
        [[1, 1, 0], [0, 1, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    ]
