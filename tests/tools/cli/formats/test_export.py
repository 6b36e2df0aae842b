import sys
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    get_clusters,
    get_frames,
    get_title,
    set_clusters,
    set_frames,
    set_title,
)
from spacy_span_selector.tools.formats.label_studio import read_label_studio
from spacy_span_selector.tools.formats.registry import formats

from ....commands import refusal, run, success


@pytest.fixture
def data(tmp_path: Path) -> Path:
    doc = Doc(Vocab(), words=["Ann", "Left"], sent_starts=[True, False])
    bare = Doc(doc.vocab, words=["Silence"])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")])
    set_clusters(doc, [[(0, 1), (1, 2)]])
    set_title(doc, "tale_1")
    DocBin(docs=[doc, bare], store_user_data=True).to_disk(tmp_path / "gold.spacy")
    DocBin(docs=[doc]).to_disk(tmp_path / "gold.docs")
    (tmp_path / "folder.spacy").mkdir()
    (tmp_path / "junk.spacy").write_text("junk")
    return tmp_path / "gold.spacy"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.spacy", "none.spacy: no such file"),
        ("folder.spacy", "folder.spacy: a folder"),
        ("junk.spacy", "junk.spacy: damaged, or not a .spacy file"),
        ("gold.docs", "gold.docs: another kind of file. Expected a .spacy file"),
    ],
)
def test_data_that_cannot_be_read_are_named(data: Path, tmp_path: Path, name: str, message: str):
    assert message in refusal("export", "bio", data.with_name(name), tmp_path / "out.bio")
    assert not (tmp_path / "out.bio").exists()


@pytest.mark.parametrize("name", ["bracketed", "conll2012", "jsonlines", "corefud"])
def test_what_is_exported_is_read_back(data: Path, tmp_path: Path, name: str):
    path = tmp_path / f"new/gold.{name}"
    assert path.name in success("export", name, data, path)
    doc, bare = formats.get(name).read_docs(path, spacy.blank("en"))
    assert (get_title(doc), get_clusters(doc), bare[0].text) == ("tale_1", [[(0, 1), (1, 2)]], "Silence")


def test_corefud_is_not_written_into_a_copy_of_other_documents(data: Path, tmp_path: Path):
    (tmp_path / "a.conllu").write_text("# newdoc id = tale_2\n1\tAnn" + "\t_" * 8 + "\n\n")
    said = refusal("export", "corefud", data, tmp_path / "same.conllu", "--into", tmp_path / "a.conllu")
    assert "document 'tale_2' is only in" in said


def test_corefud_is_written_into_a_copy(tmp_path: Path):
    doc = Doc(Vocab(), words=["Ann", "left"])
    set_clusters(doc, [[(0, 2)]])
    set_title(doc, "tale")
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    rows = ["1\tAnn\t_\t_\t_\t_\t2\tx\t_\tA=b", "2\tleft\t_\t_\t_\t_\t0\ty\t_\tEntity=(e9)"]
    (tmp_path / "a.conllu").write_text("\n".join(["# newdoc id = tale", "# sent_id = s", *rows, "", ""]))
    into = ["--into", tmp_path / "a.conllu"]
    assert "it is what was read" in refusal("export", "corefud", tmp_path / "a.spacy", tmp_path / "a.conllu", *into)
    success("export", "corefud", tmp_path / "a.spacy", tmp_path / "b.conllu", *into)
    *comments, first, second = (tmp_path / "b.conllu").read_text().rstrip().split("\n")
    assert comments == ["# newdoc id = tale", "# global.Entity = eid-etype-head-other", "# sent_id = s"]
    assert [first.split("\t")[-1], second.split("\t")[-1]] == ["Entity=(e1--2-|A=b", "Entity=e1)"]


def test_outputs_have_a_path_each_and_are_files(data: Path, tmp_path: Path):
    same = tmp_path / "same.xml"
    assert "two outputs" in refusal("export", "label-studio", data, same, "--config", same)
    assert "Name a file" in refusal("export", "bracketed", data, "-")


def test_label_studio_is_read_back_with_its_interface(data: Path, tmp_path: Path):
    options = ["--annotations", "--config", tmp_path / "new/gold.xml"]
    success("export", "label-studio", data, tmp_path / "new/gold.json", *options)
    assert '<Relation value="ARG0" />' in (tmp_path / "new/gold.xml").read_text()
    with pytest.warns(UserWarning, match="tasks without annotation: 1"):
        (doc,) = read_label_studio(tmp_path / "new/gold.json", spacy.blank("en"))
    assert get_clusters(doc) == [[(0, 1), (1, 2)]]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")]


def test_label_studio_gets_predictions_by_default(data: Path, tmp_path: Path):
    run("export", "label-studio", data, tmp_path / "a.json")
    assert [sorted(task) for task in srsly.read_json(tmp_path / "a.json")] == [["data", "predictions"], ["data"]]
    said = refusal("convert", "label-studio", tmp_path / "a.json", tmp_path / "a.spacy")
    assert "It has predictions: accept them there, or export with --annotations." in said


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of any bytes")
def test_names_that_cannot_be_printed_are_escaped(data: Path, tmp_path: Path):
    assert "out\\udcff.jsonlines" in success("export", "jsonlines", data, tmp_path / "out\udcff.jsonlines")
    assert ".spacy: no such file" in refusal("export", "jsonlines", tmp_path / "in\udcff.spacy", tmp_path / "out")
