from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import get_clusters
from spacy_span_selector.cli import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def load(path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


@pytest.fixture
def litbank(tmp_path: Path) -> Path:
    """A copy of LitBank's layout with four documents of one sentence, two of them in training."""
    source = tmp_path / "litbank"
    conll, ids = source / "coref/conll", source / "lrec2020-coref/data/litbank_tenfold_splits/2"
    conll.mkdir(parents=True)
    ids.mkdir(parents=True)
    for split, names in {"train": ["a", "b"], "dev": ["c"], "test": ["d"]}.items():
        (ids / f"{split}.ids").write_text("".join(f"{name}.tsv\n" for name in names))
        for name in names:
            rows = [
                "\t".join([name, "0", str(i), word, *["_"] * 8, cell])
                for i, (word, cell) in enumerate([("Ann", "(0)"), ("saw", ""), ("herself", "(0)")])
            ]
            lines = [f"#begin document ({name}); part 0", *rows, "", "#end document", ""]
            (conll / f"{name}.conll").write_text("\n".join(lines))
    return source


def test_litbank_writes_the_three_parts_of_a_fold(litbank: Path, tmp_path: Path):
    result = run("convert", "litbank", litbank, tmp_path / "new/corpus", "--fold", 2)
    assert result.exit_code == 0
    titles = {
        split: [doc.user_data["title"] for doc in load(tmp_path / f"new/corpus/{split}.spacy")]
        for split in ("train", "dev", "test")
    }
    assert titles == {"train": ["a", "b"], "dev": ["c"], "test": ["d"]}
    assert "train.spacy: 2 documents, 6 tokens, 4 mentions, 2 clusters\n" in result.output


def test_litbank_documents_keep_gold_words_clusters_and_names(litbank: Path, tmp_path: Path):
    run("convert", "litbank", litbank, tmp_path, "--fold", 2)
    (doc,) = load(tmp_path / "dev.spacy")
    assert doc.has_unknown_spaces
    assert get_clusters(doc) == [[(0, 1), (2, 3)]]
    assert doc.spans["coref_clusters_1"].attrs["name"] == "0"


def test_litbank_fold_out_of_range(litbank: Path, tmp_path: Path):
    result = run("convert", "litbank", litbank, tmp_path, "--fold", 10)
    assert result.exit_code == 1
    assert "expected a number from 0 to 9" in result.output


def test_litbank_document_that_is_missing(litbank: Path, tmp_path: Path):
    (litbank / "coref/conll/c.conll").unlink()
    result = run("convert", "litbank", litbank, tmp_path, "--fold", 2)
    assert result.exit_code == 1
    assert "c.conll" in result.output


def test_bracketed_joins_files_in_one_doc_bin(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"=== {name}\n@Ann: [I|ann] like [my|ann] [tea].\n", encoding="utf-8")
    result = run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "new/c.spacy")
    assert result.exit_code == 0
    assert "c.spacy: 2 documents, 10 tokens, 6 mentions, 4 clusters\n" in result.output
    docs = load(tmp_path / "new/c.spacy")
    assert [doc.user_data["title"] for doc in docs] == ["a", "b"]
    assert [turn.label_ for turn in docs[0].spans["speakers"]] == ["Ann"]


def test_bracketed_uses_the_tokenizer_of_the_language(tmp_path: Path):
    (tmp_path / "a.txt").write_text("L'[ami].", encoding="utf-8")
    assert run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy").exit_code == 1
    assert run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy", "--lang", "fr").exit_code == 0


def test_bracketed_needs_a_file_to_write(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann", encoding="utf-8")
    for arguments in ([tmp_path / "a.txt"], [tmp_path / "a.txt", tmp_path / "b.txt"], [tmp_path / "c.spacy"]):
        result = run("convert", "bracketed", *arguments)
        assert result.exit_code == 1
        assert "must end in .spacy" in result.output


def test_bracketed_reports_place_of_an_error(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann\n[Bob", encoding="utf-8")
    result = run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy")
    assert result.exit_code == 1
    assert "a.txt:2:1:" in result.output
    assert not (tmp_path / "a.spacy").exists()


def test_bracketed_reports_missing_files_and_unknown_languages(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann", encoding="utf-8")
    missing = run("convert", "bracketed", tmp_path / "b.txt", tmp_path / "b.spacy")
    unknown = run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy", "--lang", "qq")
    assert (missing.exit_code, unknown.exit_code) == (1, 1)
    assert "b.txt" in missing.output
    assert "qq" in unknown.output
