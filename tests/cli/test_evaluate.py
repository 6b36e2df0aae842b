from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import DocBin
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import set_clusters
from spacy_span_selector.cli import app
from spacy_span_selector.scorers import score_coref


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A pipeline with an untrained component: what it finds is of no use, but it can be scored."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref", config={"model": {"hidden_width": 8, "linker_width": 8}})
    doc = nlp.make_doc("Ann left. She slept.")
    set_clusters(doc, [[(0, 1), (3, 4)]])
    nlp.initialize(lambda: [spacy.training.Example(nlp.make_doc(doc.text), doc)])
    nlp.to_disk(tmp_path / "model")
    DocBin(docs=[doc]).to_disk(tmp_path / "gold.spacy")
    DocBin(docs=[nlp.make_doc("Nobody has annotated this.")]).to_disk(tmp_path / "bare.spacy")
    return tmp_path / "model"


def test_table_and_file_hold_every_score(model: Path, tmp_path: Path):
    result = run(model, tmp_path / "gold.spacy", "--output", tmp_path / "new/scores.json")
    assert result.exit_code == 0, result.output
    scores = srsly.read_json(tmp_path / "new/scores.json")
    assert set(score_coref([])) <= set(scores)
    lines = [line.split() for line in result.output.splitlines()]
    parts = [f"{100 * scores[f'coref_lea_{part}']:.1f}" for part in "prf"]
    assert ["LEA", *parts] in lines


@pytest.mark.parametrize(
    ("name", "message"), [("none.spacy", "no such file"), ("bare.spacy", "no coreference annotation")]
)
def test_data_that_cannot_be_scored(model: Path, tmp_path: Path, name: str, message: str):
    result = run(model, tmp_path / name)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())


def test_missing_model(model: Path, tmp_path: Path):
    result = run(tmp_path / "nowhere", tmp_path / "gold.spacy")
    assert result.exit_code == 1
    assert "nowhere" in result.output
