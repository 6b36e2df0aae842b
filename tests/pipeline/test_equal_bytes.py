"""Equal pipelines are equal on the disk: Python orders sets of strings in another way in each process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from spacy_span_selector.files.fingerprints import file_digest

PROGRAM = """
import sys, spacy, torch
from spacy.training import Example
from thinc.api import fix_random_seed
from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.pipeline.word_sentencizer import WordSentencizer

fix_random_seed(0)
nlp = spacy.blank("xx")
for name in ("word_sentencizer", "structured_coref", "structured_srl"):
    nlp.add_pipe(name)
docs = parse_bracketed(
    "[Ann|ann] saw [the boat of [her|ann] brother|boat].\\n[She|ann] liked [it|boat].\\n"
    "> [ARG0 She] [V=like.01 liked] [ARG1 it].\\n",
    nlp,
)
nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
nlp.to_disk(sys.argv[1])
print(nlp.to_bytes().hex())
"""


def save(path: Path, seed: int) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_equal_pipelines_have_equal_bytes_in_every_process(tmp_path: Path) -> None:
    first, second = save(tmp_path / "first", 1), save(tmp_path / "second", 2)
    files = sorted(path.relative_to(tmp_path / "first") for path in (tmp_path / "first").rglob("*") if path.is_file())
    assert Path("word_sentencizer.json") in files and Path("structured_srl/cfg") in files
    differing = [
        name for name in files if file_digest(tmp_path / "first" / name) != file_digest(tmp_path / "second" / name)
    ]
    assert not differing
    assert first == second
