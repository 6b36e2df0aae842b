import re

import pytest
from spacy.vocab import Vocab

from spacy_span_selector.corpora.conllu import Word, make_doc, parse_conllu


def row(index: str, form: str, misc: str = "_", lemma: str = "_", pos: str = "_", tag: str = "_") -> str:
    return "\t".join([index, form, lemma, pos, tag, "_", "_", "_", "_", misc])


def parse(*rows: str) -> list[list[Word]]:
    """The words of the sentences of one document."""
    documents = parse_conllu("\n".join(["# newdoc id = tale", *rows]), "a.conllu")
    return [sentence.words for sentence in documents["tale"]]


def spaced(*rows: str) -> str:
    """The words of one sentence as text."""
    (sentence,) = parse(*rows)
    return "".join(word.form + " " * word.space for word in sentence)


def test_words_have_lemmas_and_parts_of_speech():
    (sentence,) = parse(row("1", "Boats", lemma="boat", pos="NOUN", tag="NNS"), row("2", "sank", "SpaceAfter=No"))
    assert sentence == [Word("Boats", "boat", "NOUN", "NNS", True), Word("sank", "", "", "", False)]


def test_documents_and_sentences_keep_their_order():
    lines = ["# newdoc id = b", "# text = Go", row("1", "Go"), "", row("1", "Stay"), "", "# newdoc id = a"]
    documents = parse_conllu("\n".join([*lines, row("1", "Wait"), ""]), "a.conllu")
    assert {
        name: [[word.form for word in sentence.words] for sentence in sentences]
        for name, sentences in documents.items()
    } == {"b": [["Go"], ["Stay"]], "a": [["Wait"]]}
    assert list(documents) == ["b", "a"]


def test_comments_belong_to_the_sentence_below_them():
    lines = [
        "# newdoc id = a",
        "# meta::genre = tale",
        "# newpar",
        "# speaker = Ann",
        row("1", "Go"),
        "",
        row("1", "No"),
    ]
    first, second = parse_conllu("\n".join([*lines, ""]), "a.conllu")["a"]
    assert first.comments == {"meta::genre": "tale", "speaker": "Ann"}
    assert second.comments == {}


def test_a_document_is_made_of_sentences():
    sentences = parse(row("1", "Go", "SpaceAfter=No", "go", "VERB", "VB"), row("2", "!"), "", row("1", "No"))
    doc = make_doc(sentences, Vocab())
    assert doc.text == "Go! No "
    assert [token.is_sent_start for token in doc] == [True, False, True]
    assert (doc[0].lemma_, doc[0].pos_, doc[0].tag_) == ("go", "VERB", "VB")


def test_white_space_and_soft_hyphens_in_words_are_kept():
    (sentence,) = parse(row("1", "1 000"), row("2", "har\xadbour"), row("3", "a\u2028b"))
    assert [word.form for word in sentence] == ["1 000", "har\xadbour", "a\u2028b"]


def test_other_notes_do_not_hide_the_space():
    assert spaced(row("1", "no", "CorrectForm=not|SpaceAfter=No"), row("2", "w", "CorrectSpaceAfter=No")) == "now "


def test_empty_nodes_are_left_out():
    assert spaced(row("0.1", "they"), row("1", "left"), row("1.1", "and"), row("2", "early")) == "left early "


def test_parts_of_a_word_have_no_space_between_them():
    assert spaced(row("1-2", "didn't"), row("1", "did"), row("2", "n't"), row("3", "go")) == "didn't go "
    assert spaced(row("1", "I"), row("2-3", "can't", "SpaceAfter=No"), row("2", "ca"), row("3", "n't")) == "I can't"


def test_parts_that_a_word_is_not_spelt_like_are_spaced():
    assert spaced(row("1-2", "du", "SpaceAfter=No"), row("1", "de"), row("2", "le"), row("3", ".")) == "de le. "


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([row("1", "Go")], "a.conllu:1: found '1\\tGo\\t"),
        (["# newdoc id = a", row("1", "Go"), "", "# newdoc id = a"], "a.conllu:4: found a second document named 'a'"),
        (["# newdoc id = a", "1\tGo"], "a.conllu:2: found 2 columns separated by tabs, expected 10"),
        (["# newdoc id = a", row("1", "Go"), row("3", "on")], "a.conllu:3: found 'on' as word '3', expected word 2"),
        (["# newdoc id = a", row("1", "")], "a.conllu:2: found '' as word '1', expected word 1"),
        (["# newdoc id = a", row("2-3", "du")], "a.conllu:2: found 'du' as word '2-3', expected word 1"),
        (["# newdoc id = a", row("1-2", "du"), row("1", "de")], "a.conllu:3: found the last word, 1, expected word 2"),
    ],
)
def test_malformed_files_are_named_with_the_line(lines: list[str], message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_conllu("\n".join(lines), "a.conllu")
