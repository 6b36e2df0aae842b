"""The commands of docs/scale.md run, its example fits the function, and what it computes is right."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import spacy
from typer.testing import CliRunner

from spacy_span_selector.tools.annotate.backends import Backend, in_this_process
from spacy_span_selector.tools.cli import app

TEXT = (Path(__file__).parent.parent / "docs/scale.md").read_text(encoding="utf-8")
COMMAND = "python -m spacy span-selector "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("rules_of_tests")
    nlp.to_disk("my_pipeline")
    Path("novels").mkdir()
    Path("novels/emma.txt").write_text("Ann saw Bob. Ann left.")


def commands() -> list[str]:
    blocks = re.findall(r"```bash\n(.*?)```", TEXT, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if COMMAND in line]


def test_commands_are_found():
    assert len(commands()) >= 5


@pytest.mark.parametrize("command", commands())
def test_commands_run(command: str, monkeypatch: pytest.MonkeyPatch):
    """Without Ray: who annotates is all that it changes."""
    found: dict[str, Any] = {}

    def in_ray(address: str, **options: Any) -> Backend:
        found.update(address=address, **options)
        return in_this_process

    monkeypatch.setattr("spacy_span_selector.tools.annotate.cluster.in_ray", in_ray)
    arguments = shlex.split(command.partition(COMMAND)[2].replace("/shared/", ""))
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert found["address"] in ("local", "auto", "10.0.0.1:6379")
    assert found["num_gpus"] == (float(arguments[-1]) if "--num-gpus" in arguments else 0)


def test_the_example_in_python_runs(monkeypatch: pytest.MonkeyPatch):
    """With a twin of Ray that reads, annotates and writes nothing."""
    ray = MagicMock()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.data", ray.data)
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(code.replace("/shared/", ""), {})
    (call,) = ray.data.read_parquet().repartition().map_batches.call_args_list
    job, _, text_column, id_column = call.kwargs["fn_constructor_args"]
    assert (text_column, id_column, job.gpu_id, call.kwargs["num_gpus"]) == ("body", "key", 0, 1)


def test_what_is_computed_is_right():
    documents, words = 1_000_000_000, 500
    rows = re.findall(r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", TEXT, re.MULTILINE)
    assert len(rows) >= 3
    for row in rows:
        rate, hours, days = (int(cell.replace(",", "")) for cell in row)
        exact = documents * words / rate / 3_600
        assert hours == pytest.approx(exact, rel=0.005)
        assert days == pytest.approx(exact / 24 / 10, rel=0.04)
