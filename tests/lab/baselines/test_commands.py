import subprocess
import sys
from pathlib import Path

import spacy
from spacy.tokens import DocBin

from spacy_span_selector.annotation import set_constituents
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from ...commands import success

ROOT = Path(__file__).parents[3]
CODE = ["--code", "lab/baselines/__init__.py"]


def test_both_baselines_train_by_one_command_on_any_config(tmp_path: Path) -> None:
    """Neither the command nor the config knows them; the process starts anew, as that of a user does."""
    nlp = spacy.blank("en")
    docs = parse_bracketed((ROOT / "assets/demo/dev.txt").read_text(encoding="utf-8"), nlp)[:2]
    for doc in docs:
        set_constituents(doc, [(sentence.start, sentence.end, "S") for sentence in doc.sents])
    data = tmp_path / "data.spacy"
    DocBin(docs=docs).to_disk(data)
    command = [sys.executable, "-m", "spacy", "train", "configs/demo/joint.cfg", *CODE, "--output", str(tmp_path)]
    command += ["--paths.train", str(data), "--paths.dev", str(data), "--training.max_steps", "1"]
    command += ["--components.structured_coref.model.selector.@misc", "lab.MultitaskSelector.v1"]
    command += ["--components.structured_srl.model.@architectures", "lab.BioModel.v1"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "CEAF-phi4" in success("evaluate", tmp_path / "model-last", data, "--code", ROOT / CODE[1])
