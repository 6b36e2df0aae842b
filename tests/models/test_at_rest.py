from __future__ import annotations

from torch import nn

from spacy_span_selector.models.at_rest import at_rest


def parts() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.5)))


def test_every_part_is_in_evaluation_mode() -> None:
    module = parts()
    assert at_rest(module) is module
    assert not any(part.training for part in module.modules())


def test_a_part_that_is_not_is_found() -> None:
    """Another thread may have come to the module itself, and not to its parts."""
    module = parts()
    module.training = False
    assert not any(part.training for part in at_rest(module).modules())


def test_a_module_at_rest_is_not_touched(monkeypatch) -> None:
    module = parts().eval()
    monkeypatch.setattr(nn.Module, "train", None)
    at_rest(module)
