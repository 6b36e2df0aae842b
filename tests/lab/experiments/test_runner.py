import json
import os
import re
import runpy
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from filelock import FileLock, Timeout
from spacy.tokens import DocBin

from lab.experiments import runner
from lab.experiments.grid import Run, read_grid
from lab.experiments.records import append_record, read_records
from lab.experiments.runner import RunFailed, Workplace, pending_runs, run_all
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from ...processes import start
from .conftest import CORPUS, make_record

MEASURES = {
    **{"scores": {"test": {"srl_f": 0.5}}, "kept": {"spans": 10}, "tokens": 40},
    **{"output": {"spans": 8}, "curve": [], "calibration": None, "average_precision": None},
    **{"documents": {}, "predictions": {}, "elsewhere": {}},
}


class FakeProcesses:
    """Replaces `_run_process`: writes the output of the processes, and fails on request."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.failing: set[tuple[str, str]] = set()

    def __call__(self, module: list[str], log: Path, workplace: Workplace) -> None:
        run_dir = log.parent
        self.calls.append((run_dir.name, log.stem))
        if (run_dir.name, log.stem) in self.failing:
            raise RunFailed("out of luck")
        if log.stem == "train":
            (run_dir / "model-best/vocab").mkdir(parents=True)
            (run_dir / "model-best/vocab/strings.json").write_text("[]")
            lines = [{"step": 0, "seconds": 1.0, "words": 10, "score": 0.2}, {"step": 1, "seconds": 4.0}]
            lines.append({"step": 2, "seconds": 5.0, "words": 50, "score": 0.1})
            (run_dir / "progress.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        else:
            content: dict[str, Any] = {"measures": MEASURES, "memory": {"peak_mb": 3.0}}[log.stem]
            srsly.write_json(run_dir / f"{log.stem}.json", content)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> FakeProcesses:
    fake = FakeProcesses()
    monkeypatch.setattr(runner, "_run_process", fake)
    return fake


@pytest.fixture
def runs(grid_file: Path) -> list[Run]:
    return read_grid(grid_file)


def run_pending(runs: list[Run], workplace: Workplace) -> dict[str, str]:
    workplace.out_dir.mkdir(exist_ok=True)
    return run_all(pending_runs(runs, workplace.results), workplace)


def test_every_run_has_a_record(runs: list[Run], processes: FakeProcesses):
    workplace = Workplace(Path("out"), jobs=2)
    assert run_pending(runs, workplace) == {}
    records = {record["name"]: record for record in read_records([workplace.out_dir])}
    assert records.keys() == {run.name for run in runs}
    record = records["low-seed7-folda"]
    assert (record["grid"], record["variant"], record["seed"], record["fold"]) == ("grid", "low", 7, "a")
    assert record["training"]["steps"] == 2 and record["training"]["best_step"] == 0
    assert record["training"]["words_per_second"] == 10.0
    assert record["tokens"] == 40 and record["memory"] == {"peak_mb": 3.0} and record["jobs"] == 2
    assert not {"fingerprint", "files"} & record["training"].keys()


def test_recorded_runs_are_not_repeated(runs: list[Run], processes: FakeProcesses):
    workplace = Workplace(Path("out"))
    run_pending(runs[:1], workplace)
    processes.calls.clear()
    run_pending(runs, Workplace(Path("out")))
    assert {name for name, _ in processes.calls} == {run.name for run in runs[1:]}


def test_a_failing_run_does_not_stop_the_others(runs: list[Run], processes: FakeProcesses) -> None:
    processes.failing = {(runs[0].name, "train")}
    failures = run_pending(runs, Workplace(Path("out")))
    assert failures == {runs[0].name: "out of luck"}
    assert {record["name"] for record in read_records([Path("out")])} == {run.name for run in runs[1:]}


def fail_and_repeat(
    run: Run, processes: FakeProcesses, stage: str, damage: Callable[[Path], Any] | None = None
) -> list[str]:
    """The stages that are run once more after one of them has failed, and its folder was damaged."""
    processes.failing = {(run.name, stage)}
    run_pending([run], Workplace(Path("out")))
    if damage is not None:
        damage(Path("out/runs") / run.name)
    processes.failing.clear()
    processes.calls.clear()
    assert run_pending([run], Workplace(Path("out"))) == {}
    assert run.name in {record["name"] for record in read_records([Path("out")])}
    return [stage for _, stage in processes.calls]


def test_what_has_failed_is_repeated(runs: list[Run], processes: FakeProcesses) -> None:
    assert fail_and_repeat(runs[0], processes, "train") == ["train", "measures", "memory"]
    assert fail_and_repeat(runs[1], processes, "memory") == ["measures", "memory"]


def damage_training(content: bytes) -> Callable[[Path], None]:
    def damage(run_dir: Path) -> None:
        (run_dir / "training.json").write_bytes(content)

    return damage


def delete(name: str) -> Callable[[Path], None]:
    return lambda run_dir: (run_dir / name).unlink()


def cut_short(run_dir: Path) -> None:
    (run_dir / "model-best/vocab/strings.json").write_text("[")


DAMAGES = [
    (damage_training(b'{"fingerprint": "0f'), r"training\.json is empty or damaged"),
    (damage_training(b"\xff\xfe{\0"), r"training\.json is empty or damaged"),
    (damage_training(b"[1]"), r"training\.json has no fingerprint"),
    (damage_training(b'{"fingerprint": "other"}'), r"training\.json is of another config"),
    (delete("training.json"), "its training was not completed"),
    (delete("model-best/vocab/strings.json"), "model-best is missing or damaged"),
    (cut_short, "model-best is missing or damaged"),
]


@pytest.mark.parametrize(("damage", "reason"), DAMAGES)
def test_a_damaged_run_is_trained_again_and_says_so(
    runs: list[Run],
    processes: FakeProcesses,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
    reason: str,
) -> None:
    assert fail_and_repeat(runs[0], processes, "memory", damage) == ["train", "measures", "memory"]
    assert re.search(rf"low-seed0-folda is trained again: .*{reason}", capsys.readouterr().err)


def test_damaged_measures_are_made_again(runs: list[Run], processes: FakeProcesses) -> None:
    def damage(run_dir: Path) -> None:
        (run_dir / "measures.json").write_text('{"scores": ')

    assert fail_and_repeat(runs[0], processes, "memory", damage) == ["measures", "memory"]


def test_models_stay_until_there_is_a_record(
    runs: list[Run], processes: FakeProcesses, monkeypatch: pytest.MonkeyPatch
):
    def append(path: Path, record: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(runner, "append_record", append)
    assert run_pending(runs[:1], Workplace(Path("out"))) == {runs[0].name: "disk full"}
    assert (Path("out/runs") / runs[0].name / "model-best").exists()


@pytest.mark.parametrize("keep_models", [True, False])
def test_models_are_deleted_unless_kept(runs: list[Run], processes: FakeProcesses, keep_models: bool):
    run_pending(runs[:1], Workplace(Path("out"), keep_models=keep_models))
    assert (Path("out/runs") / runs[0].name / "model-best").exists() == keep_models


def test_a_deleted_model_is_trained_again_without_its_record(runs: list[Run], processes: FakeProcesses):
    run_pending(runs[:1], Workplace(Path("out")))
    Path("out/results.jsonl").unlink()
    assert run_pending(runs[:1], Workplace(Path("out"))) == {}
    assert [stage for _, stage in processes.calls].count("train") == 2


def test_a_record_of_another_config_is_refused(runs: list[Run]):
    append_record(Path("results.jsonl"), make_record(grid="grid", name=runs[0].name, fingerprint="other"))
    with pytest.raises(ValueError, match="low-seed0-folda with another config"):
        pending_runs(runs, Path("results.jsonl"))


def test_the_written_config_logs_its_progress(runs: list[Run], processes: FakeProcesses):
    run_pending(runs[:1], Workplace(Path("out")))
    config = spacy.util.load_config(Path("out/runs") / runs[0].name / "config.cfg")
    assert config["training"]["logger"]["path"] == str(Path("out/runs") / runs[0].name / "progress.jsonl")
    assert config["components"]["structured_srl"]["threshold"] == 0.2


def test_a_process_that_fails_shows_the_end_of_its_log(tmp_path: Path):
    with pytest.raises(RunFailed, match=r"Exit status 1; the end of .*train\.log:\n[\s\S]*No module named no_such"):
        runner._run_process(["no_such_module"], tmp_path / "train.log", Workplace(tmp_path))


def test_no_process_starts_after_a_stop(tmp_path: Path):
    workplace = Workplace(tmp_path)
    workplace.stop()
    with pytest.raises(RunFailed, match="stopped"):
        runner._run_process(["this"], tmp_path / "train.log", workplace)


def test_a_run_has_a_summary() -> None:
    nothing = make_record(scores={"test": {"coref_f": None, "srl_f": 0.5}}, tokens=0)
    assert "nothing to score" in runner._summary(nothing)
    joint = make_record(scores={"test": {"coref_f": 0.6, "srl_f": None}})
    assert "test F1 60.0" in runner._summary(joint)


def run_forked(module: list[str], log: Path, workplace: Workplace) -> None:
    """In the place of `_run_process`, whose processes each take seconds to start."""
    process = start(run_module, module, log)
    process.join()
    if process.exitcode:
        raise RunFailed(log.read_text(encoding="utf-8"))


def run_module(module: list[str], log: Path) -> None:
    with log.open("wb") as stream:
        for descriptor in (1, 2):
            os.dup2(stream.fileno(), descriptor)
    sys.argv = module
    runpy.run_module(module[0], run_name="__main__", alter_sys=True)


@pytest.mark.slow
def test_a_real_run_trains_and_measures(runs: list[Run], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner, "_run_process", run_forked)
    docs = parse_bracketed(CORPUS, spacy.blank("en"))
    for part in ("train", "dev", "test"):
        DocBin(docs=docs, store_user_data=True).to_disk(f"{part}.spacy")
    assert run_pending(runs[:1], Workplace(Path("out"))) == {}
    [record] = read_records([Path("out")])
    assert record["training"]["steps"] == 4
    assert record["scores"]["test"]["srl_pred_f"] == 1.0  # they are given
    assert record["kept"]["gold"] == 11 and record["tokens"] == 21
    assert sum(record["calibration"]["counts"]) == 28 + 10 + 55
    assert record["memory"]["words"] == 21 and record["memory"]["peak_mb"] >= 0
    assert not (Path("out/runs") / runs[0].name / "model-best").exists()


def run_endless_experiment() -> None:
    """Run an experiment whose process writes the file `started`, holds the lock `alive`, and does nothing else."""
    os.setsid()
    sleep = "from filelock import FileLock; import time; lock = FileLock('alive').acquire(); "
    sleep += "open('started', 'w').close(); time.sleep(600)"
    command = ["timeit", "-n1", "-r1", sleep]  # a module, as all commands of a run are
    runner.run_one = lambda run, workplace: runner._run_process(command, Path("log"), workplace)  # type: ignore
    workplace = Workplace(Path("out"))
    with workplace.alone():
        run_all(read_grid(Path("grid.cfg"))[:2], workplace)


@pytest.fixture
def experiment(grid_file: Path) -> Iterator[Any]:
    """An experiment with one process, which holds the lock `alive`."""
    process = start(run_endless_experiment)
    deadline = time.monotonic() + 120
    while not Path("started").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    yield process
    process.kill()
    process.join()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_terminated_experiment_ends_its_processes(experiment: Any):
    experiment.terminate()
    experiment.join(60)
    assert experiment.exitcode == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.killpg(experiment.pid, 0)  # no process of its group is left


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_killed_experiment_ends_its_processes_and_leaves_its_folder(experiment: Any):
    with pytest.raises(Timeout):
        FileLock("alive").acquire(timeout=0)
    with pytest.raises(ValueError, match=r"another 'experiment' .*is running"), Workplace(Path("out")).alone():
        pass
    experiment.kill()
    experiment.join(60)
    assert experiment.exitcode == -signal.SIGKILL
    FileLock("alive").acquire(timeout=60).lock.release()  # its process has ended
    assert "The experiment that started this process has ended" in Path("log").read_text()
    with Workplace(Path("out")).alone():
        assert not Path("out/runs").exists()
