from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.tools.formats.corefud import merge_corefud, read_corefud, write_corefud

from .helpers import entity_types, named_clusters, row, write


def through(folder: Path, *docs: Doc) -> tuple[list[Doc], str]:
    """Documents that were written and read back, and their file."""
    text = write_corefud(docs)
    (folder / "a.conllu").write_text(text, encoding="utf-8")
    return read_corefud(folder / "a.conllu"), text


def make_doc(n_words: int = 6, title: str = "tale") -> Doc:
    """Two sentences of words called w0, w1, ..."""
    words = [f"w{i}" for i in range(n_words)]
    doc = Doc(Vocab(), words=words, sent_starts=[i in (0, n_words // 2) for i in range(n_words)])
    annotation.set_title(doc, title)
    return doc


def test_what_is_written_is_read_back(tmp_path: Path):
    doc = Doc(
        Vocab(),
        words=["Ann", "'s", "dog", "He", "ran"],
        spaces=[False, True, True, True, False],
        tags=["NNP", "POS", "NN", "PRP", "VBD"],
        pos=["PROPN", "PART", "NOUN", "PRON", "VERB"],
        lemmas=["Ann", "'s", "dog", "he", "run"],
        sent_starts=[True, False, False, True, False],
    )
    annotation.set_title(doc, "nw/the tale")
    annotation.set_clusters(
        doc, [[(0, 2)], [(0, 3), (3, 4)]], names=["e5", ""], entity_types=["person", "animal-or(plant)"]
    )
    annotation.set_speakers(doc, [(0, 3, "Leo B")])
    (back,), _ = through(tmp_path, doc)
    assert annotation.get_title(back) == "nw/the tale"
    assert back.text.rstrip() == doc.text
    assert annotation.get_clusters(back) == annotation.get_clusters(doc)
    assert named_clusters(back) == {"e5": [(0, 2)], "e1": [(0, 3), (3, 4)]}
    assert entity_types([back]) == ["person", "animal-or(plant)"]
    assert annotation.get_speakers(back) == [(0, 3, "Leo B")]
    for attribute in ("tag_", "pos_", "lemma_", "is_sent_start"):
        assert [getattr(token, attribute) for token in back] == [getattr(token, attribute) for token in doc]


def test_the_file_is_what_scorers_read():
    parse: dict[str, Any] = {
        "heads": [1, 2, 2],
        "deps": ["det", "nsubj", "ROOT"],
        "morphs": ["Definite=Def", "", "Tense=Past"],
    }
    doc = Doc(Vocab(), words=["The", "dog", "ran"], pos=["DET", "NOUN", "VERB"], **parse)
    annotation.set_title(doc, "a b")
    annotation.set_clusters(doc, [[(0, 2)], [(1, 2)]], entity_types=["animal", ""])
    assert write_corefud([doc]).split("\n") == [
        "# newdoc id = a b",
        "# global.Entity = eid-etype-head-other",
        "# sent_id = a_b-1",  # tools end an id at white space
        "# text = The dog ran",
        "1\tThe\t_\tDET\t_\tDefinite=Def\t2\tdet\t_\tEntity=(e1-animal-2-",
        "2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\tEntity=(e2--1-)e1)",
        "3\tran\t_\tVERB\t_\tTense=Past\t0\troot\t_\t_",
        "",
        "",
    ]


def test_no_two_entities_of_a_file_have_one_id(tmp_path: Path):
    docs = [make_doc(title="a"), make_doc(title="b")]
    annotation.set_clusters(docs[0], [[(0, 1)], [(1, 2)], [(2, 3)]], names=["e1", "no id", ""])
    annotation.set_clusters(docs[1], [[(0, 1)], [(1, 2)]], names=["e1", "e9"])
    back, _ = through(tmp_path, *docs)
    assert [list(named_clusters(doc)) for doc in back] == [["e1", "e2", "e3"], ["e4", "e9"]]


def test_a_mention_that_begins_where_another_ends_is_no_single_bracket(tmp_path: Path):
    doc = make_doc()
    clusters = [[(0, 2)], [(1, 3)], [(1, 2)]]  # the first two cross
    annotation.set_clusters(doc, clusters)
    (back,), text = through(tmp_path, doc)
    assert "Entity=(e2--1-)e1)(e3--2-\n" in text
    assert annotation.get_clusters(back) == annotation.get_clusters(doc)


def test_what_cannot_be_written_is_counted(tmp_path: Path):
    doc = make_doc()
    annotation.set_clusters(doc, [[(0, 2), (1, 3), (2, 4)], [(0, 1)]])
    annotation.set_speakers(doc, [(0, 1, "Ann"), (1, 3, "Leo")])
    with pytest.warns(UserWarning) as caught:
        (back,), _ = through(tmp_path, doc)
    message = str(caught[0].message)
    assert "mentions that cross the end of a sentence, which CorefUD can't hold: 1. The first: document 't" in message
    assert "mentions that cross another mention of their entity, which CorefUD can't hold: 1." in message
    assert "speakers of sentences whose first word has another speaker, or none: 1." in message
    assert annotation.get_clusters(back) == [[(0, 1)], [(0, 2)]]


def test_white_space_is_left_out(tmp_path: Path):
    doc = spacy.blank("en")("Ann \n slept.\n\nShe snored.")
    annotation.set_clusters(doc, [[(0, 1), (5, 6)]])
    annotation.set_speakers(doc, [(0, len(doc), "Leo")])
    (back,), _ = through(tmp_path, doc)
    assert [token.text for token in back] == ["Ann", "slept", ".", "She", "snored", "."]
    assert [back[start:end].text for (start, end) in annotation.get_clusters(back)[0]] == ["Ann", "She"]


def test_words_that_nobody_sees_are_kept(tmp_path: Path):
    words = ["Ann", "\u200b", "\u00ad", "\U0001f600", "\ufe0f"]
    (back,), _ = through(tmp_path, Doc(Vocab(), words=[*words, "\n"]))
    assert [token.text for token in back] == words


def test_tabs_in_words_are_counted(tmp_path: Path):
    doc = Doc(Vocab(), words=["a\tb\nc", "d"])
    with pytest.warns(UserWarning, match="Wrote a space for tabs and line ends in words: 1"):
        (back,), _ = through(tmp_path, doc)
    assert [token.text for token in back] == ["a b c", "d"]


def test_titles_are_made_unique_and_annotation_is_not_invented(tmp_path: Path):
    docs = [make_doc(title=title) for title in ("a", "", "a")]
    annotation.set_clusters(docs[0], [])
    back, _ = through(tmp_path, *docs)
    assert [annotation.get_title(doc) for doc in back] == ["a", "document 2", "a-2"]
    assert [annotation.has_clusters_annotated(doc) for doc in back] == [True, False, False]


LINES = (
    "# newdoc id = a",
    "# global.Entity = GRP",
    "# sent_id = a-s7",
    row("1", "The", "Entity=(1|SpaceAfter=No", head="3"),
    row("2-3", "olddog", "Align=x"),
    row("2", "old", "_", head="3"),
    row("3", "dog", "Entity=1)|Bridge=2<1", head="0"),
    row("3.1", "it", "Entity=(1)"),
    " ",
    "# newdoc id = b",
    "# sent_id = b-s1",
    row("1", "No", "SplitAnte=1<2,3<2"),
)


def make_docs(words: str = "The old dog") -> list[Doc]:
    docs = []
    for title, text in (("b", "No"), ("a", words)):
        docs.append(Doc(Vocab(), words=text.split()))
        annotation.set_title(docs[-1], title)
        annotation.set_clusters(docs[-1], [])
    return docs


def test_everything_but_entities_stays(tmp_path: Path):
    source = write(tmp_path / "a.conllu", *LINES)
    b, a = make_docs()
    annotation.set_clusters(a, [[(0, 3), (1, 2)]], entity_types=["animal"])
    merged = merge_corefud([b, a], source)
    assert merged.split("\n") == [
        "# newdoc id = a",
        "# global.Entity = eid-etype-head-other",
        "# sent_id = a-s7",
        row("1", "The", "Entity=(e1-animal-3-|SpaceAfter=No", head="3"),
        row("2-3", "olddog", "Align=x"),
        row("2", "old", "Entity=(e1-animal-1-)", head="3"),
        row("3", "dog", "Entity=e1)", head="0"),
        row("3.1", "it"),
        " ",
        "# newdoc id = b",
        "# global.Entity = eid-etype-head-other",
        "# sent_id = b-s1",
        row("1", "No"),
        "",
        "",
    ]
    first, _ = read_corefud(write(tmp_path / "b.conllu", merged))
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
        merge_corefud(docs, source)


@pytest.mark.parametrize(
    "lines, message",
    [([*LINES[:-1], "1\tNo"], ":12: found 2 columns"), ([*LINES, " ", *LINES[:4]], ":14: found a second document")],
)
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, lines: list[str], message: str):
    source = write(tmp_path / "a.conllu", *lines)
    with pytest.raises(ValueError, match=rf"a\.conllu{message}"):
        merge_corefud(make_docs(), source)


@pytest.mark.parametrize("head", ["9" * 5000, "²", "-1", "_"])
def test_a_head_that_is_no_number_is_none(head: str, tmp_path: Path):
    source = write(tmp_path / "a.conllu", "# newdoc id = a", row("1", "Old", head=head), row("2", "dog", head="0"))
    doc = Doc(Vocab(), words=["Old", "dog"])
    annotation.set_title(doc, "a")
    annotation.set_clusters(doc, [[(0, 2)]])
    assert "(e1--1-" in merge_corefud([doc], source)
