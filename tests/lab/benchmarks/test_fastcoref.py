"""What can be tested without fastcoref, which the laboratory doesn't install."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin

from lab.benchmarks import fastcoref
from spacy_span_selector.annotation import set_clusters


def test_documents_are_written_without_singletons_and_with_inclusive_ends(tmp_path: Path) -> None:
    doc = spacy.blank("en")("Ann saw the old man . He waved .")
    set_clusters(doc, [[(0, 1)], [(2, 5), (6, 7)]])
    DocBin(docs=[doc, spacy.blank("en")("")]).to_disk(tmp_path / "data.spacy")
    assert fastcoref.write_documents(tmp_path / "data.spacy", tmp_path / "data.jsonl") == 1
    written = [json.loads(line) for line in (tmp_path / "data.jsonl").read_text().splitlines()]
    assert written == [{"tokens": [token.text for token in doc], "clusters": [[[2, 4], [6, 6]]]}]


def test_without_a_trained_model_it_asks_what_to_train_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fastcoref, "find_spec", lambda name: object())
    with pytest.raises(ValueError, match="--encoder, --train and --dev"):
        fastcoref.main(tmp_path, tmp_path, tmp_path)
