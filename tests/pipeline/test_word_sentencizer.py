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
    "text", ['"Go."\n"Why?"\nHe left.', '"Go." "Why?"  He\n\nleft.\n', '\n "Go."   "Why?" \t He left.', "", " ", "Oh\n"]
)
def test_sentences_are_those_of_the_text_on_one_line(text: str) -> None:
    plain = spacy.blank("en")
    plain.add_pipe("sentencizer")
    expected = sentences(plain(" ".join(text.split())))
    assert [sentence for sentence in sentences(make_nlp()(text)) if sentence] == expected


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
