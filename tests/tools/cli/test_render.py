from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames
from spacy_span_selector.tools.cli import app

TEXT = "=== one\n@Ann: [I|ann] like [my|ann] tea.\n\n=== two\n[Bob|bob] left [a house]. [He|bob] ran.\n"


@Language.component("render_test_first_and_last")
def link_first_and_last(doc: Doc) -> Doc:
    """Link the first token and the last, in documents that come without annotation but with sentences."""
    if not doc.spans.get("coref_clusters_1") and doc.has_annotation("SENT_START"):
        set_clusters(doc, [[(0, 1), (len(doc) - 1, len(doc))]])
    return doc


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["render", *(str(argument) for argument in arguments)])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_page_of_a_bracketed_file(data: Path, tmp_path: Path):
    out_path = tmp_path / "new/page.html"
    result = run(data, out_path)
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == f"Page: {out_path}"
    page = out_path.read_text(encoding="utf-8")
    assert page.count("<article ") == 2
    assert "<bdi>Bob</bdi> <small>2</small>" in page
    assert '"speaker">Ann:' in page


def test_page_of_a_doc_bin_equals_that_of_its_source(data: Path, tmp_path: Path):
    CliRunner().invoke(app, ["convert", "bracketed", str(data), str(tmp_path / "data.spacy")])
    run(data, tmp_path / "text.html")
    assert run(tmp_path / "data.spacy", tmp_path / "bin.html").exit_code == 0
    assert (tmp_path / "bin.html").read_text(encoding="utf-8") == (tmp_path / "text.html").read_text(encoding="utf-8")


def test_limit_and_singletons(data: Path, tmp_path: Path):
    run(data, tmp_path / "one.html", "--limit", 1)
    run(data, tmp_path / "bare.html")
    run(data, tmp_path / "all.html", "--singletons")
    one, bare, everything = ((tmp_path / f"{name}.html").read_text() for name in ("one", "bare", "all"))
    assert one.count("<article ") == 1
    assert everything.count('class="mention') == bare.count('class="mention') + 1


def test_a_pipeline_replaces_the_annotation(data: Path, tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("render_test_first_and_last")
    nlp.to_disk(tmp_path / "model")
    result = run(data, tmp_path / "page.html", "--model", tmp_path / "model", "--bracketed")
    assert result.exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<bdi>Bob</bdi> <small>2</small>" in page
    assert page.count('class="cluster ') == 2
    assert page.count('class="mention') == 4
    assert "<h2>one</h2>" in page
    assert '"speaker">Ann:' in page


def test_a_pipeline_reads_raw_text_whose_lines_end_anywhere(tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "tale.txt").write_text("Ann [the elder] left |\nthe house. # She\n@ran.\n", encoding="utf-8")
    result = run(tmp_path / "tale.txt", tmp_path / "page.html", "--model", tmp_path / "model")
    assert result.exit_code == 0, result.output
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h2>tale</h2>" in page
    assert page.count('class="sentence"') == 2
    assert "[the elder]" in page


def test_raw_text_that_looks_bracketed_gets_a_hint(data: Path, tmp_path: Path):
    spacy.blank("en").to_disk(tmp_path / "model")
    result = run(data, tmp_path / "page.html", "--model", tmp_path / "model")
    assert result.exit_code == 0
    assert "pass --bracketed" in " ".join(result.output.split())
    assert "=== one" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_file_without_text_is_named(tmp_path: Path):
    spacy.blank("en").to_disk(tmp_path / "model")
    (tmp_path / "empty.txt").write_text(" \n")
    result = run(tmp_path / "empty.txt", tmp_path / "page.html", "--model", tmp_path / "model")
    assert result.exit_code == 1
    assert "empty.txt: has no text" in " ".join(result.output.split())


def test_a_text_that_is_too_long_is_named(tmp_path: Path):
    spacy.blank("en").to_disk(tmp_path / "model")
    (tmp_path / "long.txt").write_text("Ann left. " * 100_001)
    result = run(tmp_path / "long.txt", tmp_path / "page.html", "--model", tmp_path / "model")
    assert result.exit_code == 1
    assert "long.txt: can't be split into tokens: [E088]" in " ".join(result.output.split())


def test_frames_of_a_file_are_shown_and_hidden_from_a_pipeline(tmp_path: Path):
    nlp = spacy.blank("en")
    doc = nlp("Ann left.")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")])
    DocBin(docs=[doc]).to_disk(tmp_path / "data.spacy")
    nlp.to_disk(tmp_path / "model")
    run(tmp_path / "data.spacy", tmp_path / "gold.html")
    run(tmp_path / "data.spacy", tmp_path / "predicted.html", "--model", tmp_path / "model")
    assert "<dt>leave.01</dt>" in (tmp_path / "gold.html").read_text(encoding="utf-8")
    predicted = (tmp_path / "predicted.html").read_text(encoding="utf-8")
    assert "Ann left." in predicted
    assert 'class="frame"' not in predicted


def test_missing_data_missing_model_and_damaged_files_are_reported(data: Path, tmp_path: Path):
    damaged = tmp_path / "damaged.spacy"
    damaged.write_bytes(b"no DocBin")
    results = {
        "no such file": run(tmp_path / "nothing.spacy", tmp_path / "page.html"),
        "no_such_model": run(data, tmp_path / "page.html", "--model", "no_such_model"),
        "damaged.spacy: damaged, or not a .spacy file": run(damaged, tmp_path / "page.html"),
    }
    for message, result in results.items():
        assert result.exit_code == 1
        assert message in " ".join(result.output.split())
    assert not (tmp_path / "page.html").exists()


def test_prefixes_are_those_of_the_pipeline_or_given(tmp_path: Path):
    nlp = spacy.blank("en")
    doc = nlp("Ann left. She ran.")
    set_clusters(doc, [[(0, 1), (3, 4)]], prefix="mine")
    set_frames(doc, [Frame(1, 2, [], "leave.01")], prefix="roles")
    DocBin(docs=[doc]).to_disk(tmp_path / "data.spacy")
    for name, options in {
        "found": [],
        "given": ["--cluster-prefix", "mine", "--frame-prefix", "roles"],
        "others": ["--cluster-prefix", "yours", "--frame-prefix", "frames"],
    }.items():
        assert run(tmp_path / "data.spacy", tmp_path / f"{name}.html", *options).exit_code == 0
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        shown = (page.count('class="mention'), page.count('class="frame"'))
        assert shown == ((0, 0) if name == "others" else (2, 1))
