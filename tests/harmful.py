"""Weights that run code when they are unpickled."""

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import torch


class MakesFolder:
    """A pickle of this makes a folder when it is loaded: harmless, but anything else would run as well."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, (self.path,)


def saved(weights: Any) -> bytes:
    """What `torch.save` writes."""
    file = BytesIO()
    torch.save(weights, file)
    return file.getvalue()


def as_by_default_before_torch_2_6(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `torch.load` run pickles, unless it is told not to."""
    load = torch.load

    def old_load(*given: Any, weights_only: bool = False, **named: Any) -> Any:
        return load(*given, weights_only=weights_only, **named)

    monkeypatch.setattr(torch, "load", old_load)
