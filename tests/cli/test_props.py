from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import Argument, Frame, set_frames
from spacy_span_selector.cli import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["props", *map(str, arguments)])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    doc = Doc(Vocab(), words=["Ann", "Left"], sent_starts=[True, False])
    bare = Doc(doc.vocab, words=["Silence"])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")])
    DocBin(docs=[doc, bare]).to_disk(tmp_path / "gold.spacy")
    DocBin(docs=[doc]).to_disk(tmp_path / "gold.docs")
    DocBin(docs=[bare]).to_disk(tmp_path / "bare.spacy")
    (tmp_path / "folder.spacy").mkdir()
    (tmp_path / "junk.spacy").write_text("junk")
    return tmp_path / "gold.spacy"


def test_props_and_words_have_the_same_lines(data: Path, tmp_path: Path):
    result = run(data, tmp_path / "new/gold.props", "--words", tmp_path / "new/gold.words")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new/gold.props").read_text() == "-    (A0*)\nleft (V*)\n\n-\n\n"
    assert (tmp_path / "new/gold.words").read_text() == "Ann\nLeft\n\nSilence\n\n"
    assert "gold.props" in result.output


def test_rolesets_are_written_if_asked(data: Path, tmp_path: Path):
    run(data, tmp_path / "gold.props", "--rolesets")
    assert "leave.01 (V*)\n" in (tmp_path / "gold.props").read_text()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.spacy", "none.spacy: no such file"),
        ("folder.spacy", "folder.spacy: a folder"),
        ("junk.spacy", "junk.spacy: [E1014]"),
        ("gold.docs", "gold.docs: spaCy's readers take only files whose name ends in .spacy"),
        ("bare.spacy", "bare.spacy has no semantic roles"),
    ],
)
def test_data_that_cannot_be_written(data: Path, tmp_path: Path, name: str, message: str):
    result = run(data.with_name(name), tmp_path / "out.props")
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out.props").exists()
