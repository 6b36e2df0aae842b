from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks import bulk
from lab.benchmarks.bulk import main

from .conftest import MakeModel, rows, run


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def call(function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    monkeypatch.setattr(bulk, "in_fresh_process", call)


def test_one_text_and_all_have_rows(make_model: MakeModel, tmp_path: Path):
    files = [tmp_path / f"{name}.txt" for name in ("a", "b", "c")]
    for file in files:
        file.write_text("Ann Lee left. He lost a hat.")
    table = rows(run(main, make_model(), *files, "--repeats", 2))
    assert [(row["texts"], row["words"]) for row in table] == [("1", "9"), ("3", "27")]
    assert all(row["annotate / nlp.pipe, time"].count("to") == 1 for row in table)
    assert all(int(row["annotate, peak MB"].replace(",", "")) > 0 for row in table)
