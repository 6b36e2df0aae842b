from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames

from ...commands import flat, refusal, run, success

TEXT = "=== one\n@Ann: [I|ann] like [my|ann] tea.\n\n=== two\n[Bob|bob] left [a house]. [He|bob] ran.\n"


@Language.component("render_test_first_and_last")
def link_first_and_last(doc: Doc) -> Doc:
    """Link the first token and the last, in documents that come without annotation but with sentences."""
    if not doc.spans.get("coref_clusters_1") and doc.has_annotation("SENT_START"):
        set_clusters(doc, [[(0, 1), (len(doc) - 1, len(doc))]])
    return doc


def page_of(*arguments: object) -> str:
    """The page of some data, written beside it."""
    out_path = Path(str(arguments[0])).parent / "new/page.html"
    said = success("render", arguments[0], out_path, *arguments[1:])
    assert said.splitlines()[-1] == f"Page: {out_path}"
    return out_path.read_text(encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("render_test_first_and_last")
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


def save(doc: Doc, folder: Path) -> Path:
    DocBin(docs=[doc]).to_disk(folder / "doc.spacy")
    return folder / "doc.spacy"


def test_page_of_a_bracketed_file_equals_that_of_its_doc_bin(data: Path, tmp_path: Path):
    page = page_of(data)
    assert page.count("<article ") == 2
    assert "<bdi>Bob</bdi> <small>2</small>" in page
    assert '"speaker">Ann:' in page
    run("convert", "bracketed", data, tmp_path / "data.spacy")
    assert page_of(tmp_path / "data.spacy") == page


def test_limit_and_singletons(data: Path):
    assert page_of(data, "--limit", 1).count("<article ") == 1
    bare, everything = page_of(data), page_of(data, "--singletons")
    assert everything.count('class="mention') == bare.count('class="mention') + 1


def test_a_pipeline_replaces_the_annotation(data: Path, model: Path):
    page = page_of(data, "--model", model, "--bracketed")
    assert "<bdi>Bob</bdi> <small>2</small>" in page
    assert page.count('class="cluster ') == 2
    assert page.count('class="mention') == 4
    assert "<h2>one</h2>" in page
    assert '"speaker">Ann:' in page


def test_a_pipeline_reads_raw_text_whose_lines_end_anywhere(data: Path, model: Path, tmp_path: Path):
    nlp = spacy.load(model)
    nlp.add_pipe("sentencizer")
    nlp.to_disk(model)
    (tmp_path / "tale.txt").write_text("Ann [the elder] left |\nthe house. # She\n@ran.\n", encoding="utf-8")
    page = page_of(tmp_path / "tale.txt", "--model", model)
    assert "<h2>tale</h2>" in page
    assert page.count('class="sentence"') == 2
    assert "[the elder]" in page
    said = flat(run("render", data, tmp_path / "page.html", "--model", model))  # which looks bracketed
    assert "pass --bracketed" in said
    assert "=== one" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_can_not_be_shown_is_named(data: Path, model: Path, tmp_path: Path):
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "long.txt").write_text("Ann left. " * 100_001)
    (tmp_path / "damaged.spacy").write_bytes(b"no DocBin")
    out = tmp_path / "page.html"
    assert "empty.txt: has no text" in refusal("render", tmp_path / "empty.txt", out, "--model", model)
    assert "long.txt: can't be split into tokens: [E088]" in refusal(
        "render", tmp_path / "long.txt", out, "--model", model
    )
    assert "no such file" in refusal("render", tmp_path / "nothing.spacy", out)
    assert ": a folder. Expected" in refusal("render", tmp_path, out)
    assert "-: render writes a file" in refusal("render", data, "-")
    assert "name one with --model" in refusal("render", data, out, "--bracketed")
    assert "no_such_model" in refusal("render", data, out, "--model", "no_such_model")
    assert "damaged.spacy: damaged, or not a .spacy file" in refusal("render", tmp_path / "damaged.spacy", out)
    assert not out.exists()


def test_frames_of_a_file_are_shown_and_hidden_from_a_pipeline(model: Path, tmp_path: Path):
    doc = spacy.blank("en")("Ann left.")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")])
    data = save(doc, tmp_path)
    assert "<dt>leave.01</dt>" in page_of(data)
    predicted = page_of(data, "--model", model)
    assert "Ann left." in predicted
    assert 'class="frame"' not in predicted
