from __future__ import annotations

import json
from pathlib import Path

import pytest
from thinc.compat import has_gpu
from typer.testing import CliRunner, Result

from lab.__main__ import BENCHMARKS, app
from lab.experiments import runner
from lab.experiments.grid import read_grid
from lab.experiments.records import FIELDS, append_record
from lab.experiments.runner import Workplace

from ..full_disk import contents, full_disk
from .experiments.conftest import make_record, write_grid


@pytest.fixture
def grid_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grid of four runs with its (empty) corpora in the current directory."""
    monkeypatch.chdir(tmp_path)
    for part in ("train", "dev", "test"):
        Path(f"{part}.spacy").touch()
    return write_grid()


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


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
    result = invoke("experiment", grid_file, "out", "--only", "*-seed0-*", "--jobs", 2)
    assert result.exit_code == 1
    assert "2 runs, 0 of them done" in result.output
    assert "low-seed0-folda: test F1 50.0, 0.50 spans per token" in result.output
    assert "1 of 2 runs failed: cnn-seed0-folda" in " ".join(result.output.split())
    assert Path("out/results.jsonl").read_text().count("\n") == 1


def test_completed_runs_are_not_repeated(grid_file: Path):
    Path("out").mkdir()
    for run in read_grid(grid_file):
        record = make_record(grid=run.grid, name=run.name, fingerprint=run.fingerprint)
        append_record(Path("out/results.jsonl"), record)
    result = invoke("experiment", grid_file, "out")
    assert result.exit_code == 0
    assert "4 runs, 4 of them done" in result.output


def test_a_folder_that_is_in_use_is_refused(grid_file: Path):
    with Workplace(Path("out")).alone():
        result = invoke("experiment", grid_file, "out")
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
    result = invoke("experiment", grid_file, "out")
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert not Path("out/runs").exists()


def test_mistakes_exit_with_a_message(grid_file: Path):
    result = invoke("experiment", grid_file, "out", "--only", "high-*")
    assert result.exit_code == 1
    assert "No run matches 'high-*'" in " ".join(result.output.split())
    assert not Path("out").exists()


@pytest.mark.skipif(has_gpu, reason="there is a GPU")
def test_without_a_gpu_nothing_starts(grid_file: Path):
    result = invoke("experiment", grid_file, "out", "--gpu-id", 0)
    assert result.exit_code == 1
    assert "There is no GPU 0" in " ".join(result.output.split())
    assert not Path("out").exists()


def test_folders_are_combined_in_the_first(tmp_path: Path):
    pytest.importorskip("matplotlib")
    for folder, variant in (("one", "structured"), ("two", "greedy")):
        (tmp_path / folder).mkdir()
        append_record(tmp_path / folder / "results.jsonl", make_record(variant))
    result = invoke("report", tmp_path / "one", tmp_path / "two")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "one/report.md").read_text(encoding="utf-8")
    assert "| structured | 1 |" in text and "| greedy | 1 |" in text


def test_another_reference_and_folder(tmp_path: Path):
    pytest.importorskip("matplotlib")
    for variant in ("structured", "greedy"):
        append_record(tmp_path / "results.jsonl", make_record(variant))
    result = invoke("report", tmp_path / "results.jsonl", "--output", tmp_path / "report", "--reference", "greedy")
    assert result.exit_code == 0, result.output
    assert "Difference between greedy and the others" in (tmp_path / "report/report.md").read_text(encoding="utf-8")


def test_a_report_that_does_not_fit_on_the_disk_leaves_the_last_one(tmp_path: Path):
    pytest.importorskip("matplotlib")
    append_record(tmp_path / "results.jsonl", make_record())
    assert invoke("report", tmp_path / "results.jsonl", "--output", tmp_path / "out").exit_code == 0
    for name in contents(tmp_path / "out"):
        (tmp_path / "out" / name).write_text(f"the old {name}")
    before = contents(tmp_path / "out")
    with full_disk(200):
        result = invoke("report", tmp_path / "results.jsonl", "--output", tmp_path / "out")
    assert result.exit_code == 1 and "report.md: not written" in " ".join(result.output.split())
    assert contents(tmp_path / "out") == before


def test_missing_records_exit_with_a_message(tmp_path: Path):
    result = invoke("report", tmp_path)
    assert result.exit_code == 1
    assert "no such file" in " ".join(result.output.split())


def test_records_that_cannot_be_read_are_named_and_the_others_reported(tmp_path: Path):
    pytest.importorskip("matplotlib")
    append_record(tmp_path / "results.jsonl", {"grid": "books", "name": "old"})
    append_record(tmp_path / "results.jsonl", make_record("structured"))
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(make_record("greedy")), encoding="utf-16")
    with pytest.warns(UserWarning) as warned:
        result = invoke("report", tmp_path, other)
    assert result.exit_code == 0, result.output
    assert [str(warning.message).split(". ")[0] for warning in warned if "Left out" in str(warning.message)] == [
        f"Left out: {tmp_path / 'results.jsonl'}:1: a record of a run without "
        + ", ".join(field for field in FIELDS if field not in ("grid", "name")),
        f"Left out: {other} is encoded in utf-16",
    ]
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| structured | 1 |" in text and "greedy" not in text


def test_every_benchmark_is_a_command_with_its_explanation():
    result = invoke("--help")
    assert all(name in result.output for name in BENCHMARKS)
    assert "separate process" in invoke("annotate", "--help").output


def test_the_guide_names_every_command():
    guide = (runner.CLONE / "lab/README.md").read_text(encoding="utf-8")
    assert [name for name in ("experiment", "report", *BENCHMARKS) if f"python -m lab {name}" not in guide] == []


def test_the_guide_names_every_grid():
    guide = (runner.CLONE / "lab/README.md").read_text(encoding="utf-8")
    assert [path.name for path in (runner.CLONE / "lab/grids").glob("*.cfg") if f"`{path.name}`" not in guide] == []
