from __future__ import annotations

from types import ModuleType

import pytest
import torch

from spacy_span_selector.layers.spans import blocks, diagonals, rows
from spacy_span_selector.layers.spans.windows import cut_into_windows, score_band

from .test_diagonals import HIDDEN, SENTENCES, exists, learnt, make_parts


def band_of(chart: torch.Tensor, most: int) -> torch.Tensor:
    """The narrow spans of a chart of all. Shape: (sentences, length, most, scores)"""
    count, length, _, scores = chart.shape
    band = chart.new_zeros(count, length, most, scores)
    for wider in range(min(most, length)):
        first = torch.arange(length - wider)
        band[:, : length - wider, wider] = chart[:, first, first + wider]
    return band


@pytest.mark.parametrize("module", [diagonals, rows], ids=["diagonals", "rows"])
@pytest.mark.parametrize("lengths", SENTENCES.values(), ids=SENTENCES)
@pytest.mark.parametrize("most", [1, 2, 3, 100])
@pytest.mark.parametrize("elements", [1, 10 * HIDDEN, 1000 * HIDDEN])
def test_scores_and_gradients_equal_those_of_a_whole_chart(
    module: ModuleType, lengths: list[int], most: int, elements: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = min(most, max(lengths))
    parts = make_parts(lengths, masked=True, device=device)
    whole = band_of(module.score_spans(parts), most)
    monkeypatch.setattr(blocks, "ELEMENTS", {"cpu": elements, "cuda": elements})
    band = score_band(module, parts, most)
    assert band.shape == whole.shape
    inside = band_of(exists(parts.lengths)[..., None], most).squeeze(3)
    torch.testing.assert_close(band[inside], whole[inside])
    direction = torch.randn(band[inside].shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    gradients = [torch.autograd.grad((x[inside] * direction.to(device)).sum(), learnt(parts)) for x in (band, whole)]
    torch.testing.assert_close(*gradients)


def test_windows_overlap_by_a_span() -> None:
    parts = make_parts([9], masked=False)
    windows = cut_into_windows(parts, 4, 3)
    assert windows.start.shape == (3, 4, HIDDEN)
    assert windows.end.shape == (3, 6, HIDDEN)
    assert torch.equal(windows.end[0], parts.end[0, :6])
    assert torch.equal(windows.end[1, :5], parts.end[0, 4:9])
    assert torch.equal(windows.start[2, 0], parts.start[0, 8])
    assert (windows.weight > 0).all()
