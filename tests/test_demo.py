"""The demo from the shell, as a user runs it, with a few steps of training."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import srsly

ROOT = Path(__file__).parents[1]


def run_spacy(*arguments: object) -> str:
    command = [sys.executable, "-m", "spacy", *map(str, arguments)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, env=os.environ)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.slow
def test_convert_train_evaluate_render(tmp_path: Path):
    for split in ("train", "dev", "test"):
        text = ROOT / f"assets/demo/{split}.txt"
        run_spacy("span-selector", "convert", "bracketed", text, tmp_path / f"{split}.spacy")
    paths = ["--paths.train", tmp_path / "train.spacy", "--paths.dev", tmp_path / "dev.spacy"]
    steps = ["--training.max_steps", 30, "--training.eval_frequency", 15]
    run_spacy("train", ROOT / "configs/demo/coref.cfg", "--output", tmp_path / "model", *paths, *steps)

    model = tmp_path / "model/model-best"
    table = run_spacy("span-selector", "evaluate", model, tmp_path / "test.spacy", "--output", tmp_path / "scores.json")
    assert "CEAF-phi4" in table
    run_spacy("evaluate", model, tmp_path / "test.spacy", "--output", tmp_path / "spacy.json")
    ours, spacys = srsly.read_json(tmp_path / "scores.json"), srsly.read_json(tmp_path / "spacy.json")
    assert {**ours, "speed": 0} == {**spacys, "speed": 0}
    assert ours["coref_ment_f"] > 0.2

    page = tmp_path / "page.html"
    assert str(page) in run_spacy(
        "span-selector", "render", ROOT / "assets/demo/test.txt", page, "--model", model, "--limit", 2
    )
    assert page.read_text(encoding="utf-8").count("<article>") == 2
