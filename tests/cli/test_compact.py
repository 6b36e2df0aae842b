from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.training import Example
from typer.testing import CliRunner, Result

from spacy_span_selector.cli import app
from spacy_span_selector.corpora.bracketed import parse_bracketed

CORPUS = """
[Ann|ann] saw [the boat of [her|ann] brother|boat].
[She|ann] liked [it|boat].
> [ARG0 She] [V liked] [ARG1 it].
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained pipeline with both components."""
    nlp = spacy.blank("en")
    for name in ("sentencizer", "structured_coref", "structured_srl"):
        nlp.add_pipe(name)
    docs = parse_bracketed(CORPUS, nlp)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    path = tmp_path_factory.mktemp("model") / "pipeline"
    nlp.to_disk(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compact", *map(str, arguments)])


def head_size(path: Path) -> int:
    return (path / "structured_srl" / "model").stat().st_size


def test_a_copy_takes_less_space_and_can_be_loaded(model: Path, tmp_path: Path) -> None:
    result = run(model, tmp_path / "deep" / "small")
    assert result.exit_code == 0, result.output
    assert "MB" in result.output
    assert head_size(tmp_path / "deep" / "small") < head_size(model)
    text = "Ann saw the boat of her brother. She liked it."
    assert len(spacy.load(tmp_path / "deep" / "small")(text)) == len(spacy.load(model)(text))
    assert not [path for path in (tmp_path / "deep").iterdir() if path.name != "small"]


def test_what_exists_is_not_replaced(model: Path, tmp_path: Path) -> None:
    result = run(model, tmp_path)
    assert result.exit_code == 1
    assert "exists. Name a folder that does not" in " ".join(result.output.split())


def test_what_exists_is_replaced_by_force(model: Path, tmp_path: Path) -> None:
    (tmp_path / "small" / "old").mkdir(parents=True)
    assert run(model, tmp_path / "small", "--force").exit_code == 0
    assert not (tmp_path / "small" / "old").exists()
    spacy.load(tmp_path / "small")


def test_another_kind_of_weights_is_an_error(model: Path, tmp_path: Path) -> None:
    result = run(model, tmp_path / "small", "--weights", "int4")
    assert result.exit_code == 1
    assert "can't be stored as 'int4'" in result.output
    assert not (tmp_path / "small").exists()
