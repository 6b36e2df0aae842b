from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.util import load_model_from_config

from spacy_span_selector.pipeline.split_dashes import split_dashes

CONFIG = """
[nlp]
lang = "en"
pipeline = []

[nlp.after_creation]
@callbacks = "spacy_span_selector.split_dashes.v1"
"""


@pytest.fixture(scope="module")
def nlp() -> Language:
    return split_dashes(spacy.blank("en"))


def assert_tokens(nlp: Language, text: str, expected: str) -> None:
    """The tokens of a text and their offsets; `expected` has a space between all of them."""
    found = [(token.idx, token.text) for token in nlp(text) if not token.is_space]
    assert [word for _, word in found] == expected.split()
    assert all(text[start : start + len(word)] == word for start, word in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mortals.--Frank", "mortals . -- Frank"),
        ("Oh!--she", "Oh ! -- she"),
        ("Harriet--“", "Harriet -- “"),
        ("Tom--“no", "Tom -- “ no"),
        ('well."--"You', 'well . " -- " You'),
        ("“--Tom", "“ -- Tom"),
        ("--'Emma", "-- ' Emma"),
        ("Elton!--(no", "Elton ! -- ( no"),
        ("Elton--,", "Elton -- ,"),
        ("Elton----", "Elton ----"),
        ("Emma...--she", "Emma ... -- she"),
        ("her.--I--I", "her . -- I -- I"),
        ("Tom.—She", "Tom . — She"),
        ("Tom?”—“She", "Tom ? ” — “ She"),
        ("Tom,–she", "Tom , – she"),
        ("1990--95 [1]–[3]", "1990 -- 95 [ 1 ] – [ 3 ]"),
        # underscores around words
        ("she--_Emma_--no", "she -- _ Emma _ -- no"),
        ('"_Rosy!_"--she', '" _ Rosy ! _ " -- she'),
        ("_Emma_'ll", "_ Emma _ 'll"),
        ("_Miss Taylor_.", "_ Miss Taylor _ ."),
        # possessives and contractions are split as elsewhere
        ("Huck's--no", "Huck 's -- no"),
        ("don't--you--can't", "do n't -- you -- ca n't"),
        ("no--I’ll", "no -- I ’ll"),
        # abbreviations stay whole
        ("Mr.--Tom", "Mr. -- Tom"),
        ("U.S.--but", "U.S. -- but"),
        ("so--'em", "so -- 'em"),
    ],
)
def test_dashes_and_underscores_are_tokens(nlp: Language, text: str, expected: str) -> None:
    assert_tokens(nlp, text, expected)


@pytest.mark.parametrize(
    "text",
    [
        "well-known e-mail 1990-95 -5 -o",
        "--option --option=3",
        "https://example.com/a--b_c www.example.com/a--b foo--bar@example.com",
        ":--) :-) -_- (*_*) ^_^",
        "snake_case __init__ file_.txt",
        "--- ---- — --> <!-- |--|--|",
        "Mr. Knightley's don't; 'tis (so), no...",
    ],
)
def test_other_words_stay_as_they_are(nlp: Language, text: str) -> None:
    assert [token.text for token in nlp(text)] == [token.text for token in spacy.blank("en")(text)]


def test_rules_are_saved_with_the_pipeline_and_added_once(tmp_path: Path, nlp: Language) -> None:
    nlp.to_disk(tmp_path)
    loaded, once = spacy.load(tmp_path), nlp.tokenizer.to_bytes()
    assert split_dashes(nlp).tokenizer.to_bytes() == once
    assert_tokens(loaded, "mortals.--Frank don't--you", "mortals . -- Frank do n't -- you")
    assert split_dashes(loaded).tokenizer.to_bytes() == once


def test_a_config_names_the_callback(tmp_path: Path) -> None:
    nlp = load_model_from_config(spacy.util.load_config_from_str(CONFIG), auto_fill=True)
    nlp.to_disk(tmp_path)
    for pipeline in (nlp, spacy.load(tmp_path)):
        assert_tokens(pipeline, "mortals.--Frank", "mortals . -- Frank")


def test_the_rules_of_a_custom_tokenizer_stay() -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = Tokenizer(nlp.vocab)
    assert_tokens(split_dashes(nlp), "Oh!--she well-known", "Oh ! -- she well-known")


@pytest.mark.parametrize("lang", ["de", "es", "fr", "ru", "xx"])
def test_other_languages_split_dashes(lang: str) -> None:
    assert_tokens(split_dashes(spacy.blank(lang)), "„Ida!--Ana", "„ Ida ! -- Ana")
    assert_tokens(split_dashes(spacy.blank(lang)), "Ida?—“Ana", "Ida ? — “ Ana")


def test_a_tokenizer_without_rules_is_an_error() -> None:
    with pytest.raises(ValueError, match="can't add rules to the tokenizer of 'zh', ChineseTokenizer"):
        split_dashes(spacy.blank("zh"))
