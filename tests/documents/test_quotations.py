from __future__ import annotations

import random

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.documents.quotations import LONGEST, quotation_numbers

NLP = spacy.blank("en")


def quotations(doc: Doc) -> list[str]:
    """The text of each quotation, in the order of their numbers."""
    numbers = quotation_numbers(doc).tolist()
    return [
        " ".join(token.text for token, number in zip(doc, numbers, strict=True) if number == wanted)
        for wanted in range(1, max(numbers, default=0) + 1)
    ]


def in_words(text: str) -> Doc:
    """A document of words whose spaces are not known."""
    return Doc(NLP.vocab, words=text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"Go," she said. "Now!"', ['" Go , "', '" Now ! "']),
        ("“Go,” she said. “Now!”", ["“ Go , ”", "“ Now ! ”"]),
        ("«Va», dit-elle. « Va ! »", ["« Va »", "« Va ! »"]),
        ("»Geh«, sagte sie. »Geh!«", ["» Geh «", "» Geh ! «"]),
        ("„Geh“, sagte sie. „Geh!“", ["„ Geh “", "„ Geh ! “"]),
        ("”Gå”, sade hon.", ["” Gå ”"]),
        ("「行く」", ["「 行く 」"]),
        ("‘Go,’ she said. ‘Now!’", ["‘ Go , ’", "‘ Now ! ’"]),
        ("'Go,' she said. 'Now!'", ["' Go , '", "' Now ! '"]),
        ("“He said ‘no’ to me.”", ["“ He said ‘ no ’ to me . ”"]),
        ("'He said “no” to me,' said Ann. 'Did he?'", ["' He said “ no ” to me , '", "' Did he ? '"]),
        ("The boys' house and the girls' house.", []),
        ("Ann left. She stayed.", []),
        ("", []),
        ('"', ['"']),
        ('She left." He stayed.', []),
        ("One paragraph. “It began. “And went on.” He stayed.", ["“ It began . “ And went on . ”"]),
        ('One paragraph. "It began. "And went on." He stayed.', ['" It began . " And went on . "']),
        ("She began: “I am", ["“ I am"]),
    ],
)
def test_quotations_are_found(text: str, expected: list[str]) -> None:
    assert quotations(NLP.make_doc(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('" Go , " she said . " Now ! "', ['" Go , "', '" Now ! "']),
        ("“ Go , ” she said . “‘ Now ! ’”", ["“ Go , ”", "“‘ Now ! ’”"]),
        (
            "' Go , ' she said , ' or I 'll call the boys ' father . '",
            ["' Go , '", "' or I 'll call the boys ' father . '"],
        ),
        ("`` Go , '' she said .", ["`` Go , ''"]),
        ("nothin ' at all , sayin ' nothin '", []),
        ("She left . ” He stayed . “ Go . ”", ["“ Go . ”"]),
    ],
)
def test_quotations_are_found_where_spaces_are_not_known(text: str, expected: list[str]) -> None:
    assert quotations(in_words(text)) == expected


def test_a_mark_that_nothing_closes_opens_no_quotation() -> None:
    doc = in_words("“ " + "word " * (LONGEST + 1) + "“ Go . ” She left .")
    assert quotations(doc) == ["“ Go . ”"]
    assert quotations(in_words("“ " + "word " * (LONGEST + 1))) == []


def test_a_long_speech_opens_a_quotation_again_and_again() -> None:
    (speech,) = quotations(in_words(("“ " + "word " * (LONGEST - 1)) * 3 + "”"))
    assert len(speech.split()) == 3 * LONGEST + 1


@pytest.mark.parametrize("opening, closing", ['""', "“”", "''", "‘’", "«»", "»«"])
@pytest.mark.parametrize("seed", range(3))
def test_a_random_dialogue_is_read_as_it_was_made(opening: str, closing: str, seed: int) -> None:
    draw = random.Random(seed)
    text, expected = "", []
    for _ in range(30):
        words = " ".join(draw.choice(["ann", "left", "the", "boat"]) for _ in range(draw.randint(1, 6)))
        if draw.random() < 0.5:
            text += f"{opening}{words}{draw.choice(',.!?')}{closing} "
            expected.append(len(words.split()) + 3)
        else:
            text += words + draw.choice([".", ",", " --"]) + " "
    assert [len(quotation.split()) for quotation in quotations(NLP.make_doc(text))] == expected


def test_marks_of_the_kind_with_more_quotations_count() -> None:
    doc = NLP.make_doc("'Go,' said Ann. 'Where?' said Tom. 'To “The Ship”,' said Ann.")
    assert len(quotations(doc)) == 3
