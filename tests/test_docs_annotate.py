"""The commands of docs/annotate.md and docs/scale.md run, and their tables, examples and numbers are right."""

import gzip
import re
import shlex
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.formats import HTML, JSONL, output_formats
from spacy_span_selector.tools.annotate.run import Backend, in_this_process

from .commands import run, success
from .tools.annotate.conftest import write_table  # what it imports registers what the pipeline is made of
from .untrained import pipeline_of

DOCS = Path(__file__).parent.parent / "docs"
ANNOTATE, SCALE = ((DOCS / name).read_text(encoding="utf-8") for name in ("annotate.md", "scale.md"))
COMMAND = "python -m spacy span-selector "
PIPED = '{"key": 7, "body": "Ann left."}\n'


def commands(text: str) -> list[str]:
    blocks = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if COMMAND in line]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pipeline_of("xx", "sentencizer", "rules_of_tests").to_disk("my_pipeline")
    for name in ("novels/emma.txt", "letters/to/eve.txt"):
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text("Ann saw Bob. Ann left.")
    Path("more.txt.gz").write_bytes(gzip.compress(b"Eve saw Ann."))
    Path("dump.jsonl").write_text(PIPED)
    return tmp_path


@pytest.mark.parametrize("command", commands(ANNOTATE))
def test_commands_run(command: str):
    if "parquet" in command:
        write_table(Path("table.parquet"), {"text": ["Ann left."]})
    if "drafts/part-*" in command:
        run("annotate", "my_pipeline", "novels", "drafts", "--format", "bracketed")
        command = command.replace("drafts/part-*.txt", "drafts/part-00000.txt")
    arguments = shlex.split(command.partition(COMMAND)[2].partition(" > ")[0])
    result = run(*arguments, stdin=PIPED)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("command", commands(SCALE))
def test_commands_with_ray_run(command: str, monkeypatch: pytest.MonkeyPatch):
    """Without Ray: who annotates is all that it changes."""
    found = {}

    def in_ray(address: str, *, workers: int | None, num_gpus: float) -> Backend:
        found.update(address=address, num_gpus=num_gpus)
        return in_this_process

    monkeypatch.setattr("spacy_span_selector.tools.annotate.on_ray.in_ray", in_ray)
    arguments = shlex.split(command.partition(COMMAND)[2].replace("/shared/", ""))
    success(*arguments)
    assert found["address"] in ("local", "auto", "10.0.0.1:6379")
    assert found["num_gpus"] == (float(arguments[-1]) if "--num-gpus" in arguments else 0)


def test_the_example_in_python_runs(capsys: pytest.CaptureFixture[str]):
    """In this process: another one would not know the component of the pipeline."""
    (code,) = re.findall(r"```python\n(.*?)```", ANNOTATE, re.DOTALL)
    assert "backend=in_processes(2)" in code
    exec(code.replace(", backend=in_processes(2)", ""), {"__name__": "__main__"})
    assert capsys.readouterr().out == "1 0\n"


def test_the_example_of_a_dataset_runs(monkeypatch: pytest.MonkeyPatch):
    """With a twin of Ray that reads, annotates and writes nothing."""
    ray = MagicMock()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.data", ray.data)
    (code,) = re.findall(r"```python\n(.*?)```", SCALE, re.DOTALL)
    exec(code.replace("/shared/", ""), {})
    (call,) = ray.data.read_parquet().repartition().map_batches.call_args_list
    job, _, text_column, id_column = call.kwargs["fn_constructor_args"]
    assert (text_column, id_column, job.gpu_id, call.kwargs["num_gpus"]) == ("body", "key", 0, 1)


def test_tables_name_all_formats_and_their_files_and_commands_are_found():
    assert (len(commands(ANNOTATE)), len(commands(SCALE))) >= (8, 5)
    rows = dict(re.findall(r"^\| `([\w-]+)` \| `part-00000\.(\w+)` \|", ANNOTATE, re.MULTILINE))
    assert rows == {name: format_.suffixes[0].removeprefix(".") for name, format_ in output_formats().items()}


def test_numbers_are_those_of_the_code():
    assert f"{Job(model='').batch_words:,} by default" in ANNOTATE
    assert f"about {JSONL.part_words:,} words, a page {HTML.part_words:,}" in ANNOTATE
