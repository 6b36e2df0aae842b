"""The commands that build `en_span_selector_md`, on a shortened schedule, a tiny encoder and two texts."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import spacy
import srsly
from spacy.cli import app as spacy_app
from spacy.tokens import DocBin
from typer.testing import CliRunner
from weasel.util.config import parse_config_overrides

from spacy_span_selector.tools.cli import app
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from .test_project import load_project
from .tiny_bert import tiny_bert

ROOT = Path(__file__).parents[1]
FICTION = """
[Tom|tom] gave [[his|tom] sister|ann] a key.
[] [PER Tom] gave [PER his sister] a key.
[She|ann] took a walk in [Rome].
[] [PER She] took a walk in [GPE Rome].
"""
WEB = """
Tom gave his sister a key.
> [ARG0 Tom] [V=give.01 gave] [ARG2 his sister] [ARG1 a key].
"""
FREE = "Tom took her key."
EXCHANGED = ("exchanged/litbank0", "exchanged/genres")
CORPORA = {
    FICTION: ("litbank0/train", "litbank0/dev", "litbank0/test", "genres/train", "ontogum/test", *EXCHANGED),
    WEB: ("ewt/train", "ewt/dev", "ewt/test"),
    FREE: ("free0/gap",),
}
ROLESET = {"name": "transfer", "words": ["give"], "roles": {"ARG0": {"description": "giver", "tag": "PAG"}}}


def commands_of_md(**variables: Any) -> list[str]:
    """The commands that `spacy project run build-md` runs, other values of variables being given."""
    scripts = {command["name"]: command["script"] for command in load_project()["commands"]}
    (command,) = scripts["build-md"]
    stated = parse_config_overrides(command.partition(" pipelines ")[2].split())
    stated = {name.removeprefix("vars."): value for name, value in stated.items()}
    project = load_project(ROOT / "pipelines/project.yml", **{**stated, **variables})
    scripts = {command["name"]: command["script"] for command in project["commands"]}
    return [line for name in project["workflows"]["all"] for line in scripts[name]]


def run(line: str) -> None:
    """Run a command, one of spaCy in this process."""
    _, *words = shlex.split(line)
    if words[:2] == ["-m", "spacy"]:
        ours = words[2] == "span-selector"
        result = CliRunner().invoke(*((app, words[3:]) if ours else (spacy_app, words[2:])))
        assert result.exit_code == 0, f"{line}\n{result.output}\n{result.exception!r}"
    else:
        subprocess.run([sys.executable, *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the project in `pipelines/`, and all that its commands read beside it."""
    for name in ("pipelines", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.whl"))
    (tmp_path / "encoders").mkdir()
    tiny_bert(tmp_path / "encoders/mpnet", layers=12)
    for text, names in CORPORA.items():
        docs = parse_bracketed(text, spacy.blank("en"))
        for name in names:
            (path := tmp_path / "corpus" / f"{name}.spacy").parent.mkdir(parents=True, exist_ok=True)
            DocBin(docs=docs, store_user_data=True).to_disk(path)
    (tmp_path / "corpus/frames").mkdir()
    (tmp_path / "corpus/frames/lexicon.json").write_text(json.dumps({"give.01": ROLESET}), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_larger_pipeline_is_trained_scored_and_packaged(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the narrower layers: they are fitted to what is found, and after two updates that is nothing."""
    monkeypatch.chdir(project / "pipelines")
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # so that nothing is downloaded
    for line in commands_of_md(steps=2, taught_steps=2):
        run(line.replace("--hidden-width 192", ""))
    with ZipFile(project / "pipelines/en_span_selector_md-0.3.0-py3-none-any.whl") as wheel:
        wheel.extractall(project / "wheel")
    package = project / "wheel/en_span_selector_md"
    nlp = spacy.load(package / "en_span_selector_md-0.3.0")
    settings = nlp.get_pipe_config("transformer")["model"]["transformer_config"]
    assert settings["num_hidden_layers"] == 6
    meta = srsly.read_json(package / "meta.json")
    assert {"coref_f", "ontogum_coref_f", "srl_f", "raw_srl_f", "spans_sc_f"} <= meta["performance"].keys()
    assert any(source["name"].startswith("all-mpnet") for source in meta["sources"])
    assert nlp.get_pipe_config("structured_srl")["learn_rate_factor"] == 20
