from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc


def make_nlp(**config: object) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("word_sentencizer", config=config)
    return nlp


def sentences(doc: Doc) -> list[str]:
    return [" ".join(sentence.text.split()) for sentence in doc.sents]


@pytest.mark.parametrize(
    "text", ["Go.\nWhy?\nHe left.", "Go. Why?  He\n\nleft.\n", "\n Go.)   Why? \t He left.", "", " ", "Oh\n"]
)
def test_sentences_are_those_of_spacy_for_the_text_on_one_line(text: str) -> None:
    plain = spacy.blank("en")
    plain.add_pipe("sentencizer")
    expected = sentences(plain(" ".join(text.split())))
    assert [sentence for sentence in sentences(make_nlp()(text)) if sentence] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Go.” “Why?” (He left.)", ["“Go.”", "“Why?”", "(He left.)"]),
        ('"Go."\n"Why?" He left.', ['"Go."', '"Why?"', "He left."]),
        ("He left. “‘Why?’ she said.”", ["He left.", "“‘Why?’", "she said.”"]),
        ('He said "Go." and left. "', ['He said "Go."', 'and left. "']),
        ("“Go.”", ["“Go.”"]),
        ("[", ["["]),
    ],
)
def test_a_mark_that_opens_belongs_to_the_sentence_after_it(text: str, expected: list[str]) -> None:
    assert sentences(make_nlp()(text)) == expected


def test_without_spaces_a_straight_mark_stays_where_it_is() -> None:
    nlp = make_nlp()
    doc = nlp(Doc(nlp.vocab, words=["He", "left", ".", '"', "Why", "?"]))
    assert [len(sentence) for sentence in doc.sents] == [4, 2]


def test_white_space_ends_a_sentence_and_never_begins_one() -> None:
    doc = make_nlp()("He left.\n\nShe stayed.\n")
    assert [sentence[-1].text for sentence in doc.sents] == ["\n\n", "\n"]
    (leading,) = make_nlp()("\n\nHe left.").sents
    assert leading[0].is_space


def test_boundaries_that_are_there_stay() -> None:
    nlp = make_nlp()
    doc = Doc(nlp.vocab, words=["Oh", ".", "\n", "He", "left"], sent_starts=[True, False, False, False, True])
    assert [token.is_sent_start for token in nlp.get_pipe("word_sentencizer")(doc)] == [True, False, False, False, True]


def test_the_settings_are_those_of_spacy(tmp_path: Path) -> None:
    nlp = make_nlp(punct_chars=["|"])
    nlp.to_disk(tmp_path / "pipeline")
    assert sentences(spacy.load(tmp_path / "pipeline")("One. | two |\nthree")) == ["One. |", "two |", "three"]
