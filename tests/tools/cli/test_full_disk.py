"""Commands on a full disk: each names the file that does not fit, and leaves all files as they were."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames
from spacy_span_selector.tools.cli import app

from ...full_disk import contents, full_disk
from ..formats.gum import write_document, write_splits
from .formats.test_convert_corpora import ewt, litbank  # noqa: F401

pytestmark = pytest.mark.filterwarnings("ignore:.*not the copy that project.yml pins")

ROOM = 200  # bytes; fewer than each command writes


def run(arguments: Sequence[object]) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Documents whose words, names and spans do not fit, however they are written."""
    vocab = Vocab()
    words = [f"word{i * i}" for i in range(300)]
    doc = Doc(vocab, words=words, sent_starts=[i % 10 == 0 for i in range(300)])
    set_clusters(doc, [[(i, i + 1), (i + 3, i + 4)] for i in range(0, 280, 7)])
    set_frames(doc, [Frame(i, i + 1, [Argument(i + 1, i + 2, "ARG1")]) for i in range(0, 300, 10)])
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "gold.spacy")
    return tmp_path / "gold.spacy"


def fill(folder: Path, names: Sequence[str]) -> None:
    """Make a folder with the output of an earlier command."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text(f"the old {name}")


def check(arguments: Sequence[object], folder: Path, name: str) -> None:
    """Run a command, and check that it names a file, and that the folder is as it was."""
    before = contents(folder)
    with full_disk(ROOM):
        result = run(arguments)
    assert result.exit_code == 1, result.output
    assert f"{folder / name}: not written (File too large). No file has changed." in " ".join(result.output.split())
    assert contents(folder) == before
    assert run(arguments).exit_code == 0
    assert contents(folder).keys() == before.keys()
    assert all(new != old for new, old in zip(contents(folder).values(), before.values(), strict=True))


@pytest.mark.parametrize(
    "arguments, names",
    [
        (["export", "bio", "gold.spacy", "out/a.bio"], ["a.bio"]),
        (["export", "brat", "gold.spacy", "out"], ["document.txt", "document.ann"]),
        (["export", "bracketed", "gold.spacy", "out/a.txt"], ["a.txt"]),
        (["export", "conll2012", "gold.spacy", "out/a.conll"], ["a.conll"]),
        (["export", "jsonlines", "gold.spacy", "out/a.jsonlines"], ["a.jsonlines"]),
        (["export", "corefud", "gold.spacy", "out/a.conllu"], ["a.conllu"]),
        (["export", "label-studio", "gold.spacy", "out/a.json", "--config", "out/a.xml"], ["a.json", "a.xml"]),
        (["export", "props", "gold.spacy", "out/a.props", "--words", "out/a.words"], ["a.props", "a.words"]),
        (["export", "props", "gold.spacy", "out/a.props", "--rolesets"], ["a.props"]),
        (["render", "gold.spacy", "out/a.html"], ["a.html"]),
    ],
    ids=lambda value: "-".join(value[:2]),
)
def test_what_is_made_of_a_spacy_file(
    gold: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], names: list[str]
):
    monkeypatch.chdir(gold.parent)
    fill(Path("out"), names)
    check(arguments, Path("out"), names[0])


@pytest.mark.parametrize(
    "format_, name",
    [
        ("bio", "a.bio"),
        ("conll2012", "a.conll"),
        ("corefud", "a.conllu"),
        ("jsonlines", "a.jsonlines"),
        ("label-studio", "a.json"),
        ("props", "a.props"),
    ],
)
def test_files_that_are_converted(gold: Path, monkeypatch: pytest.MonkeyPatch, format_: str, name: str):
    monkeypatch.chdir(gold.parent)
    words = ["--words", "a.words"] if format_ == "props" else []
    options = ["--annotations"] if format_ == "label-studio" else words
    assert run(["export", format_, gold, name, *options]).exit_code == 0
    fill(Path("out"), ["a.spacy"])
    check(["convert", format_, *words[1:], name, "out/a.spacy"], Path("out"), "a.spacy")


def test_bracketed_files_that_are_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("\n".join(f"[Ann{i}|a] saw [him{i}|b]." for i in range(100)))
    fill(Path("out"), ["a.spacy"])
    check(["convert", "bracketed", "a.txt", "out/a.spacy"], Path("out"), "a.spacy")


SPLITS = ["train.spacy", "dev.spacy", "test.spacy"]


def test_the_parts_of_ontogum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    splits = {split: [f"GUM_vlog_{split}{i}" for i in range(4)] for split in ("train", "dev", "test")}
    for name in chain(*splits.values()):
        write_document(tmp_path / "gum", name, speakers=("Ann", "Leo"))
    write_splits(tmp_path / "gum", **splits)
    fill(Path("out"), SPLITS)
    check(["convert", "ontogum", "gum", "out"], Path("out"), "train.spacy")


@pytest.mark.parametrize("room", range(260, 300, 4))
def test_of_the_parts_of_a_corpus_all_or_none_are_written(
    litbank: Path,  # noqa: F811
    tmp_path: Path,
    room: int,
):
    fill(tmp_path / "out", SPLITS)
    before = contents(tmp_path / "out")
    with full_disk(room):
        result = run(["convert", "litbank", litbank, tmp_path / "out", "--fold", 2])
    after = contents(tmp_path / "out")
    assert after.keys() == before.keys()
    changed = [name for name in before if after[name] != before[name]]
    assert (result.exit_code, len(changed)) in ((1, 0), (0, 3))


def test_the_parts_of_ewt(ewt: Path, tmp_path: Path):  # noqa: F811
    fill(tmp_path / "out", SPLITS)
    check(["convert", "ewt", ewt, tmp_path / "out"], tmp_path / "out", "train.spacy")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline without training."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref")
    doc = nlp.make_doc("Ann left.")
    set_clusters(doc, [[(0, 1), (1, 2)]])
    nlp.initialize(lambda: [spacy.training.Example(nlp.make_doc(doc.text), doc)])
    path = tmp_path_factory.mktemp("model") / "pipeline"
    nlp.to_disk(path)
    return path


def test_scores_and_predictions(model: Path, gold: Path, tmp_path: Path):
    fill(tmp_path / "out", ["scores.json", "a.spacy"])
    options = ["--output", tmp_path / "out/scores.json", "--predictions", tmp_path / "out/a.spacy"]
    check(["evaluate", model, gold, *options], tmp_path / "out", "scores.json")
