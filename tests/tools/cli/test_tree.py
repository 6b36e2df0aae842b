from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Example
from typer.testing import CliRunner, Result

from spacy_span_selector.tools.cli import app
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

CORPUS = """
=== the boat
[Ann|ann] saw [the boat of [her|ann] brother|boat].
[She|ann] liked [it|boat].
> [ARG0 She] [V liked] [ARG1 it].
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained pipeline with both components."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref")
    nlp.add_pipe("structured_srl")
    docs = parse_bracketed(CORPUS, nlp)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    path = tmp_path_factory.mktemp("model") / "pipeline"
    nlp.to_disk(path)
    return path


def draw(model: Path, text: object, page: Path, *options: object) -> str:
    result = invoke(model, text, page, *options)
    assert result.exit_code == 0, result.output
    return page.read_text(encoding="utf-8")


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["tree", *map(str, arguments)])


def test_each_sentence_has_a_tree_for_each_component(model: Path, tmp_path: Path):
    page = draw(model, "He left. She stayed.", tmp_path / "new/page.html")
    assert page.count("<h2>") == 2
    assert page.count("<h3>structured_coref</h3>") == page.count("<h3>structured_srl</h3>") == 2


def test_a_text_file_is_read(model: Path, tmp_path: Path):
    (tmp_path / "text.txt").write_text("He left\nthe house.\n", encoding="utf-8")
    assert ">house</text>" in draw(model, tmp_path / "text.txt", tmp_path / "page.html")


def test_words_of_a_spacy_file_are_given(model: Path, tmp_path: Path):
    nlp = spacy.blank("en")
    doc = spacy.tokens.Doc(nlp.vocab, words=["He", "did", "not-leave", "."], sent_starts=[True, False, False, False])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    assert ">not-leave</text>" in draw(model, tmp_path / "docs.spacy", tmp_path / "page.html")


def test_no_more_sentences_than_asked_for(model: Path, tmp_path: Path):
    assert draw(model, "He left. She stayed.", tmp_path / "page.html", "--limit", 1).count("<h2>") == 1


def test_a_pipeline_without_a_selector_is_an_error(tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model", "He left.", tmp_path / "page.html")
    assert result.exit_code == 1
    assert "has no structured_coref and no structured_spancat and no structured_srl, but sentencizer." in " ".join(
        result.output.split()
    )


def test_selectors_whose_spans_cross_have_no_tree(tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    selector = {"@misc": "spacy_span_selector.SigmoidSelector.v1"}
    nlp.add_pipe("structured_coref", config={"model": {"selector": selector}})
    docs = parse_bracketed(CORPUS, nlp)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model", "He left.", tmp_path / "page.html")
    assert result.exit_code == 1
    assert "may cross" in " ".join(result.output.split())


def test_nothing_to_draw_is_an_error(model: Path, tmp_path: Path):
    result = invoke(model, " ", tmp_path / "page.html")
    assert result.exit_code == 1
    assert "no text to draw: ' '" in " ".join(result.output.split())


def test_an_empty_text_file_is_named(model: Path, tmp_path: Path):
    (tmp_path / "empty.txt").write_text("\n")
    result = invoke(model, tmp_path / "empty.txt", tmp_path / "page.html")
    assert result.exit_code == 1
    assert f"no text to draw: {tmp_path / 'empty.txt'} is empty" in " ".join(result.output.split())


@pytest.mark.parametrize("name", ["missing.conll", "folder/missing", "missing.txt"])
def test_a_word_that_looks_like_a_file_is_no_text(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.chdir(tmp_path)
    result = invoke(model, name, tmp_path / "page.html")
    assert result.exit_code == 1
    assert f"{name}: no such file. Expected a text" in " ".join(result.output.split())


def test_a_folder_is_no_text(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    result = invoke(model, "folder", "page.html")
    assert result.exit_code == 1
    assert "folder: a folder. Expected a text" in " ".join(result.output.split())


def test_a_missing_text_file_is_no_text(model: Path, tmp_path: Path):
    result = invoke(model, tmp_path / "missing.txt", tmp_path / "page.html")
    assert result.exit_code == 1
    assert "missing.txt: no such file" in " ".join(result.output.split())


def test_a_text_file_in_another_encoding_is_named(model: Path, tmp_path: Path):
    (tmp_path / "latin.txt").write_bytes("Zoë left.".encode("latin-1"))
    result = invoke(model, tmp_path / "latin.txt", tmp_path / "page.html")
    assert result.exit_code == 1
    assert "latin.txt: byte 2 is not UTF-8. Save the file as UTF-8" in " ".join(result.output.split())
