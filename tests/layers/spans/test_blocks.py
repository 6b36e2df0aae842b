import pytest
import torch

from spacy_span_selector.layers.spans import blocks


@pytest.mark.parametrize(("row", "expected"), [(1, 64), (32, 2), (64, 1), (1000, 1), (0, 64)])
def test_rows_at_once(monkeypatch: pytest.MonkeyPatch, row: int, expected: int):
    monkeypatch.setattr(blocks, "ELEMENTS", {"cpu": 64, "cuda": 640})
    assert blocks.rows_at_once(row, torch.device("cpu")) == expected


class Square:
    """Remembers what it was called with."""

    def __init__(self) -> None:
        self.calls: list[float] = []

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.append(x.item())
        return x * x


def test_blocks_that_do_not_fit_are_computed_again_for_their_gradients(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(blocks, "KEPT", 5)
    square, x = Square(), torch.arange(4.0, requires_grad=True)
    found = blocks.compute_blocks(square, ((part,) for part in x.split(1)), block_elements=2)
    assert square.calls == [0, 1, 2, 3]
    torch.cat(found).sum().backward()
    assert sorted(square.calls) == [0, 1, 2, 2, 3, 3]
    assert x.grad is not None and x.grad.tolist() == [0.0, 2.0, 4.0, 6.0]


def test_nothing_is_kept_without_gradients(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(blocks, "checkpoint", pytest.fail)
    with torch.no_grad():
        assert blocks.compute_blocks(Square(), [(torch.tensor([3.0]),)], block_elements=1 << 40)[0].item() == 9.0
