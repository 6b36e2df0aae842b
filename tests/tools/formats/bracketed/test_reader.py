from pathlib import Path

import pytest
from spacy.language import Language

from spacy_span_selector.annotation import get_clusters, get_title, has_clusters_annotated
from spacy_span_selector.tools.formats.bracketed import parse_bracketed, read_bracketed

from .helpers import assert_error, parse_one


def test_each_line_is_a_sentence(nlp: Language):
    doc = parse_one("# a comment\n\nMr. Bell came. He left.\n  Then it rained .  \n", nlp)
    assert [sentence.text for sentence in doc.sents] == ["Mr. Bell came. He left.", "Then it rained ."]


def test_a_document_without_mentions_counts_as_annotated(nlp: Language):
    assert has_clusters_annotated(parse_one("Nothing here .", nlp))


def test_headings_start_documents(nlp: Language):
    docs = parse_bracketed("=== one\nA b.\n\n=== number  two\n=== three\nC.\n", nlp)
    assert [(get_title(doc), doc.text) for doc in docs] == [
        ("one", "A b."),
        ("number two", ""),
        ("three", "C."),
    ]


def test_names_belong_to_their_document(nlp: Language):
    docs = parse_bracketed("=== one\n[Ann|a]\n=== two\n[Bob|a]\n", nlp)
    assert [get_clusters(doc) for doc in docs] == [[[(0, 1)]], [[(0, 1)]]]


def test_a_file_without_heading_is_named_for_itself(tmp_path: Path, nlp: Language):
    path = tmp_path / "station.txt"
    path.write_text("\ufeff[Ann|ann] left.\r\n[She|ann] ran.\r\n", encoding="utf-8")
    (doc,) = read_bracketed(path, nlp)
    assert get_title(doc) == "station"
    assert doc.text == "Ann left. She ran."


def test_a_text_without_sentences_has_no_documents(nlp: Language):
    assert parse_bracketed("# nothing\n\n", nlp) == []


def test_speakers_label_one_turn_a_line_and_are_no_text(nlp: Language):
    doc = parse_one("@Ann Lee: [I|ann] know: yes.\n@Ann Lee: Really.\nShe nodded.\n@Dr\\: X: Fine.", nlp)
    assert doc.text == "I know: yes. Really. She nodded. Fine."
    turns = [(turn.label_, turn.text) for turn in doc.spans["speakers"]]
    assert turns == [("Ann Lee", "I know: yes."), ("Ann Lee", "Really."), ("Dr: X", "Fine.")]


def test_spacing_is_known_and_lines_are_joined_by_a_space(nlp: Language):
    doc = parse_one("Ann's dog.\nIt ran.", nlp)
    assert [token.text_with_ws for token in doc] == ["Ann", "'s ", "dog", ". ", "It ", "ran", "."]


@pytest.mark.parametrize(
    ("text", "place", "found", "cure"),
    [
        ("@Ann left", "1:1", "a speaker without a colon", "Write `@NAME: text`"),
        ("  @ : left", "1:3", "a speaker without a name", "Write `@NAME: text`"),
        ("@Ann:  ", "1:6", "no text after the speaker 'Ann'", "on the same line"),
        ("===", "1:1", "a heading without a name", "Write `=== NAME`"),
        ("===Ann", "1:1", "a heading was expected, found '===Ann'", "with a space"),
        ("=== a\n\n=== b\n=== a", "4:1", "a second document named 'a' (the first: line 1)", "Rename one"),
        ("# x\nAnn\n=== a", "2:1", "text before the first heading", "Put a heading"),
    ],
)
def test_errors_name_place_finding_and_cure(nlp: Language, text: str, place: str, found: str, cure: str):
    assert_error(nlp, text, place, found, cure)


def test_files_in_another_encoding_are_named(tmp_path: Path, nlp: Language):
    path = tmp_path / "latin.txt"
    path.write_bytes("a café".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.txt: byte 5 is not UTF-8"):
        read_bracketed(path, nlp)
