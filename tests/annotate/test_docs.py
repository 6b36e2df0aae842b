from __future__ import annotations

import zlib
from contextlib import suppress
from pathlib import Path
from random import Random

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector import to_dict
from spacy_span_selector.annotate import Reading
from spacy_span_selector.annotate.inputs import find_inputs
from spacy_span_selector.annotate.reading import read_records
from spacy_span_selector.annotate.records import Record
from spacy_span_selector.annotation import get_speakers, set_clusters, set_speakers, set_title
from spacy_span_selector.examples.corpus import read_docs


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


def damage(path: Path, old: bytes, new: bytes) -> None:
    """Change the content of a file of documents, which is compressed."""
    content = zlib.decompress(path.read_bytes())
    assert old in content
    path.write_bytes(zlib.compress(content.replace(old, new, 1)))


def test_a_damaged_document_costs_no_other_one(tmp_path: Path):
    vocab = Vocab()
    docs = [Doc(vocab, words=["Ann", "left"], tags=[f"TAG{i}"] * 2) for i in range(3)]
    DocBin(docs=docs).to_disk(tmp_path / "a.spacy")
    damage(tmp_path / "a.spacy", b"TAG1", b"TAGX")
    first, second, third = read(tmp_path / "a.spacy")
    assert (first.problem, third.problem) == ("", "")
    assert second.source.endswith("a.spacy:2")
    assert second.problem.startswith("damaged, or not a .spacy file as 'convert' writes it (KeyError: \"[E018] Can't")
    assert [Doc(Vocab()).from_bytes(record.content)[0].tag_ for record in (first, third)] == ["TAG0", "TAG2"]


def test_files_with_any_byte_changed_cost_records_and_no_run(tmp_path: Path):
    """What is wrong is an error of a kind that callers expect."""
    doc = Doc(Vocab(), words=["Ann", "left"], tags=["NNP", "VBD"], pos=["PROPN", "VERB"], heads=[1, 1], deps=["a", "b"])
    set_clusters(doc, [[(0, 1)]])
    path = tmp_path / "a.spacy"
    content = zlib.decompress(DocBin(docs=[doc, doc], store_user_data=True).to_bytes())
    outcomes = set()
    for seed in range(300):
        place, byte = Random(seed).randrange(len(content)), Random(seed + 1).randrange(256)
        path.write_bytes(zlib.compress(content[:place] + bytes([byte]) + content[place + 1 :]))
        records = read(path)
        outcomes.add((len(records), sum(bool(record.problem) for record in records)))
        for record in records:
            if not record.problem:
                to_dict(Doc(Vocab()).from_bytes(record.content), tokens=True)
        with suppress(ValueError):
            for found in read_docs(path, Vocab()):
                assert found.to_json()
    assert outcomes >= {(2, 0), (2, 1), (1, 1)}


def test_documents_of_other_files_have_other_versions(tmp_path: Path):
    versions = set()
    for words in (["Ann"], ["Bob"]):
        DocBin(docs=[Doc(Vocab(), words=words)] * 2).to_disk(tmp_path / "a.spacy")
        versions |= {record.version for record in read(tmp_path / "a.spacy")}
    assert len(versions) == 4
