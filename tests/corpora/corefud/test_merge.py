from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_clusters, set_title
from spacy_span_selector.corpora.corefud import merge_corefud, read_corefud

from .helpers import named_clusters, row, write

LINES = (
    "# newdoc id = a",
    "# global.Entity = GRP",
    "# sent_id = a-s7",
    row("1", "The", "Entity=(1|SpaceAfter=No", head="3"),
    row("2-3", "olddog", "Align=x"),
    row("2", "old", "_", head="3"),
    row("3", "dog", "Entity=1)|Bridge=2<1", head="0"),
    row("3.1", "it", "Entity=(1)"),
    "",
    "# newdoc id = b",
    "# sent_id = b-s1",
    row("1", "No", "SplitAnte=1<2,3<2"),
)


def make_docs(words: str = "The old dog") -> list[Doc]:
    docs = []
    for title, text in (("b", "No"), ("a", words)):
        docs.append(Doc(Vocab(), words=text.split()))
        set_title(docs[-1], title)
        set_clusters(docs[-1], [])
    return docs


def test_everything_but_entities_stays(tmp_path: Path):
    source = write(tmp_path / "a.conllu", *LINES)
    b, a = make_docs()
    set_clusters(a, [[(0, 3), (1, 2)]], entity_types=["animal"])
    (tmp_path / "b.conllu").write_text(merge_corefud([b, a], source), encoding="utf-8")
    lines = (tmp_path / "b.conllu").read_text(encoding="utf-8").split("\n")
    assert lines == [
        "# newdoc id = a",
        "# global.Entity = eid-etype-head-other",
        "# sent_id = a-s7",
        row("1", "The", "Entity=(e1-animal-3-|SpaceAfter=No", head="3"),
        row("2-3", "olddog", "Align=x"),
        row("2", "old", "Entity=(e1-animal-1-)", head="3"),
        row("3", "dog", "Entity=e1)", head="0"),
        row("3.1", "it"),
        "",
        "# newdoc id = b",
        "# global.Entity = eid-etype-head-other",
        "# sent_id = b-s1",
        row("1", "No"),
        "",
        "",
    ]
    first, _ = read_corefud(tmp_path / "b.conllu")
    assert named_clusters(first) == {"e1": [(0, 3), (1, 2)]}


@pytest.mark.parametrize(
    "docs, message",
    [
        (make_docs()[:1], r"a\.conllu: document 'a' is only in \S+a\.conllu\. Expected the same documents in both"),
        ([*make_docs(), Doc(Vocab(), words=["x"])], r"document '' is only in the documents"),
        (make_docs("The old cat"), r"a\.conllu:4: the document has the words 'The old cat', expected 'The old dog'"),
        (make_docs("The old dog ran"), r"'a': the document has 4 words, expected 3"),
    ],
)
def test_other_documents_are_an_error(tmp_path: Path, docs: list[Doc], message: str):
    source = write(tmp_path / "a.conllu", *LINES)
    with pytest.raises(ValueError, match=message):
        (tmp_path / "b.conllu").write_text(merge_corefud(docs, source), encoding="utf-8")
    assert not (tmp_path / "b.conllu").exists()


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path):
    source = write(tmp_path / "a.conllu", *LINES[:-1], "1\tNo")
    with pytest.raises(ValueError, match=r"a\.conllu:12: found 2 columns"):
        (tmp_path / "b.conllu").write_text(merge_corefud(make_docs(), source), encoding="utf-8")


@pytest.mark.parametrize("head", ["9" * 5000, "²", "-1", "_"])
def test_a_head_that_is_no_number_is_none(head: str, tmp_path: Path):
    source = write(tmp_path / "a.conllu", "# newdoc id = a", row("1", "Old", head=head), row("2", "dog", head="0"))
    doc = Doc(Vocab(), words=["Old", "dog"])
    set_title(doc, "a")
    set_clusters(doc, [[(0, 2)]])
    (tmp_path / "b.conllu").write_text(merge_corefud([doc], source), encoding="utf-8")
    assert "(e1--1-" in (tmp_path / "b.conllu").read_text(encoding="utf-8")
