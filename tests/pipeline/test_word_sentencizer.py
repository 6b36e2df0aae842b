from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.tools.formats.litbank import read_litbank

LITBANK = Path(__file__).parents[3] / "shared/data/litbank"


def make_nlp(**config: object) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("word_sentencizer", config=config)
    return nlp


def sentences(doc: Doc) -> list[str]:
    return [" ".join(sentence.text.split()) for sentence in doc.sents]


@pytest.mark.parametrize(
    "text", ["Go.\nWhy?\nHe left.", "Go. Why?  He\nleft.\n", "\n Go.)   Why? \t He left.", "", " ", "Oh\n"]
)
def test_sentences_are_those_of_spacy_for_the_text_on_one_line(text: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a mark that opens belongs to the sentence after it
        ("“Go.” “Why?” (He left.)", ["“Go.”", "“Why?”", "(He left.)"]),
        ('"Go."\n"Why?" He left.', ['"Go."', '"Why?"', "He left."]),
        ("He left. “‘Why?’ she said.”", ["He left.", "“‘Why?’", "she said.”"]),
        ('He said "Go." and left. "', ['He said "Go."', 'and left. "']),
        ("“Go.”", ["“Go.”"]),
        ("[", ["["]),
        # the layout begins sentences
        ("CHAPTER I\n\nThe Arrival\n \nAnn came home", ["CHAPTER I", "The Arrival", "Ann came home"]),
        ("Ann came\nhome", ["Ann came home"]),
        ("He left\n\n- “Go” he said", ["He left", "- “Go” he said"]),
        ("1. Milk\n2) Bread\n", ["1. Milk", "2) Bread"]),
        ("Dear Mr. Becker,\nI came.", ["Dear Mr. Becker,", "I came."]),
        ("Hi Tom,\n\ngo.\n\nBest,\nAnn Lee\nHead of Sales", ["Hi Tom,", "go.", "Best,", "Ann Lee", "Head of Sales"]),
        ("Ann: hi\nDr. No: you\nthere", ["Ann:", "hi", "Dr. No:", "you there"]),
        ("[12:03] ann: hi bob\n[12:04] bob: yes", ["[12:03] ann:", "hi bob", "[12:04] bob:", "yes"]),
        # a full stop between title and name ends no sentence
        ("DR. ADEYEMI met MR. SMITH. MRS. LEE left.", ["DR. ADEYEMI met MR. SMITH.", "MRS. LEE left."]),
        ("Then Capt. Lee and ST. PETER came.", ["Then Capt. Lee and ST. PETER came."]),
        ("Here is the DR. She left.", ["Here is the DR.", "She left."]),
        ("Ask the doctor. Ann left.", ["Ask the doctor.", "Ann left."]),
    ],
)
def test_sentences_of_a_text(text: str, expected: list[str]) -> None:
    assert sentences(make_nlp()(text)) == expected


@pytest.mark.parametrize(
    ("words", "lengths"),
    [
        ("J . R . Smith left . Go", [7, 1]),
        ("Plan B . Tom left", [3, 2]),
        ('He left . " Why ?', [4, 2]),  # a straight mark stays where it is
        ("Ann : hi Bob : hi", [6]),  # there is no layout
    ],
)
def test_sentences_of_words_without_white_space(words: str, lengths: list[int]) -> None:
    nlp = make_nlp()
    doc = nlp(Doc(nlp.vocab, words=words.split()))
    assert [len(sentence) for sentence in doc.sents] == lengths


def test_a_start_that_is_there_takes_the_marks_before_the_first_word() -> None:
    nlp = make_nlp()
    doc = nlp.make_doc("Go. - yes")
    doc[2].is_sent_start = True
    assert sentences(nlp(doc)) == ["Go.", "- yes"]


@pytest.mark.slow
@pytest.mark.parametrize("column", [40, 70])
def test_a_wrapped_text_has_the_sentences_of_the_text_on_one_line(column: int) -> None:
    if not LITBANK.is_dir():
        pytest.skip(f"needs LitBank in {LITBANK}: see the assets of project.yml")
    nlp = make_nlp()
    for doc in read_litbank(LITBANK, nlp.vocab)[::4]:
        text = re.sub(r" \*", "", " ".join(token.text for token in doc))  # "*" in the text would begin an item
        wrapped = textwrap.fill(text, column, break_long_words=False, break_on_hyphens=False)
        assert sentences(nlp(wrapped)) == sentences(nlp(text))


def test_the_settings_are_those_of_spacy(tmp_path: Path) -> None:
    nlp = make_nlp(punct_chars=["|"])
    nlp.to_disk(tmp_path / "pipeline")
    assert sentences(spacy.load(tmp_path / "pipeline")("One. | two |\nthree")) == ["One. |", "two |", "three"]


@pytest.mark.parametrize("mark", ["\u200b", "\u00ad", "\ufeff", " \U0001f389", " \U0001f469\u200d\U0001f680"])
def test_sentences_end_as_without_what_is_no_word(mark: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("word_sentencizer")
    for text in (f"Ann left{mark}. Tom stayed.", f"Ann left.{mark} Tom stayed."):
        assert [sentence[-1].text[-1] for sentence in nlp(text).sents][1:] == ["."]
        assert [sentence.text.split()[0] for sentence in nlp(text).sents] == ["Ann", "Tom"]
