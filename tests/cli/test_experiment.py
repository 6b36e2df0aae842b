from __future__ import annotations

from pathlib import Path

import pytest
from thinc.compat import has_gpu
from typer.testing import CliRunner, Result

from spacy_span_selector.cli import app
from spacy_span_selector.experiments import runner
from spacy_span_selector.experiments.records import append_record

from ..experiments.conftest import write_grid


@pytest.fixture
def grid_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grid of four runs with its (empty) corpora in the current directory."""
    monkeypatch.chdir(tmp_path)
    for part in ("train", "dev", "test"):
        Path(f"{part}.spacy").touch()
    return write_grid()


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["experiment", *map(str, arguments)])


def test_a_failed_run_gives_exit_status_1(grid_file: Path, monkeypatch: pytest.MonkeyPatch):
    def run_one(run, workplace):
        if run.variant == "cnn":
            raise runner.RunFailed("out of luck")
        return {
            "grid": run.grid,
            "name": run.name,
            "component": run.component,
            "scores": {"test": {"srl_f": 0.5}},
            "kept": {"spans": 1},
            "tokens": 2,
            "training": {"seconds": 1.0},
        }

    monkeypatch.setattr(runner, "run_one", run_one)
    result = invoke(grid_file, "out", "--only", "*-seed0-*", "--jobs", 2)
    assert result.exit_code == 1
    assert "2 runs, 0 of them done" in result.output
    assert "low-seed0-folda: test F1 50.0, 0.50 spans per token" in result.output
    assert "1 of 2 runs failed: cnn-seed0-folda" in " ".join(result.output.split())
    assert Path("out/results.jsonl").read_text().count("\n") == 1


def test_completed_runs_are_not_repeated(grid_file: Path):
    from spacy_span_selector.experiments.grid import read_grid

    Path("out").mkdir()
    for run in read_grid(grid_file):
        record = {"grid": run.grid, "name": run.name, "fingerprint": run.fingerprint}
        append_record(Path("out/results.jsonl"), record)
    result = invoke(grid_file, "out")
    assert result.exit_code == 0
    assert "4 runs, 4 of them done" in result.output


def test_mistakes_exit_with_a_message(grid_file: Path):
    result = invoke(grid_file, "out", "--only", "high-*")
    assert result.exit_code == 1
    assert "No run matches 'high-*'" in " ".join(result.output.split())
    assert not Path("out").exists()


@pytest.mark.skipif(has_gpu, reason="there is a GPU")
def test_without_a_gpu_nothing_starts(grid_file: Path):
    result = invoke(grid_file, "out", "--gpu-id", 0)
    assert result.exit_code == 1
    assert "There is no GPU 0" in " ".join(result.output.split())
    assert not Path("out").exists()
