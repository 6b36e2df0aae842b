"""The demo from the shell, as a user runs it, with a few steps of training."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project after `spacy project run all`."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "project.yml", folder)
    for name in ("assets", "configs"):
        shutil.copytree(ROOT / name, folder / name)
    run_spacy(folder, "project", "run", "all", ".", "--vars.demo_steps", "50")
    return folder


def run_spacy(folder: Path, *arguments: object) -> str:
    command = [sys.executable, "-m", "spacy", *map(str, arguments)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.slow
def test_demo_learns_to_find_mentions(project: Path):
    assert srsly.read_json(project / "metrics/demo.json")["coref_ment_f"] > 0.3


@pytest.mark.slow
def test_demo_shows_every_test_text(project: Path):
    page = (project / "output/demo.html").read_text(encoding="utf-8")
    assert page.count("<article>") == (project / "assets/demo/test.txt").read_text(encoding="utf-8").count("=== ")


@pytest.mark.slow
def test_spacy_evaluate_gives_the_same_scores(project: Path):
    run_spacy(project, "evaluate", "training/demo/model-best", "corpus/demo/test.spacy", "--output", "spacy.json")
    ours, spacys = srsly.read_json(project / "metrics/demo.json"), srsly.read_json(project / "spacy.json")
    assert {**ours, "speed": 0} == {**spacys, "speed": 0}
