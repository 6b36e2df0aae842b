from __future__ import annotations

import platform

import pytest
import spacy
import torch
from torch import Tensor, nn

from spacy_span_selector.encoders import int8
from spacy_span_selector.encoders.int8 import (
    Int8Products,
    check_ranges,
    has_int8,
    measure_ranges,
    measured,
)

pytestmark = pytest.mark.skipif(not has_int8(torch.device("cpu")), reason="torch has no products in int8 here")

WIDTH, WIDER = 8, 32


class Block(nn.Module):
    """A feed-forward block, and a layer that reads one vector of each window."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.narrow, self.pooler = nn.Linear(WIDTH, WIDER), nn.Linear(WIDER, WIDTH), nn.Linear(WIDTH, 2)

    def forward(self, vectors: Tensor) -> Tensor:
        self.pooler(vectors[:, 0])
        output: Tensor = self.narrow(nn.functional.gelu(self.wide(vectors)))
        return output


@pytest.fixture(scope="module")
def block() -> Block:
    torch.manual_seed(0)
    return Block().requires_grad_(False)


def windows(count: int, seed: int = 1) -> Tensor:
    """Vectors of windows whose first subword has large values, as has one channel of all."""
    vectors = torch.randn(count, 9, WIDTH, generator=torch.Generator().manual_seed(seed))
    vectors[..., 3] *= 8
    vectors[:, 0] *= 50
    return vectors


@pytest.fixture(scope="module")
def ranges(block: Block) -> dict[str, Tensor]:
    with measured(block) as found:
        block(windows(50))
        block(windows(50, seed=2))
    return found


def distance(found: Tensor, expected: Tensor) -> float:
    return float((found - expected).norm() / expected.norm())


def test_ranges_are_the_extremes_of_each_channel_without_first_subwords(ranges: dict[str, Tensor]) -> None:
    assert ranges.keys() == {"wide", "narrow"}
    read = torch.cat([windows(50), windows(50, seed=2)])[:, 1:].flatten(0, 1)
    assert torch.equal(ranges["wide"], torch.stack([read.amin(0), read.amax(0)]))


def test_nothing_is_measured_behind_the_block(block: Block, ranges: dict[str, Tensor]) -> None:
    before = {name: range_.clone() for name, range_ in ranges.items()}
    block(windows(1) * 100)
    assert all(torch.equal(ranges[name], range_) for name, range_ in before.items())


def test_products_are_near_those_in_float32(block: Block, ranges: dict[str, Tensor]) -> None:
    vectors = windows(20, seed=3)
    with Int8Products(block, ranges):
        found = block(vectors)
    assert 0 < distance(found[:, 1:], block(vectors)[:, 1:]) < 0.1


@pytest.mark.parametrize("extreme", [False, True])
def test_sums_of_whole_numbers_are_exact(block: Block, ranges: dict[str, Tensor], extreme: bool) -> None:
    vectors = block.wide(windows(20, seed=3))
    if extreme:  # where a CPU might cut sums
        vectors = vectors.sign() * 1000
    with Int8Products(block, {"narrow": ranges["narrow"]}):
        found = block.narrow(vectors)[:, 1:]
    lowest, highest = ranges["narrow"][0].min(), ranges["narrow"][1].max()
    unit, units = (highest - lowest) / 255, block.narrow.weight.abs().amax(1, keepdim=True) / 63
    zero = (-lowest / unit).round()
    inputs = (vectors / unit + zero + 0.5).clamp(0, 255).floor() - zero
    expected = inputs.double() @ (block.narrow.weight / units).round().double().T * (unit * units[:, 0])
    assert distance(found, expected[:, 1:] + block.narrow.bias) < 1e-3


def test_products_of_first_subwords_are_float32(block: Block, ranges: dict[str, Tensor]) -> None:
    vectors = windows(20, seed=3)
    with Int8Products(block, ranges):
        found = block(vectors)[:, 0]
    torch.testing.assert_close(found, block(vectors)[:, 0])


def test_smoothing_brings_products_nearer(
    block: Block, ranges: dict[str, Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = windows(20, seed=3)
    distances = []
    for smoothing in (int8.SMOOTHING, 0.0):
        monkeypatch.setattr(int8, "SMOOTHING", smoothing)
        with Int8Products(block, {"wide": ranges["wide"]}):
            distances.append(
                distance(block.wide(vectors)[:, 1:], vectors[:, 1:] @ block.wide.weight.T + block.wide.bias)
            )
    assert distances[0] < distances[1]


def test_a_window_has_the_same_vectors_whatever_is_read_beside_it(block: Block, ranges: dict[str, Tensor]) -> None:
    with Int8Products(block, ranges):
        together = block(torch.cat([windows(3, seed=4), windows(5, seed=5) * 3]))
        alone = block(windows(3, seed=4))
    torch.testing.assert_close(together[:3, 1:], alone[:, 1:], rtol=0, atol=1e-6)


def test_layers_without_ranges_stay_as_they_are(block: Block, ranges: dict[str, Tensor]) -> None:
    with Int8Products(block, {"narrow": ranges["narrow"]}):
        found = block.wide(windows(2))
    assert torch.equal(found, block.wide(windows(2)))


def test_values_out_of_range_are_cut_and_stay_finite(block: Block, ranges: dict[str, Tensor]) -> None:
    with Int8Products(block, ranges):
        assert block(windows(2) * 1000).isfinite().all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"other": torch.zeros(2, WIDTH)}, "'other' has (2, 8), expected finite numbers of nothing of this name"),
        ({"wide": torch.zeros(2, WIDER)}, "'wide' has (2, 32), expected finite numbers of (2, 8)"),
        ({"wide": torch.full((2, WIDTH), torch.inf)}, "'wide' has"),
        ({"wide": torch.zeros(2, WIDTH, dtype=torch.int8)}, "'wide' has"),
    ],
)
def test_ranges_of_another_encoder_are_an_error(block: Block, wrong: dict[str, Tensor], message: str) -> None:
    with pytest.raises(ValueError) as error:
        check_ranges(wrong, block, "the encoder")
    assert message in str(error.value) and "compact --texts" in str(error.value)


def test_other_machines_have_no_int8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert not has_int8(torch.device("cpu"))


def test_gpus_have_no_int8() -> None:
    assert not has_int8(torch.device("cuda"))


def test_a_pipeline_without_such_an_encoder_is_an_error() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    with pytest.raises(ValueError, match=r"components \(sentencizer\) have none"):
        measure_ranges(nlp, [nlp.make_doc("Ann")])
