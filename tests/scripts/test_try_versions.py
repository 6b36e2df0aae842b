from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return import_module("try_versions")


def test_the_oldest_versions_are_those_of_setup(script: Any) -> None:
    setup = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    bounds = script.lower_bounds("3.10")
    assert {"spacy", "thinc", "torch", "numpy", "scipy", "pydantic", "spacy-transformers"} <= bounds.keys()
    for name, version in bounds.items():
        assert name in script.OLDEST_TRANSFORMERS or f"    {name}>={version}" in setup


def test_pythons_without_old_wheels_get_newer_ones(script: Any) -> None:
    for python, wheels in script.FIRST_WHEELS.items():
        assert python in script.PYTHONS and wheels.keys() <= script.lower_bounds("3.10").keys()
        assert script.lower_bounds(python).items() >= wheels.items()


def test_the_tests_that_it_runs_exist(script: Any) -> None:
    smoke = import_module("smoke")
    for name in (*(f"tests/{test}" for test in smoke.TESTS), *smoke.FILES):
        assert (ROOT / name).exists()
