import re
import textwrap
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.tools.formats.litbank import read_litbank

from ..corpora import LITBANK, needs
from ..untrained import pipeline_of


def make_nlp(**config: object) -> Language:
    return pipeline_of("en", "word_sentencizer", word_sentencizer=config)


def sentences(doc: Doc) -> list[str]:
    return [" ".join(sentence.text.split()) for sentence in doc.sents]


@pytest.mark.parametrize(
    "text", ["Go.\nWhy?\nHe left.", "Go. Why?  He\nleft.\n", "\n Go.)   Why? \t He left.", "", " ", "Oh\n"]
)
def test_sentences_are_those_of_spacy_for_the_text_on_one_line(text: str) -> None:
    expected = sentences(pipeline_of("en", "sentencizer")(" ".join(text.split())))
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
        ("He left. “‘Why?’ she said.”", ["He left.", "“‘Why?’ she said.”"]),
        ('He said "Go." and left. "', ['He said "Go." and left. "']),
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
    "text",
    [
        "She founded Harbor Corp. | It makes sails.",
        "He flew to the U.K. | The fog was thick.",
        "They live in the U.S. | We moved there in May.",
        "It was built in Washington, D.C. | This year it closed.",
        "He sold it to Marlow Inc. | They closed it.",
        "She works for Bell & Co. | Her brother does not.",
        "The mill belongs to Tarn Ltd. | Its roof leaks.",
        "We met at 5 p.m. | She was late.",
        "The shop opens at 8 a.m. | Guests came early.",
        "The play starts at 7 P.M. | Doors open at six.",
        "She has a Ph.D. | Her sister has none.",
        "Ask Ida Marsh, M.D. | He knows.",
        "This is Paul Kerr Jr. | His father is out.",
        "This is Paul Kerr Sr. | His son is out.",
        "Bring cups, plates, etc. | We have none.",
        "Bring cups, plates, etc. | Guests have none.",
        "Choose plan B. | The other one failed.",
        "Fruit has vitamin C. | It helps.",
        "She got a B. | However, she had hoped for more.",
        "He is taller than I. | So is she.",
        "It was sung by J. K. | Then came the rain.",
        "The house is on Mill St. | It is red.",
        "He read Marsh et al. | They were wrong.",
        "It began in Jan. | When did it end?",
        "We left the E.U. | Yesterday we came back.",
        "See the table in Fig. 3. | It is long.",
        "He works for the F.B.I. | Nobody knows.",
        "She was born in 40 B.C. | At that time all was quiet.",
        "Go to room 5C. | Ramon waits there.",
        "The store is on Elm Ave. | There is a bank, too.",
        "The U.S. Army came.",
        "The U.S. President met U.K. Prime Minister Hale.",
        "U.S. troops left.",
        "They are U.S. and U.K. firms.",
        "Harbor Corp. Chairman Ann Reed resigned.",
        "Harbor Corp. makes sails.",
        "Marlow Inc., a bank, closed.",
        "Bell & Co. Ltd. is old.",
        "We met at 5 p.m. Monday.",
        "We met at 5 p.m. EST and left.",
        "We left at 6 a.m. in the rain.",
        "Dr. Ida Marsh has a Ph.D. from Bonn.",
        "Paul Kerr Jr. left.",
        "Paul Kerr Sr. left.",
        "Cups, plates, etc. are here.",
        "Cups, plates, etc., are here.",
        "Tools (e.g. The Forge) are here.",
        "The latter, i.e. Tom, left.",
        "It was Rovers vs. The Wanderers.",
        "It is No. 5 of the list.",
        "See Fig. 3 and vol. 2.",
        "J. K. Rowling wrote it.",
        "George W. Bush met Mary J. Blige.",
        "Mr. Hale met Mrs. Reed and Ms. Marsh.",
        "He lives in St. Louis near Ft. Wayne.",
        "Gen. Hale met Prof. Reed and Rev. Marsh.",
        "It was Jan. 5 and then Sept. 7.",
        "Marsh et al. 2017 and Reed et al., 2018 say so.",
        "It has approx. 300 pages.",
        "His wife, née St. Clair, left for Mt. Ida.",
    ],
)
def test_the_next_word_tells_whether_an_abbreviation_ends_a_sentence(text: str) -> None:
    assert sentences(make_nlp()(text.replace("| ", ""))) == text.split(" | ")


@pytest.mark.parametrize("marks", ['""', "''", "“”", "‘’", "«»", "»«", "„“", "‚‘", "‹›"])
@pytest.mark.parametrize(
    "text", ["{}Who is there?{} asked Ida. | She rose.", "Ida came. | {}Run!{} cried her son. | He ran."]
)
def test_a_quotation_before_its_tag_ends_no_sentence(text: str, marks: str) -> None:
    text = text.format(*marks)
    assert sentences(make_nlp()(text.replace("| ", ""))) == text.split(" | ")


@pytest.mark.parametrize("marks", ['""', "“”", "«»", "»«", "„“"])
@pytest.mark.parametrize("second", ["Jon rose.", "{}It is me.{}"])
def test_a_quotation_before_a_capital_ends_a_sentence(second: str, marks: str) -> None:
    first, second = "{}Who is there?{}".format(*marks), second.format(*marks)
    assert sentences(make_nlp()(f"{first} {second}")) == [first, second]


@pytest.mark.parametrize(
    "text",
    [
        "He was born in Ulm. [1] | She was not. [2] [13] | Then he left.",  # references belong to what they are behind
        "Do this. | 1. Stir. | 2. Bake the cake. | 3. Eat.",  # an item has its number
        "It was late... | The rain fell. | Well… | Ida left.",
        "It was late... and dark, and I ... I left.",
        "The night . . . was dark.",
        "Great! :) | Thanks. =) | See you.",
        "The fries (too good!), the steak (why?) and the wine came.",
    ],
)
def test_what_follows_a_mark_tells_whether_it_ends_a_sentence(text: str) -> None:
    assert sentences(make_nlp()(text.replace("| ", ""))) == text.split(" | ")


def test_spaced_straight_marks_open_and_close_in_turn() -> None:
    text = '" Go . " | " Why ? " she said . | He left .'
    assert sentences(make_nlp()(text.replace("| ", ""))) == text.split(" | ")


def test_a_language_without_tables_keeps_its_stops() -> None:
    nlp = pipeline_of("fr", "word_sentencizer")
    assert sentences(nlp("Il habite à Paris... Elle part.")) == ["Il habite à Paris... Elle part."]


@pytest.mark.parametrize(
    ("words", "lengths"),
    [
        ("J . R . Smith left . Go", [7, 1]),
        ("Plan B . Tom left", [3, 2]),
        ('He left . " Why ?', [3, 3]),  # a straight mark that is the first of its kind opens
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
@needs(LITBANK)
@pytest.mark.parametrize("column", [40, 70])
def test_a_wrapped_text_has_the_sentences_of_the_text_on_one_line(column: int) -> None:
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
    nlp = make_nlp()
    for text in (f"Ann left{mark}. Tom stayed.", f"Ann left.{mark} Tom stayed."):
        assert [sentence[-1].text[-1] for sentence in nlp(text).sents][1:] == ["."]
        assert [sentence.text.split()[0] for sentence in nlp(text).sents] == ["Ann", "Tom"]
