"""Runs trainings and measurements in separate processes, several in parallel, and resumes after an interruption."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import srsly
from tqdm import tqdm

from spacy_span_selector.scoring.task import get_task
from spacy_span_selector.tools.files.runs import only_process_in
from spacy_span_selector.tools.files.writing import write_file, write_files

from . import progress
from .grid import Run
from .records import RESULTS, Record, append_record, read_records

CLONE = Path(__file__).parents[2]  # the laboratory is not installed
TRAINING_SHARE = 0.9  # of the time of a run; the rest is for measuring
TAIL_LINES = 15
MODELS = ("model-best", "model-last")


class RunFailed(Exception):
    """A process of a run ended with an error; the message names its log and quotes the end of it."""


@dataclass
class Workplace:
    """Where and how runs are run.

    out_dir (Path): The folder for `results.jsonl` and `runs/`.
    gpu_id (int): The GPU; -1 for the CPU.
    jobs (int): The number of parallel runs.
    keep_models (bool): Whether pipelines are kept after they are measured.
    """

    out_dir: Path
    gpu_id: int = -1
    jobs: int = 1
    keep_models: bool = False

    def __post_init__(self) -> None:
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.stopped = False

    @property
    def results(self) -> Path:
        return self.out_dir / RESULTS

    def run_dir(self, run: Run) -> Path:
        return self.out_dir / "runs" / run.name

    def alone(self) -> AbstractContextManager[None]:
        """Keep other experiments out of the folder until the block ends, as `only_process_in` does."""
        return only_process_in(self.out_dir, "experiment", "use another folder: 'report' combines several")

    def stop(self) -> None:
        """Terminate the running processes, and start no others."""
        self.stopped = True
        for process in list(self.processes):
            process.terminate()


def pending_runs(runs: Iterable[Run], results: Path) -> list[Run]:
    """The runs that have no record yet.

    runs (Iterable[Run]): The runs.
    results (Path): The file of records.
    RETURNS (list[Run]): The runs without a record.
    RAISES (ValueError): If the record of a run has a different config, or a record is incomplete.
    """
    records = read_records([results], strict=True) if results.exists() else []
    done = {(record["grid"], record["name"]): record for record in records}
    pending = []
    for run in runs:
        record = done.get((run.grid, run.name))
        if record is None:
            pending.append(run)
        elif record["fingerprint"] != run.fingerprint:
            raise ValueError(
                f"{results} has the run {run.name} with another config or another evaluation than the grid has now. "
                "Use another folder, or delete the record's line."
            )
    return pending


def run_all(runs: Sequence[Run], workplace: Workplace) -> dict[str, str]:
    """Run the pending runs, with a progress bar; a failed run does not stop the others.

    runs (Sequence[Run]): The runs.
    workplace (Workplace): Where and how to run them.
    RETURNS (dict[str, str]): The name of each failed run, and its error.
    """
    failures: dict[str, str] = {}
    finished: dict[str, float] = {run.name: 0.0 for run in runs}
    begin_on_sigterm = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    bar_format = "{percentage:3.0f}% |{bar}| {n:.1f} of {total} runs [{elapsed}, left {remaining}] {desc}"
    seconds = 0.1 if sys.stderr.isatty() else 60  # fewer lines in a log file
    with (
        tqdm(total=len(runs), bar_format=bar_format, smoothing=0, dynamic_ncols=True, mininterval=seconds) as bar,
        ThreadPoolExecutor(workplace.jobs) as threads,
    ):
        futures: dict[Future[Record], Run] = {threads.submit(run_one, run, workplace): run for run in runs}
        pending = set(futures)
        try:
            while pending:
                done, pending = wait(pending, timeout=1, return_when=FIRST_COMPLETED)
                for future in done:
                    run = futures[future]
                    finished[run.name] = 1.0
                    try:
                        record = future.result()
                        append_record(workplace.results, record)
                        if not workplace.keep_models:  # only now: the record may be made from them again
                            _delete_models(workplace.run_dir(run))
                        bar.write(f"{run.name}: {_summary(record)}")
                    except Exception as error:  # any error concerns only this run
                        failures[run.name] = str(error)
                        bar.write(f"{run.name} failed. {type(error).__name__}: {error}", file=sys.stderr)
                running = [futures[future] for future in pending if future.running()]
                for run in running:
                    finished[run.name] = _fraction_done(run, workplace.run_dir(run))
                bar.set_description_str(", ".join(run.name for run in running), refresh=False)
                bar.update(sum(finished.values()) - bar.n)
        finally:
            for future in pending:
                future.cancel()
            workplace.stop()
            signal.signal(signal.SIGTERM, begin_on_sigterm)
    return failures


def run_one(run: Run, workplace: Workplace) -> Record:
    """Train and measure one run; a complete training is not repeated.

    run (Run): The run.
    workplace (Workplace): Where and how to run it.
    RETURNS (Record): What a report needs.
    RAISES (RunFailed): If a process fails.
    """
    run_dir, gpu = workplace.run_dir(run), str(workplace.gpu_id)
    trained = run_dir / "training.json"
    reason = _why_untrained(run, run_dir)
    if reason is not None:
        if run_dir.exists():
            tqdm.write(f"{run.name} is trained again: {reason}.", file=sys.stderr)
        shutil.rmtree(run_dir, ignore_errors=True)
        run_dir.mkdir(parents=True)
        _write_config(run, run_dir)
        begin = time.perf_counter()
        training = ["spacy", "train", str(run_dir / "config.cfg"), "--output", str(run_dir), "--gpu-id", gpu]
        training += ["--code", str(progress.__file__)]
        _run_process(training, run_dir / "train.log", workplace)
        record = _training_record(run, run_dir, time.perf_counter() - begin)
        write_file(trained, srsly.json_dumps(record, indent=2))
    for name in ("measures", "memory"):
        _run_process([f"{__package__}.measure", name, str(run_dir), gpu], run_dir / f"{name}.log", workplace)
    return {
        **_description(run),
        "training": {
            key: value for key, value in srsly.read_json(trained).items() if key not in ("fingerprint", "files")
        },
        "jobs": workplace.jobs,
        **srsly.read_json(run_dir / "measures.json"),
        "memory": srsly.read_json(run_dir / "memory.json"),
    }


def _why_untrained(run: Run, run_dir: Path) -> str | None:
    """Why the folder does not have the pipeline of a complete training with the run's config; None if it has."""
    trained, model = run_dir / "training.json", run_dir / MODELS[0]
    if not trained.exists():
        return "its training was not completed"
    try:
        training = srsly.read_json(trained)
    except ValueError as error:
        return f"{trained} is empty or damaged ({error})"
    if not isinstance(training, dict) or "fingerprint" not in training:
        return f"{trained} has no fingerprint, so nothing tells which config it is of"
    if training["fingerprint"] != run.fingerprint:
        return f"{trained} is of another config"
    if not model.exists() or training.get("files") != _sizes(model):
        return f"{model} is missing or damaged"
    return None


def _sizes(folder: Path) -> dict[str, int]:
    """The size of each file in a folder, at any depth."""
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def _delete_models(run_dir: Path) -> None:
    for model in MODELS:
        shutil.rmtree(run_dir / model, ignore_errors=True)


def _write_config(run: Run, run_dir: Path) -> None:
    config = deepcopy(run.config)
    config["training"]["logger"] = {
        "@loggers": "lab.ProgressLogger.v1",
        "path": str(run_dir / "progress.jsonl"),
    }
    description = {
        **_description(run),
        "corpora": run.corpora.model_dump(),
        "evaluation": run.evaluation.model_dump(),
        "predictions": {name: prediction.model_dump() for name, prediction in run.predictions.items()},
        "elsewhere": run.elsewhere,
    }
    write_files(
        [
            (run_dir / "config.cfg", config.to_str(interpolate=False)),
            (run_dir / "run.json", srsly.json_dumps(description, indent=2)),
        ]
    )


def _description(run: Run) -> dict[str, Any]:
    names = ("name", "grid", "component", "variant", "condition", "seed", "fold", "fingerprint")
    return {name: getattr(run, name) for name in names}


def _training_record(run: Run, run_dir: Path, seconds: float) -> dict[str, Any]:
    lines = progress.read_progress(run_dir / "progress.jsonl")
    words = max(line.get("words", 0) for line in lines)
    best = max((line for line in lines if "score" in line), key=lambda line: line["score"])
    return {
        "fingerprint": run.fingerprint,
        "files": _sizes(run_dir / MODELS[0]),
        "process_seconds": round(seconds, 1),
        "seconds": lines[-1]["seconds"],
        "steps": lines[-1]["step"],
        "best_step": best["step"],
        "words": words,
        "words_per_second": round(words / lines[-1]["seconds"], 1),
    }


def _run_process(module: list[str], log: Path, workplace: Workplace) -> None:
    """Run a Python module as a process that writes to a log, and that does not outlive this one."""
    if workplace.stopped:
        raise RunFailed("It was stopped.")
    threads = str(max(1, (os.cpu_count() or 1) // workplace.jobs))
    environment = {"OMP_NUM_THREADS": threads, "TOKENIZERS_PARALLELISM": "false"} | os.environ
    environment["PYTHONPATH"] = os.pathsep.join([str(CLONE), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", f"{__package__}.child", *module]
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=stream, stderr=subprocess.STDOUT, env=environment
        ) as process,
    ):
        workplace.processes.add(process)
        if workplace.stopped:  # in the meantime
            process.terminate()
        status = process.wait()
        workplace.processes.discard(process)
    if status:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL_LINES:])
        raise RunFailed(f"Exit status {status}; the end of {log}:\n{tail}")


def _fraction_done(run: Run, run_dir: Path) -> float:
    """The progress of a run, between 0 and 1, estimated from its training steps."""
    if (run_dir / "training.json").exists():
        return TRAINING_SHARE
    steps = run.config.interpolate()["training"].get("max_steps")
    lines = progress.read_progress(run_dir / "progress.jsonl")
    if not lines or not isinstance(steps, int) or not steps:
        return 0.0
    return TRAINING_SHARE * min(1.0, float(lines[-1]["step"]) / steps)


def _summary(record: Record) -> str:
    score = record["scores"]["test"][get_task(record["component"]).main_score]
    if score is None or not record["tokens"]:
        return "nothing to score: no test document has gold annotation"
    seconds = round(record["training"]["seconds"])
    return f"test F1 {100 * score:.1f}, {record['kept']['spans'] / record['tokens']:.2f} spans per token, {seconds} s"
