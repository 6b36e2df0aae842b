"""The commands of docs/annotate.md run, and its tables and its example are right."""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_span_selector.tools.annotate.formats import HTML, JSONL, output_formats
from spacy_span_selector.tools.annotate.pipelines import Job
from spacy_span_selector.tools.cli import app

TEXT = (Path(__file__).parent.parent / "docs/annotate.md").read_text(encoding="utf-8")
COMMAND = "python -m spacy span-selector "
PIPED = '{"key": 7, "body": "Ann left."}\n'


def commands() -> list[str]:
    blocks = re.findall(r"```bash\n(.*?)```", TEXT, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if COMMAND in line]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("rules_of_tests")
    nlp.to_disk("my_pipeline")
    for name in ("novels/emma.txt", "letters/to/eve.txt"):
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text("Ann saw Bob. Ann left.")
    Path("more.txt.gz").write_bytes(gzip.compress(b"Eve saw Ann."))
    Path("dump.jsonl").write_text(PIPED)
    return tmp_path


def test_commands_are_found():
    assert len(commands()) >= 8


@pytest.mark.parametrize("command", commands())
def test_commands_run(folder: Path, command: str):
    if "parquet" in command:
        pyarrow = pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"text": ["Ann left."]}), "table.parquet")
    if "drafts/part-*" in command:
        CliRunner().invoke(app, ["annotate", "my_pipeline", "novels", "drafts", "--format", "bracketed"])
        command = command.replace("drafts/part-*.txt", "drafts/part-00000.txt")
    arguments = shlex.split(command.partition(COMMAND)[2].partition(" > ")[0])
    result = CliRunner().invoke(app, arguments, input=PIPED)
    assert result.exit_code == 0, result.output


def test_the_example_in_python_runs(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """In this process: another one would not know the component of the pipeline."""
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert "backend=in_processes(2)" in code
    exec(code.replace(", backend=in_processes(2)", ""), {"__name__": "__main__"})
    assert capsys.readouterr().out == "1 0\n"


def test_tables_name_all_formats_and_their_files():
    rows = dict(re.findall(r"^\| `([\w-]+)` \| `part-00000\.(\w+)` \|", TEXT, re.MULTILINE))
    assert rows == {name: format_.suffix for name, format_ in output_formats().items()}


def test_numbers_are_those_of_the_code():
    assert f"{Job(model='').batch_words:,} by default" in TEXT
    assert f"about {JSONL.part_words:,} words, a page {HTML.part_words:,}" in TEXT
