from __future__ import annotations

import pytest
import torch

from spacy_span_selector.layers.spans.precision import has_bfloat16


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
