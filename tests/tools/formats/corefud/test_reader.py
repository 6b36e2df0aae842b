from pathlib import Path

import pytest

from spacy_span_selector.annotation import get_clusters, get_speakers, get_title, has_clusters_annotated
from spacy_span_selector.tools.formats.corefud import read_corefud

from .helpers import DECLARED, entity_types, named_clusters, row, words, write, write_document


def test_a_document_has_all_that_the_file_says(tmp_path: Path):
    path = write_document(
        tmp_path / "a.conllu",
        "# speaker = Ann",
        row("1", "Leo", "Entity=(e7-person-1-)"),
        row("2", "ran", "SpaceAfter=No"),
        row("3", "."),
        "",
        row("1", "He", "Entity=(e7-person-1-)"),
        row("2", "fell", "Entity=(e3--1-)"),
    )
    (doc,) = read_corefud(path)
    assert get_title(doc) == "tale"
    assert doc.text == "Leo ran. He fell "
    assert [token.is_sent_start for token in doc] == [True, False, False, True, False]
    assert (doc[1].lemma_, doc[1].pos_, doc[1].tag_) == ("ran", "X", "XX")
    assert named_clusters(doc) == {"e7": [(0, 1), (3, 4)], "e3": [(4, 5)]}
    assert entity_types([doc]) == ["person", None]
    assert get_speakers(doc) == [(0, 3, "Ann")]


def test_a_declaration_counts_from_where_it_stands(tmp_path: Path):
    lines = ["# newdoc id = a", DECLARED, *words("Entity=(e1-person-1-)"), ""]
    lines += ["# newdoc id = b", "# global.Entity = entity-GRP", *words("Entity=(place-1)"), ""]
    lines += ["# newdoc id = c", *words("Entity=(time-1)")]
    docs = read_corefud(write(tmp_path / "a.conllu", *lines))
    assert entity_types(docs) == ["person", "place", "time"]
    assert [list(named_clusters(doc)) for doc in docs] == [["e1"], ["1"], ["1"]]


def test_a_document_may_be_annotated_without_mentions_or_not_at_all(tmp_path: Path):
    lines = ["# newdoc id = a", DECLARED, *words("_"), "", "# newdoc id = b", *words("_")]
    a, b = read_corefud(write(tmp_path / "a.conllu", *lines))
    assert has_clusters_annotated(a) and not get_clusters(a)
    assert not has_clusters_annotated(b)


def test_documents_without_a_name_are_numbered(tmp_path: Path):
    docs = read_corefud(write(tmp_path / "a.conllu", "# newdoc", *words("_"), "", "# newdoc", *words("_")))
    assert [get_title(doc) for doc in docs] == ["document 1", "document 2"]


def test_a_line_that_is_no_text_costs_its_document_alone(tmp_path: Path):
    lines = ["# newdoc id = a", *words("_"), "", "# newdoc id = b", *words("_", "_"), "", "# newdoc id = c"]
    path = write(tmp_path / "a.conllu", *lines, *words("_"), "", "# newdoc id = d", "1\tx", "")
    path.write_bytes(path.read_bytes().replace(b"2\tb", b"2\t\xe9"))
    with pytest.warns(
        UserWarning, match=r"can't be read: 2\. The first: \S+a\.conllu:6: byte 2 is not UTF-8"
    ) as caught:
        docs = read_corefud(path)
    assert [get_title(doc) for doc in docs] == ["a", "c"]
    assert "a.conllu:12: found 2 columns" in str(caught[0].message)


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "found no document that can be read. Expected a CoNLL-U file with `# newdoc id = NAME`"),
        (row("1", "a") + "\n\n", "a.conllu:1: found '1\\\\ta"),
        ("[]\n", "expected `# newdoc id = NAME` before the first sentence"),
    ],
)
def test_a_file_without_documents_is_an_error(tmp_path: Path, content: str, message: str):
    path = tmp_path / "a.conllu"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_corefud(path)
