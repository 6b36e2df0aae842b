from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks import scale
from lab.benchmarks.scale import main
from spacy_span_selector.annotate.backends import Backend, in_this_process

from .conftest import MakeModel, run


@pytest.fixture(autouse=True)
def in_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def call(function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def backend(workers: int) -> Backend:
        return in_this_process

    monkeypatch.setattr(scale, "in_fresh_process", call)
    monkeypatch.setattr(scale, "in_processes", backend)
    monkeypatch.setattr(scale, "in_ray", backend)


def test_batches_and_ways_to_annotate_have_rows(make_model: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scale, "PART_WORDS", 5)
    files = [tmp_path / f"{name}.txt" for name in ("a", "b", "c")]
    for file in files:
        file.write_text("Ann Lee left. He lost a hat.")
    cells = [
        line.strip("| ").split(" | ") for line in run(main, make_model(), *files, "--repeats", 1).stdout.splitlines()
    ]
    assert [row[:2] for row in cells[2:6]] == [[f"{size:,}", "27"] for size in scale.BATCH_WORDS]
    assert all(int(row[3].replace(",", "")) > 0 for row in cells[2:6])
    assert [row[0] for row in cells[9:]] == [*scale.WAYS]
    assert all(int(row[1].replace(",", "")) > 0 for row in cells[9:])
