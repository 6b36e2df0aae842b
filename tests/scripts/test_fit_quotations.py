from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import spacy
from spacy.tokens import DocBin

from spacy_span_selector.annotation import Quotation, set_clusters, set_quotations
from spacy_span_selector.language import QUOTATION_WEIGHTS, SPEECH_VERBS

SCRIPT = Path(__file__).parents[2] / "scripts/fit_quotations.py"
TEXTS = ("Ann saw Leo. “Go,” said Tom.", "Tom met Leo. “Stay,” said Ann.", "Leo met Ann. “Come,” said Tom.")


def test_weights_are_learnt_and_other_tables_kept(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    docs = [nlp(text) for text in TEXTS]
    for doc in docs:
        set_clusters(doc, [[(0, 1)], [(2, 3)], [(9, 10)]])
        set_quotations(doc, [Quotation(4, 8, speaker=(9, 10))])
    corpus, table = tmp_path / "train.spacy", tmp_path / "xx.json"
    DocBin(docs=docs).to_disk(corpus)
    other = {"said": "say"}
    table.write_text(json.dumps({SPEECH_VERBS: other, QUOTATION_WEIGHTS: {"old": 1.0}}), encoding="utf-8")
    command = [sys.executable, *map(str, (SCRIPT, corpus, "--table", table))]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    tables = json.loads(table.read_text(encoding="utf-8"))
    weights = tables[QUOTATION_WEIGHTS]
    assert result.stdout == f"3 documents, {len(weights)} weights: {table}\n"
    assert tables[SPEECH_VERBS] == other
    assert "old" not in weights
    assert weights["is name vX"] > 0 > weights["is name -"]
