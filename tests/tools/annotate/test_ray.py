"""Ray on this machine, with two workers that are killed on the way."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import spacy
from typer.testing import CliRunner, Result

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.tools.annotate import PartResult, annotate_dataset
from spacy_span_selector.tools.annotate import run as annotate_run
from spacy_span_selector.tools.annotate.cluster import LOCAL, connected
from spacy_span_selector.tools.annotate.flat_tables import TABLES
from spacy_span_selector.tools.cli import app

from ...full_disk import contents
from . import components

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray, of the extra 'ray'")
CODE = Path(components.__file__)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a file for each word that has killed a process."""
    return tmp_path_factory.mktemp("killed")


@pytest.fixture(scope="module")
def ray(killed: Path) -> Iterator[Any]:
    """Ray with two CPUs. It takes seconds to start, and so does each of its processes."""
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_worker_niceness", "0")
    patch.setenv(components.ONCE, str(killed))
    with connected(LOCAL, cpus=2) as ray:
        patch.undo()  # for this process: those of Ray have the variables
        yield ray


def annotate(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["annotate", *map(str, arguments)])


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def output(folder: str) -> dict[str, bytes | None]:
    """What a run leaves, whatever the order in which its parts were done."""
    return {name: content for name, content in contents(Path(folder)).items() if name.startswith(("part", "errors"))}


@pytest.mark.usefixtures("ray")
def test_a_run_may_begin_here_go_on_on_a_cluster_whose_workers_die_and_end_here(
    model: str, killed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    texts = [*(f"Ann{i} saw Bob. Then Ann{i} left." for i in range(8)), "Boom", "Once1 Ann.", "Bob left. " * 2, "Eve."]
    Path("texts.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    options = ["--part-words", "12", "--code", CODE, "--tables", "csv"]
    annotate(model, "texts.jsonl", "whole", *options)

    def stop(result: PartResult, documents: int) -> None:
        if result.number == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(annotate_run, "_check", stop)
        assert annotate(model, "texts.jsonl", "out", *options).exit_code == 130
    assert [line["part"] for line in lines("out/done.jsonl")] == [0, 1]

    result = annotate("--ray", model, "texts.jsonl", "out", *options, "--n-process", 2)
    assert result.exit_code == 3, result.output
    assert (killed / "Once1").exists()
    assert output("out") == output("whole")
    for table in TABLES:
        assert contents(Path("out", table)) == contents(Path("whole", table)) != {}
    assert sorted(line["part"] for line in lines("out/done.jsonl")) == list(range(len(output("out")) - 1))
    assert [line["reason"] for line in lines("out/errors.jsonl")] == ["the pipeline failed: KeyError: 'boom'"]

    Path("out/part-00003.jsonl").unlink()
    assert annotate(model, "texts.jsonl", "out", *options).exit_code == 3
    assert output("out") == output("whole")


def test_a_dataset_loses_no_row_and_doubles_none_when_a_worker_is_killed(ray: Any, model: str, killed: Path):
    texts = [*(f"Ann{i} saw Bob." for i in range(8)), "Once2 saw Bob.", "Boom"]
    rows = [{"id": f"t{i}", "text": text, "n": i} for i, text in enumerate(texts)]
    dataset = ray.data.from_items(rows, override_num_blocks=5)
    found = annotate_dataset(model, dataset, code=CODE, workers=2).take_all()
    assert (killed / "Once2").exists()
    assert Counter(row["id"] for row in found) == Counter(row["id"] for row in rows)
    assert [row["id"] for row in found if row["error"]] == ["t9"]
    nlp = spacy.load(model)
    for row in found:
        assert (row["id"], row["text"]) == (f"t{row['n']}", texts[row["n"]])
        if not row["error"]:
            assert to_dict(from_dict(row, nlp)) == {**to_dict(nlp(row["text"])), "id": row["id"]}


def test_a_dataset_names_a_pipeline_that_is_not_there_at_once(ray: Any):
    with pytest.raises(FileNotFoundError, match="no_such_model: no such folder"):
        annotate_dataset("no_such_model", ray.data.from_items([{"text": "Ann"}]))


def test_ray_on_this_machine_listens_to_this_machine_and_outlives_those_who_share_it(ray: Any):
    with connected(LOCAL):
        assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]
    assert ray.is_initialized()
