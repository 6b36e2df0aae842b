import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from spacy_span_selector.layers.spans import computing
from spacy_span_selector.layers.spans.computing import has_bfloat16, in_bfloat16, multiply, prediction_dtype


@pytest.mark.parametrize("can", [True, False])
def test_a_cpu_says_whether_it_has_instructions(can: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: can, raising=False)
    assert has_bfloat16(torch.device("cpu")) is can


def test_old_versions_of_torch_cannot_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cpu, "_is_avx512_bf16_supported", raising=False)
    assert not has_bfloat16(torch.device("cpu"))


@pytest.mark.parametrize(("capability", "can"), [((7, 5), False), ((8, 0), True), ((9, 0), True)])
def test_gpus_have_it_since_ampere(capability: tuple[int, int], can: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert has_bfloat16(torch.device("cuda")) is can


@pytest.mark.parametrize(
    ("bfloat16", "training", "can", "dtype"),
    [
        (True, False, True, torch.bfloat16),
        (True, True, True, torch.float64),
        (True, False, False, torch.float64),
        (False, False, True, torch.float64),
    ],
)
def test_a_module_multiplies_in_bfloat16_at_prediction_if_it_should_and_the_device_can(
    bfloat16: bool, training: bool, can: bool, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "has_bfloat16", lambda device: can)
    module, vectors = torch.nn.Linear(2, 2).train(training), torch.zeros(1, 2, dtype=torch.float64)
    assert prediction_dtype(module, bfloat16, vectors) is dtype


@pytest.mark.parametrize("bias", [True, False])
def test_products_in_bfloat16_have_the_type_of_the_vectors_and_nearly_the_same_values(bias: bool, device: str) -> None:
    torch.manual_seed(0)
    layer, vectors = torch.nn.Linear(64, 8, bias=bias).to(device), torch.randn(2, 3, 64).to(device)
    exact, found = multiply(layer, vectors, torch.float32), multiply(layer, vectors, torch.bfloat16)
    assert torch.equal(exact, layer(vectors))
    assert found.dtype == torch.float32 and not torch.equal(found, exact)
    torch.testing.assert_close(found, exact, atol=0.05, rtol=0.02)


@pytest.mark.parametrize("training", [False, True])
def test_attention_has_its_gradient_in_float32_on_a_cpu(training: bool) -> None:
    torch.manual_seed(0)
    layer, vectors = torch.nn.Linear(4, 4), torch.randn(1, 1, 3, 4)
    mask = torch.tensor([[0.0], [0.0], [float("-inf")]]).T
    exact = layer(vectors)
    expected = scaled_dot_product_attention(exact, exact, exact, mask)
    with torch.set_grad_enabled(training), in_bfloat16(torch.device("cpu")):
        read = layer(vectors)
        heard = scaled_dot_product_attention(read, read, read, attn_mask=mask.to(read.dtype))
        again = layer(heard)
    assert read.dtype == again.dtype == torch.bfloat16
    assert heard.dtype == (torch.float32 if training else torch.bfloat16)
    torch.testing.assert_close(heard.float(), expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize(("row", "expected"), [(1, 64), (32, 2), (64, 1), (1000, 1), (0, 64)])
def test_rows_at_once(monkeypatch: pytest.MonkeyPatch, row: int, expected: int) -> None:
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": 64, "cuda": 640})
    assert computing.rows_at_once(row, torch.device("cpu")) == expected


class Square:
    """Remembers what it was called with."""

    def __init__(self) -> None:
        self.calls: list[float] = []

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.append(x.item())
        return x * x


def test_blocks_that_do_not_fit_are_computed_again_for_their_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "KEPT", 5)
    square, x = Square(), torch.arange(4.0, requires_grad=True)
    found = computing.compute_blocks(square, ((part,) for part in x.split(1)), block_elements=2)
    assert square.calls == [0, 1, 2, 3]
    torch.cat(found).sum().backward()
    assert sorted(square.calls) == [0, 1, 2, 2, 3, 3]
    assert x.grad is not None and x.grad.tolist() == [0.0, 2.0, 4.0, 6.0]


def test_nothing_is_kept_without_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "checkpoint", pytest.fail)
    with torch.no_grad():
        assert computing.compute_blocks(Square(), [(torch.tensor([3.0]),)], block_elements=1 << 40)[0].item() == 9.0
