"""Ray on this machine, with two workers that are killed on the way, and what workers do without it."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import spacy

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.tools.annotate import Job, annotate_dataset, on_ray
from spacy_span_selector.tools.annotate.annotator import PartResult
from spacy_span_selector.tools.annotate.formats import TABLES
from spacy_span_selector.tools.annotate.on_ray import LOCAL, PartWorker, TextWorker, connected, in_ray
from spacy_span_selector.tools.annotate.output import OutputFolder
from spacy_span_selector.tools.annotate.records import Part
from spacy_span_selector.tools.files.pipelines import describe_pipeline

from ...commands import refusal, run
from ...full_disk import contents
from . import components
from .conftest import read_lines

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra 'ray'")
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray, of the extra 'ray'")
CODE = Path(components.__file__)


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Ray with two CPUs, and a folder for words that have killed a process. It takes seconds to start."""
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_worker_niceness", "0")
    patch.setenv(components.ONCE, str(tmp_path_factory.mktemp("killed")))
    with connected(LOCAL, cpus=2) as ray:
        ray.killed = Path(os.environ[components.ONCE])
        patch.undo()  # for this process: those of Ray have the variables
        yield ray


def output(folder: str) -> dict[str, bytes | None]:
    """What a run leaves, whatever the order in which its parts were done."""
    return {name: content for name, content in contents(Path(folder)).items() if name.startswith(("part", "errors"))}


@needs_ray
def test_a_run_may_begin_here_go_on_on_a_cluster_whose_workers_die_and_end_here(
    ray: Any, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    texts = [*(f"Ann{i} saw Bob. Then Ann{i} left." for i in range(8)), "Boom", "Once1 Ann.", "Bob left. " * 2, "Eve."]
    Path("texts.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    options = ["--part-words", "12", "--code", CODE, "--tables", "csv"]
    run("annotate", model, "texts.jsonl", "whole", *options)
    save = OutputFolder.save

    def stop(folder: OutputFolder, result: PartResult) -> None:
        if result.number == 2:
            raise KeyboardInterrupt
        save(folder, result)

    with monkeypatch.context() as patch:
        patch.setattr(OutputFolder, "save", stop)
        assert run("annotate", model, "texts.jsonl", "out", *options).exit_code == 130
    assert [line["part"] for line in read_lines(Path("out/done.jsonl").read_bytes())] == [0, 1]

    with monkeypatch.context() as patch:
        patch.setattr(on_ray, "MOST_DEATHS", 1)
        said = refusal("annotate", "--ray", "local", model, "texts.jsonl", "out", *options, "--n-process", 1)
    assert (ray.killed / "Once1").exists()
    assert re.search(
        r"A process that annotates has ended, .* from texts.jsonl:\d+ to .* The same command goes on", said
    )

    result = run("annotate", "--ray", "local", model, "texts.jsonl", "out", *options, "--n-process", 1)
    assert result.exit_code == 3, result.output
    assert output("out") == output("whole")
    for table in TABLES:
        assert contents(Path("out", table)) == contents(Path("whole", table)) != {}
    assert [line["reason"] for line in read_lines(Path("out/errors.jsonl").read_bytes())] == [
        "the pipeline failed: KeyError: 'boom'"
    ]


@needs_ray
def test_a_dataset_loses_no_row_and_doubles_none_when_a_worker_is_killed(ray: Any, model: str):
    texts = [*(f"Ann{i} saw Bob." for i in range(8)), "Once2 saw Bob.", "Boom"]
    rows = [{"id": f"t{i}", "text": text, "n": i} for i, text in enumerate(texts)]
    dataset = ray.data.from_items(rows, override_num_blocks=5)
    found = annotate_dataset(model, dataset, code=CODE, workers=1).take_all()
    assert (ray.killed / "Once2").exists()
    assert Counter(row["id"] for row in found) == Counter(row["id"] for row in rows)
    assert [row["id"] for row in found if row["error"]] == ["t9"]
    nlp = spacy.load(model)
    for row in found:
        assert (row["id"], row["text"]) == (f"t{row['n']}", texts[row["n"]])
        if not row["error"]:
            assert to_dict(from_dict(row, nlp)) == {**to_dict(nlp(row["text"])), "id": row["id"]}
    with pytest.raises(FileNotFoundError, match="no_such_model: no such folder"):
        annotate_dataset("no_such_model", dataset)


@needs_ray
@pytest.mark.parametrize("address", ["127.0.0.1:1", "[::1]:1", "127.0.0.1:99999"])
def test_ray_on_this_machine_outlives_those_who_share_it_and_elsewhere_errors_come_at_once(
    ray: Any, address: str, monkeypatch: pytest.MonkeyPatch
):
    with connected(LOCAL):
        assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]  # to which alone it listens
    assert ray.is_initialized()
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with ExitStack() as stack, pytest.raises(ConnectionError, match=re.escape(f"{address}: can't be connected to (")):
        stack.enter_context(connected(address))


def test_parts_are_handed_out_some_at_a_time_if_there_is_room_for_a_worker(job: Job, monkeypatch: pytest.MonkeyPatch):
    twin = MagicMock(cluster_resources=lambda: {"CPU": 2.0, "GPU": 1.0})
    monkeypatch.setattr(on_ray, "require_ray", lambda address="": twin)
    message = r"A worker takes 1 CPU and 2 GPUs, but all machines together have 2 and 1\. Ask for less \(--num-gpus\)"
    with pytest.raises(ValueError, match=message):
        next(in_ray(num_gpus=2)(job, [], lambda end, words: None))
    handed: list[int] = []
    monkeypatch.setattr(on_ray, "_annotate_parts", lambda ray, job, parts, *size: handed.append(len(parts)) or [])
    assert list(in_ray()(job, [Part(i, []) for i in range(90)], lambda end, words: None)) == []
    assert handed == [40, 40, 10]


def test_the_job_of_a_worker_holds_in_any_folder(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(Path(job.model).parent)
    monkeypatch.setattr(on_ray, "require_ray", lambda: MagicMock())
    Path("a.py").touch()
    for num_cpus, num_gpus, threads, gpu_id in ((2, 0, 2, -1), (0.5, 0.25, 1, 0)):
        dataset = MagicMock()
        annotate_dataset(Path(job.model).name, dataset, code=Path("a.py"), num_cpus=num_cpus, num_gpus=num_gpus)
        found, *_ = dataset.map_batches.call_args.kwargs["fn_constructor_args"]
        assert (found.model, found.code) == (job.model, Path("a.py").resolve())
        assert (found.threads, found.gpu_id) == (threads, gpu_id)


def annotate_rows(job: Job, columns: dict[str, Any], text: str = "text", name: str = "id") -> list[dict[str, Any]]:
    worker = TextWorker(job, describe_pipeline(job.model, job.code), text, name)
    found: list[dict[str, Any]] = worker(pyarrow.table(columns)).to_pylist()
    return found


def test_rows_are_plain_data_with_all_other_columns_and_their_types(job: Job):
    tags = pyarrow.array([["x"], None], pyarrow.list_(pyarrow.large_string()))
    table = pyarrow.table({"id": [7, 8], "text": ["Ann saw Bob.", ""], "tags": tags})
    found = TextWorker(job, describe_pipeline(job.model, None), "text", "id")(table)
    assert found.schema.field("tags").type == tags.type
    nlp = spacy.load(job.model)
    for row, name, text in zip(found.to_pylist(), "78", ("Ann saw Bob.", ""), strict=True):
        assert row["error"] is None
        assert to_dict(from_dict(row, nlp)) == {**to_dict(nlp(text)), "id": name}


def test_rows_that_cannot_be_annotated_say_why_and_keep_their_place(job: Job):
    day = pyarrow.array([0, 1, 2, 3, 3_000_000], pyarrow.date32())  # the last one is in the year 10183
    rows = annotate_rows(job, {"id": day, "text": ["Ann", None, "Boom", "Bob", "Eve"], "n": [1, 2, 3, 4, 5]})
    assert [(row["id"], row["text"], row["n"]) for row in rows] == [
        ("1970-01-01", "Ann", 1), ("1970-01-02", None, 2), ("1970-01-03", "Boom", 3), ("1970-01-04", "Bob", 4),
        (None, None, 5),
    ]  # fmt: skip
    *errors, last = [row["error"] for row in rows]
    assert errors == [None, "the text is None; expected a string.", "the pipeline failed: KeyError: 'boom'", None]
    assert last.startswith("it can't be read: ")
    assert [row["clusters"] is None for row in rows] == [False, True, True, False, True]


def test_texts_and_names_may_be_in_any_columns_and_names_need_not_be_there(job: Job):
    columns = {"body": ["Ann"], "key": ["x"], "clusters": [1], "id": [5]}
    (row,) = annotate_rows(job, columns, "body", "key")
    assert (row["text"], row["id"], row["mentions"]["start"]) == ("Ann", "x", [0])
    (row,) = annotate_rows(job, {"text": ["Ann"]})
    assert row["id"] is None
    with pytest.raises(ValueError, match=r"There is no column 'body' among \['text'\]\."):
        annotate_rows(job, {"text": ["Ann"]}, "body")


@pytest.mark.parametrize("model_name", ["", "no_such_model"])
def test_another_pipeline_is_refused(job: Job, model_name: str):
    job = Job(model=model_name or job.model)
    worker = PartWorker(job, {**describe_pipeline(job.model, None), "files": "0"} if not model_name else {"files": "0"})
    with pytest.raises(ValueError, match=r" has another pipeline .* than the machine of the run, or none\. Copy it"):
        worker.annotator  # noqa: B018
