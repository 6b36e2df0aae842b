from pathlib import Path

import pytest
from thinc.compat import has_gpu

from lab.__main__ import BENCHMARKS
from lab.experiments import runner
from lab.experiments.records import append_record
from lab.experiments.runner import Workplace

from .benchmarks.conftest import refusal, run
from .experiments.conftest import make_record, write_grid


@pytest.fixture
def grid_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grid of four runs with its (empty) corpora in the current directory."""
    monkeypatch.chdir(tmp_path)
    for part in ("train", "dev", "test"):
        Path(f"{part}.spacy").touch()
    return write_grid()


def test_a_failed_run_gives_exit_status_1(grid_file: Path, monkeypatch: pytest.MonkeyPatch):
    def run_one(run, workplace):
        if run.variant == "cnn":
            raise runner.RunFailed("out of luck")
        own = {"grid": run.grid, "name": run.name, "component": run.component, "training": {"seconds": 1.0}}
        return {**own, "scores": {"test": {"srl_f": 0.5}}, "kept": {"spans": 1}, "tokens": 2}

    monkeypatch.setattr(runner, "run_one", run_one)
    result = run("experiment", grid_file, "out", "--only", "*-seed0-*", "--jobs", 2)
    assert result.exit_code == 1
    assert "2 runs, 0 of them done" in result.output
    assert "low-seed0-folda: test F1 50.0, 0.50 spans per token" in result.output
    assert "1 of 2 runs failed: cnn-seed0-folda" in " ".join(result.output.split())
    assert Path("out/results.jsonl").read_text().count("\n") == 1


def test_a_folder_that_is_in_use_is_refused(grid_file: Path):
    with Workplace(Path("out")).alone():
        said = refusal("experiment", grid_file, "out")
    assert "is running in this folder. Wait" in said
    assert "runs," not in said and not Path("out/runs").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "high-*"], "No run matches 'high-*'"),
        pytest.param(
            ["--gpu-id", "0"], "There is no GPU 0", marks=pytest.mark.skipif(has_gpu, reason="there is a GPU")
        ),
    ],
)
def test_mistakes_exit_with_a_message(grid_file: Path, options: list[str], message: str):
    assert message in refusal("experiment", grid_file, "out", *options)
    assert not Path("out").exists()


def test_folders_are_combined_in_the_first_or_in_another(tmp_path: Path):
    pytest.importorskip("matplotlib")
    for folder, variant in (("one", "structured"), ("two", "greedy")):
        (tmp_path / folder).mkdir()
        append_record(tmp_path / folder / "results.jsonl", make_record(variant))
    assert run("report", tmp_path / "one", tmp_path / "two").exit_code == 0
    text = (tmp_path / "one/report.md").read_text(encoding="utf-8")
    assert "| structured | 1 |" in text and "| greedy | 1 |" in text
    options = ("--output", tmp_path / "other", "--reference", "greedy")
    assert run("report", tmp_path / "one", tmp_path / "two", *options).exit_code == 0
    assert "Difference between greedy and the others" in (tmp_path / "other/report.md").read_text(encoding="utf-8")


def test_records_that_cannot_be_read_are_named(grid_file: Path):
    pytest.importorskip("matplotlib")
    assert "no such file" in refusal("report", Path.cwd())
    append_record(Path("results.jsonl"), {"grid": "books", "name": "old"})
    append_record(Path("results.jsonl"), make_record("structured"))
    with pytest.warns(UserWarning, match=r"Left out: results\.jsonl:1: a record of a run without component"):
        assert run("report", "results.jsonl", "--output", "out").exit_code == 0
    assert "| structured | 1 |" in Path("out/report.md").read_text(encoding="utf-8")
    Path("out/results.jsonl").write_bytes(Path("results.jsonl").read_bytes())
    assert "a record of a run without" in refusal("experiment", grid_file, "out")  # names it before anything runs
    assert not Path("out/runs").exists()


def test_every_benchmark_is_a_command_with_its_explanation():
    result = run("--help")
    assert all(name in result.output for name in BENCHMARKS)
    assert "separate process" in run("annotate", "--help").output


def test_the_guide_names_every_command_and_grid():
    guide = (runner.CLONE / "lab/README.md").read_text(encoding="utf-8")
    assert [
        name for name in ("experiment", "report", "tree", *BENCHMARKS) if f"python -m lab {name}" not in guide
    ] == []
    assert [path.name for path in (runner.CLONE / "lab/grids").glob("*.cfg") if f"`{path.name}`" not in guide] == []
