from __future__ import annotations

import json
from pathlib import Path

import pytest
from thinc.compat import has_gpu
from typer.testing import CliRunner, Result

from lab.experiments import runner
from lab.experiments.lock import only_experiment_in
from lab.experiments.records import append_record
from spacy_span_selector.cli import app

from ..lab.experiments.conftest import make_record, write_grid


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
    from lab.experiments.grid import read_grid

    Path("out").mkdir()
    for run in read_grid(grid_file):
        record = make_record(grid=run.grid, name=run.name, fingerprint=run.fingerprint)
        append_record(Path("out/results.jsonl"), record)
    result = invoke(grid_file, "out")
    assert result.exit_code == 0
    assert "4 runs, 4 of them done" in result.output


def test_a_folder_that_is_in_use_is_refused(grid_file: Path):
    with only_experiment_in(Path("out")):
        result = invoke(grid_file, "out")
    assert result.exit_code == 1
    assert "out: another 'experiment' is running in this folder. Wait" in " ".join(result.output.split())
    assert "runs," not in result.output and not Path("out/runs").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps({"grid": "grid", "name": "a"}).encode(), "out/results.jsonl:1: a record of a run without"),
        (json.dumps(make_record()).encode("utf-16"), "out/results.jsonl is encoded in utf-16. Expected UTF-8"),
    ],
)
def test_records_that_cannot_be_read_are_named_before_anything_runs(grid_file: Path, content: bytes, message: str):
    Path("out").mkdir()
    Path("out/results.jsonl").write_bytes(content)
    result = invoke(grid_file, "out")
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert not Path("out/runs").exists()


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
