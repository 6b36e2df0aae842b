from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import Argument, Frame, get_clusters, get_frames
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


@pytest.fixture
def ewt(tmp_path: Path) -> Path:
    """PropBank EWT as it is laid out, with one sentence in each part."""
    source = tmp_path / "ewt"
    words, skeletons = source / "UD_English-EWT", source / "propbank-release/data/google/ewt/email/00"
    words.mkdir(parents=True)
    skeletons.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        cells = [("Ann", "NNP", "(NP*)", "-", "(ARG0*)"), ("gave", "VBD", "(VP*", "give.01", "(V*)")]
        cells += [("up", "RP", "*)", "-", "(C-V*)")]
        rows = [f"{i}\t{cell[0]}\t_\t_\t{cell[1]}\t_\t_\t_\t_\t_" for i, cell in enumerate(cells, start=1)]
        lines = [f"# newdoc id = email-{split}", *rows, "", ""]
        (words / f"en_ewt-ud-{split}.conllu").write_text("\n".join(lines))
        rows = [" ".join(["f 0", str(i), "[WORD]", *cell[1:3], "-", *cell[3:]]) for i, cell in enumerate(cells)]
        (skeletons / f"{split}.xml.gold_skel").write_text("\n".join(rows))
    return source


def test_ewt_writes_its_three_parts(ewt: Path, tmp_path: Path):
    result = run("convert", "ewt", ewt, tmp_path / "new/corpus")
    assert result.exit_code == 0, result.output
    for split in ("train", "dev", "test"):
        (doc,) = load(tmp_path / f"new/corpus/{split}.spacy")
        assert doc.user_data["title"] == f"email/{split}"
        assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "C-V")], "give.01")]
        assert [span.label_ for span in doc.spans["constituents"]] == ["NP", "VP"]
        assert [token.tag_ for token in doc] == ["NNP", "VBD", "RP"]
    assert "train.spacy: 1 documents, 3 tokens, 1 predicates, 1 arguments\n" in result.output


def test_ewt_reports_what_is_missing_and_writes_nothing(ewt: Path, tmp_path: Path):
    (ewt / "UD_English-EWT/en_ewt-ud-test.conllu").unlink()
    result = run("convert", "ewt", ewt, tmp_path / "corpus")
    assert result.exit_code == 1
    assert "en_ewt-ud-test.conllu: no such file" in " ".join(result.output.split())
    assert not (tmp_path / "corpus").exists()


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


def write_conll2012(path: Path) -> None:
    rows = [
        "tale 0 0 Ann NNP (S(NP*) - - - Leo * (ARG0*) (0)",
        "tale 0 1 left VBD (VP*)) leave 01 - Leo * (V*) -",
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#begin document (tale); part 000", *rows, "#end document", ""]), encoding="utf-8")


def test_conll2012_keeps_every_layer(tmp_path: Path):
    write_conll2012(tmp_path / "nw/00/tale.v4_gold_conll")
    result = run("convert", "conll2012", tmp_path, tmp_path / "new/tale.spacy")
    assert result.exit_code == 0, result.output
    (doc,) = load(tmp_path / "new/tale.spacy")
    assert doc.user_data["title"] == "tale_0"
    assert get_clusters(doc) == [[(0, 1)]]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")]
    assert [span.label_ for span in doc.spans["constituents"]] == ["S", "NP", "VP"]
    assert [turn.label_ for turn in doc.spans["speakers"]] == ["Leo"]


def test_conll2012_reports_missing_files_and_what_it_cannot_write(tmp_path: Path):
    write_conll2012(tmp_path / "tale.gold_conll")
    (tmp_path / "empty").mkdir()
    for arguments, message in (
        ([tmp_path / "empty", tmp_path / "a.spacy"], "ends in 'gold_conll'"),
        ([tmp_path, tmp_path / "a.txt"], "must end in .spacy"),
    ):
        result = run("convert", "conll2012", *arguments)
        assert result.exit_code == 1
        assert message in " ".join(result.output.split())


@pytest.fixture
def props(tmp_path: Path) -> list[Path]:
    """A words file and a props file of one sentence."""
    (tmp_path / "a.words").write_text("Ann\nleft\n\n", encoding="utf-8")
    (tmp_path / "a.props").write_text("- (A0*)\nleave (V*)\n\n", encoding="utf-8")
    return [tmp_path / "a.words", tmp_path / "a.props"]


def test_props_keeps_words_and_frames(props: list[Path], tmp_path: Path):
    result = run("convert", "props", *props, tmp_path / "new/a.spacy")
    assert result.exit_code == 0, result.output
    (doc,) = load(tmp_path / "new/a.spacy")
    assert [token.text for token in doc] == ["Ann", "left"]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")])]


def test_props_reports_the_place_of_an_error_and_what_it_cannot_write(props: list[Path], tmp_path: Path):
    swapped = run("convert", "props", *reversed(props), tmp_path / "a.spacy")
    misnamed = run("convert", "props", *props, tmp_path / "a.txt")
    assert (swapped.exit_code, misnamed.exit_code) == (1, 1)
    assert "a.props:1: found 2 words" in " ".join(swapped.output.split())
    assert "must end in .spacy" in misnamed.output
    assert not (tmp_path / "a.spacy").exists()
