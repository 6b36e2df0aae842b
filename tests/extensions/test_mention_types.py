import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.extensions.mention_types import (
    MentionType,
    head_token,
    is_clitic,
    mention_type,
    part_of_speech,
    without_clitic,
)

NLP = spacy.blank("en")

EXAMPLES: list[tuple[str, str, MentionType]] = [
    ("Ann", "PROPN", "proper"),
    ("Ann 's", "PROPN PART", "proper"),
    ("old Ann Lee of Leeds", "ADJ PROPN PROPN ADP PROPN", "proper"),
    ("Ann and the dog", "PROPN CCONJ DET NOUN", "proper"),
    ("room 5 of Ann", "NOUN NUM ADP PROPN", "nominal"),
    ("the girl that Ann Lee met", "DET NOUN PRON PROPN PROPN VERB", "nominal"),
    ("Ann 's dog", "PROPN PART NOUN", "nominal"),
    ("the Ford factory", "DET PROPN NOUN", "nominal"),
    ("those who saw Ann", "PRON PRON VERB PROPN", "nominal"),
    ("some of the Smiths", "DET ADP DET PROPN", "nominal"),
    ("1969", "NUM", "nominal"),
    ("she", "PRON", "pronominal"),
    ("all of them", "DET ADP PRON", "pronominal"),
    ("each other", "DET ADJ", "pronominal"),
    ("there", "ADV", "other"),
]


@pytest.mark.parametrize(("text", "parts", "expected"), [*EXAMPLES, ("bought", "VERB", "other")])
def test_type_by_universal_tags(text: str, parts: str, expected: MentionType):
    assert mention_type(Doc(NLP.vocab, words=text.split(), pos=parts.split())[:]) == expected


@pytest.mark.parametrize(("text", "expected"), [(text, expected) for text, _, expected in EXAMPLES])
def test_type_without_tags(text: str, expected: MentionType):
    assert mention_type(Doc(NLP.vocab, words=text.split())[:]) == expected


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ("Ann", "NNP", "proper"),
        ("the Smiths", "DT NNPS", "proper"),
        ("the girl that Ann met", "DT NN WDT NNP VBD", "nominal"),
        ("hers", "PRP", "pronominal"),
        ("bought", "VBD", "other"),
    ],
)
def test_type_by_penn_tags(text: str, tags: str, expected: MentionType):
    assert mention_type(Doc(NLP.vocab, words=text.split(), tags=tags.split())[:]) == expected


def test_the_parse_decides_on_the_head():
    words = ["the", "mayor", "Ann", "Lee"]
    pos = ["DET", "NOUN", "PROPN", "PROPN"]
    parsed = Doc(NLP.vocab, words=words, pos=pos, heads=[1, 1, 1, 2], deps=["det", "ROOT", "appos", "flat"])
    assert (head_token(parsed[:]).text, mention_type(parsed[:])) == ("mayor", "nominal")
    assert head_token(Doc(NLP.vocab, words=words, pos=pos)[:]).text == "Lee"


@pytest.mark.parametrize(("word", "part"), [("US", "PROPN"), ("us", "PRON"), ("May", "PROPN"), ("may", "AUX")])
def test_some_names_are_recognised_by_their_capitals(word: str, part: str):
    assert part_of_speech(NLP(word)[0]) == part


def test_space_is_not_a_noun_phrase():
    assert mention_type(NLP("a\n\nb")[1:2]) == "other"


@pytest.mark.parametrize(
    ("text", "bare"),
    [("Ann 's", "Ann"), ("the girls '", "the girls"), ("' the girls '", "' the girls '"), ("'s", "'s"), ("Ann", "Ann")],
)
def test_possessive_endings_are_distinguished_from_quotes(text: str, bare: str):
    assert without_clitic(Doc(NLP.vocab, words=text.split())[:]).text.strip() == bare


def test_a_contracted_verb_is_not_a_possessive_ending():
    doc = Doc(NLP.vocab, words=["Ann", "'s"], pos=["PROPN", "AUX"])
    assert not is_clitic(doc[1])
    assert without_clitic(doc[:]).text.strip() == "Ann 's"
