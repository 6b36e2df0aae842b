"""Commands on a full disk: each names the file that does not fit, and leaves all files as they were."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames
from spacy_span_selector.tools.cli import app

from ...full_disk import contents, full_disk
from ..formats.gum import write_document, write_splits

pytestmark = pytest.mark.filterwarnings("ignore:.*not the copy that project.yml pins")

ROOM = 200  # bytes; fewer than each command writes
SPLITS = ["train.spacy", "dev.spacy", "test.spacy"]
CASES = {
    "corpus": (["convert", "ontogum", "gum", "out"], SPLITS),
    "scores": (
        ["evaluate", "model", "gold.spacy", "--output", "out/scores.json", "--predictions", "out/a.spacy"],
        ["scores.json", "a.spacy"],
    ),
}
"""Commands, one for each way to write, and the files that they write."""


def run(arguments: Sequence[object]) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents whose words, names and spans do not fit, however they are written, and an untrained pipeline."""
    folder = tmp_path_factory.mktemp("inputs")
    words = [f"word{i * i}" for i in range(300)]
    doc = Doc(Vocab(), words=words, sent_starts=[i % 10 == 0 for i in range(300)])
    set_clusters(doc, [[(i, i + 1), (i + 3, i + 4)] for i in range(0, 280, 7)])
    set_frames(doc, [Frame(i, i + 1, [Argument(i + 1, i + 2, "ARG1")]) for i in range(0, 300, 10)])
    DocBin(docs=[doc], store_user_data=True).to_disk(folder / "gold.spacy")
    splits = {split: [f"GUM_vlog_{split}{i}" for i in range(4)] for split in ("train", "dev", "test")}
    for name in chain(*splits.values()):
        write_document(folder / "gum", name, speakers=("Ann", "Leo"))
    write_splits(folder / "gum", **splits)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref")
    gold = nlp.make_doc("Ann left.")
    set_clusters(gold, [[(0, 1), (1, 2)]])
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold)])
    nlp.to_disk(folder / "model")
    return folder


def fill(folder: Path, names: Sequence[str]) -> None:
    """Make a folder with the output of an earlier command."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text(f"the old {name}")


@pytest.mark.parametrize(("arguments", "names"), CASES.values(), ids=CASES)
def test_what_does_not_fit_changes_no_file(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], names: list[str]
):
    monkeypatch.chdir(tmp_path)
    for path in inputs.iterdir():
        Path(path.name).symlink_to(path)
    out = Path("out")
    fill(out, names)
    before = contents(out)
    with full_disk(ROOM):
        result = run(arguments)
    assert result.exit_code == 1, result.output
    assert f"{out / names[0]}: not written (File too large). No file has changed." in " ".join(result.output.split())
    assert contents(out) == before
    assert run(arguments).exit_code == 0
    assert contents(out).keys() == before.keys()
    assert all(new != old for new, old in zip(contents(out).values(), before.values(), strict=True))
