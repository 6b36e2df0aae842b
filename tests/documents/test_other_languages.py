"""Which texts are taken for another language than English."""

from pathlib import Path

import pytest
import spacy

from spacy_span_selector.documents.other_languages import (
    OTHER_LETTERS,
    ShortTexts,
    describe_other_language,
    other_language,
)

from ..foreign_texts import FOREIGN, ODD_ENGLISH

NLP = spacy.blank("en")
ROOT = Path(__file__).parents[2]
CODES = {"German": "de", "French": "fr", "Spanish": "es", "Italian": "it", "Dutch": "nl", "Russian": OTHER_LETTERS}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_paragraph_in_another_language_is_told(name: str) -> None:
    assert other_language(NLP(FOREIGN[name])) == CODES[name]


def test_text_in_capitals_is_told_too() -> None:
    assert other_language(NLP(FOREIGN["German"].upper())) == "de"


@pytest.mark.parametrize("text", ["", *ODD_ENGLISH.values()], ids=["empty", *ODD_ENGLISH])
def test_odd_english_counts_as_english(text: str) -> None:
    assert other_language(NLP(text)) is None


@pytest.mark.parametrize("path", sorted((ROOT / "assets").rglob("*.txt")), ids=lambda path: path.name)
def test_the_texts_of_the_repository_are_english(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    paragraphs = text.split("\n\n")
    assert other_language(NLP(text)) is None
    assert [paragraph for paragraph in paragraphs if other_language(NLP(paragraph))] == []


def test_english_with_foreign_passages_is_english() -> None:
    text = (ROOT / "assets/lighthouse.txt").read_text(encoding="utf-8")
    assert other_language(NLP(text + FOREIGN["French"])) is None


def test_only_pipelines_for_english_tell() -> None:
    assert other_language(spacy.blank("de")(FOREIGN["German"])) is None
    assert other_language(spacy.blank("xx")(FOREIGN["German"])) is None


def test_the_sentence_names_what_told() -> None:
    assert "'de'" in describe_other_language("de")
    assert "other letters" in describe_other_language(OTHER_LETTERS)


def pieces(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[i : i + 6]) for i in range(0, len(words), 6)]


def guesses(texts: list[str]) -> set[str]:
    stream = ShortTexts()
    return {language for text in texts if (language := stream.add(NLP(text))) is not None}


@pytest.mark.parametrize("name", FOREIGN)
def test_short_texts_tell_together(name: str) -> None:
    assert all(other_language(NLP(piece)) is None for piece in pieces(FOREIGN[name]))
    assert guesses(pieces(FOREIGN[name]) * 4) == {CODES[name]}


def test_english_short_texts_between_them_hinder_nothing_and_are_not_told() -> None:
    english = pieces((ROOT / "assets/lighthouse.txt").read_text(encoding="utf-8"))[:60]
    german = pieces(FOREIGN["German"]) * 4
    mixed = [text for pair in zip(german, english, strict=False) for text in pair]
    assert (guesses(mixed), guesses(english)) == ({"de"}, set())


@pytest.mark.parametrize("text", ODD_ENGLISH.values(), ids=ODD_ENGLISH)
def test_odd_english_in_short_texts_counts_as_english(text: str) -> None:
    assert guesses(pieces(text) * 6) == set()


def test_short_texts_that_were_looked_at_are_forgotten() -> None:
    stream = ShortTexts()
    for piece in pieces(ODD_ENGLISH["names"]) * 50:
        stream.add(NLP(piece))
        assert len(stream.words) < 100 and len(stream.text) < 900
