from __future__ import annotations

from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.annotation import get_speakers, set_speakers, set_title
from spacy_span_selector.bulk import Reading
from spacy_span_selector.bulk.inputs import find_inputs
from spacy_span_selector.bulk.records import Record
from spacy_span_selector.bulk.stream import read_records


def read(path: Path) -> list[Record]:
    return list(read_records(find_inputs([str(path)]), Reading()))


def test_documents_keep_their_annotation_and_their_titles(tmp_path: Path):
    named = Doc(Vocab(), words=["Ann", "left"], tags=["NNP", "VBD"])
    set_title(named, "tale")
    set_speakers(named, [(0, 2, "Bob")])
    unnamed = Doc(named.vocab, words=["Silence"])
    DocBin(docs=[named, unnamed], store_user_data=True).to_disk(tmp_path / "a.spacy")
    first, second = read(tmp_path / "a.spacy")
    assert (first.id, second.id) == ("tale", f"{tmp_path / 'a.spacy'}:2")
    doc = Doc(Vocab()).from_bytes(first.content)
    assert [token.tag_ for token in doc] == ["NNP", "VBD"]
    assert list(get_speakers(doc)) == [(0, 2, "Bob")]


def test_a_damaged_file_says_so(tmp_path: Path):
    (tmp_path / "a.spacy").write_bytes(b"no DocBin")
    (record,) = read(tmp_path / "a.spacy")
    assert record.problem.startswith("damaged, or not a .spacy file")


def test_documents_of_other_files_have_other_versions(tmp_path: Path):
    versions = set()
    for words in (["Ann"], ["Bob"]):
        DocBin(docs=[Doc(Vocab(), words=words)] * 2).to_disk(tmp_path / "a.spacy")
        versions |= {record.version for record in read(tmp_path / "a.spacy")}
    assert len(versions) == 4
