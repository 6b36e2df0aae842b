import pytest
import torch

from spacy_span_selector.layers import blocks


@pytest.mark.parametrize(("row", "expected"), [(1, 64), (32, 2), (64, 1), (1000, 1), (0, 64)])
def test_rows_at_once(monkeypatch: pytest.MonkeyPatch, row: int, expected: int):
    monkeypatch.setattr(blocks, "ELEMENTS", {"cpu": 64, "cuda": 640})
    assert blocks.rows_at_once(row, torch.device("cpu")) == expected


def test_a_block_is_computed_again_for_its_gradient():
    calls = []

    def square(x: torch.Tensor) -> torch.Tensor:
        calls.append(len(x))
        return x * x

    x = torch.arange(3.0, requires_grad=True)
    blocks.compute_block(square, x).sum().backward()
    assert calls == [3, 3]
    assert x.grad is not None and x.grad.tolist() == [0.0, 2.0, 4.0]
