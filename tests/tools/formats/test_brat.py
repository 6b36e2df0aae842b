from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_labelled_spans, get_title, set_labelled_spans, set_title
from spacy_span_selector.tools.formats.brat import read_brat, write_brat

NLP = English()
TEXT = "The house of\r\nAnn Lee fell.\r\nShe left.\n"
OUTER, INNER = "T1\tFAC 0 12;14 21\tThe house of Ann Lee", "T2\tPER 14 21\tAnn Lee"


def read(path: Path, annotation: str, text: str | bytes = TEXT) -> Doc:
    (path / "a.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    (path / "a.ann").write_text(annotation, encoding="utf-8")
    (doc,) = read_brat(path / "a.ann", NLP)
    return doc


def found(doc: Doc) -> list[tuple[str, str]]:
    spans = [(doc[start:end].text, label) for start, end, label in get_labelled_spans(doc)]
    return [(" ".join(text.split()), label) for text, label in spans]


def test_nested_spans_are_read_and_pieces_that_a_line_end_separates_are_one(tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doc = read(tmp_path, f"{OUTER}\n{INNER}\n")
    assert doc.text == TEXT
    assert get_title(doc) == "a"
    assert found(doc) == [("The house of Ann Lee", "FAC"), ("Ann Lee", "PER")]


def test_an_empty_file_says_that_there_are_no_spans(tmp_path: Path):
    assert read(tmp_path, "").spans["sc"].attrs == {}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T9\tPER 0 3;13 16\tThe Ann", r"labelled spans of several pieces: 1\..*a\.ann:1: found"),
        ("T9\tPER 0 3\tAnn", r"not that at their offsets: 1\..*'The' is there"),
        ("T9\tPER 30 90\tShe", r"not that at their offsets: 1\."),
        ("T9\tPER 3 3\t", r"not that at their offsets: 1\."),
        ("T9\tPER 0 2\tTh", r"begin or end within a token: 1\..*in 'The house of'\. Move it to"),
        ("T9\tPER 0 x\tThe", r"lines that can't be read: 1\..*expected one such as"),
        ("Ann", r"lines that can't be read: 1\."),
        (INNER.replace("T2", "T9"), r"twice with the same label: 1\..*a\.ann:3:"),
    ],
)
def test_a_line_that_cannot_be_read_costs_no_other(tmp_path: Path, line: str, message: str):
    lines = [line, INNER] if line[:3] != "T9\t" or "Ann Lee" not in line else ["", INNER, line]
    with pytest.warns(UserWarning, match=rf"(?s)Left out .*{message}"):
        doc = read(tmp_path, "\n".join(lines))
    assert found(doc) == [("Ann Lee", "PER")]


def test_relations_and_notes_are_counted_together(tmp_path: Path):
    others = [
        "R1\tIn Arg1:T1 Arg2:T2",
        "E1\tFall:T1",
        "A1\tOld T1",
        "#1\tAnnotatorNotes T2\tT3\tPER 0 3\tThe",
        "*\tSame T1 T2",
    ]
    with pytest.warns(UserWarning, match=r"^Left out relations, events, attributes and notes, .*: 5\. The first: "):
        doc = read(tmp_path, "\n".join([*others, INNER]))
    assert found(doc) == [("Ann Lee", "PER")]


def test_a_byte_order_mark_counts_as_a_character(tmp_path: Path):
    doc = read(tmp_path, "T1\tPER 1 4\tAnn", "\ufeffAnn left.".encode())
    assert found(doc) == [("Ann", "PER")]


def test_without_its_text_a_file_cannot_be_read(tmp_path: Path):
    (tmp_path / "a.ann").write_text(INNER, encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"a\.txt: no such file\. Expected the text of a\.ann beside it\."):
        read_brat(tmp_path / "a.ann", NLP)


def test_what_is_written_is_read_back(tmp_path: Path):
    doc = read(tmp_path, f"{OUTER}\n{INNER}\nT3\tORG 14 21\tAnn Lee\nT4\tPLACE 18 26\tLee fell")
    files = write_brat([doc])
    assert [*files] == ["a.txt", "a.ann"]
    again = read(tmp_path, files["a.ann"], files["a.txt"])
    assert again.text == doc.text
    assert get_labelled_spans(again) == get_labelled_spans(doc)
    assert files["a.ann"].startswith(f"{OUTER}\n")


def test_files_have_names_of_their_own():
    docs = [NLP(text) for text in ("a", "b", "c", "d", "e")]
    for doc, title in zip(docs, ("bc/a", "BC a", "../..", "", "bc_a-2"), strict=True):
        set_title(doc, title)
    names = [name.removesuffix(".txt") for name in write_brat(docs) if name.endswith(".txt")]
    assert names == ["bc_a", "BC_a-2", "document", "document-2", "bc_a-2-2"]


def test_spans_that_brat_cannot_hold_are_left_out_and_counted():
    doc = NLP("Ann\nleft")
    set_labelled_spans(doc, [(0, 1, "a b"), (1, 2, "A"), (2, 3, "B")])
    with pytest.warns(UserWarning, match=r"label is not one word: 2\."):
        files = write_brat([doc])
    assert files["document.ann"] == "T1\tB 4 8\tleft\n"
