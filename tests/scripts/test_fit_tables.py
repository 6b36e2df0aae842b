import json
import runpy
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin

from spacy_span_selector.annotation import Quotation, set_clusters, set_quotations
from spacy_span_selector.language import ENTITY_TYPES, QUOTATION_WEIGHTS, SPEECH_VERBS

fit = runpy.run_path(str(Path(__file__).parents[2] / "scripts/fit_tables.py"))["main"]
TEXTS = ("Ann saw Leo. “Go,” said Tom.", "Tom met Leo. “Stay,” said Ann.", "Leo met Ann. “Come,” said Tom.")


def test_who_speaks_is_learnt_and_other_tables_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    fit(["quotations", str(corpus), "--table", str(table)])
    tables = json.loads(table.read_text(encoding="utf-8"))
    weights = tables[QUOTATION_WEIGHTS]
    assert capsys.readouterr().out == f"3 documents, {len(weights)} entries of {QUOTATION_WEIGHTS}: {table}\n"
    assert tables[SPEECH_VERBS] == other
    assert "old" not in weights
    assert weights["is name vX"] > 0 > weights["is name -"]


def test_the_types_of_entities_are_learnt(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    docs = [nlp(text) for text in ("Ann said she left.", "Tom said he left.", "The rock said it left.") * 20]
    for doc in docs:
        set_clusters(doc, [[(0, len(doc) - 4), (len(doc) - 3, len(doc) - 2)]])
    corpus, table = tmp_path / "train.spacy", tmp_path / "xx.json"
    DocBin(docs=docs).to_disk(corpus)
    table.write_text("{}", encoding="utf-8")
    fit(["entity_types", str(corpus), "--table", str(table)])
    types = json.loads(table.read_text(encoding="utf-8"))[ENTITY_TYPES]
    likeliest = {row: max(range(4), key=types[row].__getitem__) for row in types}
    assert likeliest["3 singular male"] == 0 and likeliest["3 singular female"] == 1
    assert likeliest["3 singular neuter"] == likeliest["noun"] == 2
    assert types["name"][0] == types["name"][1] > types["name"][2]
